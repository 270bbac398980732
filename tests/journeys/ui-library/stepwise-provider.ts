/** A provider that is connected in its own way: a region on one page, leave on the next, and a token for both. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface StepwiseProvider {
  /** Its entry in the catalog. */
  entry: object;
  close(): Promise<void>;
}

export async function openStepwiseProvider(): Promise<StepwiseProvider> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    entry: buildEntry(`http://127.0.0.1:${port}`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The first page leads back by a link, the second by a form. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://provider.test");
  const back = searchParams.get("back") ?? "";
  const state = searchParams.get("state") ?? "";
  const html = (body: string) =>
    void response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>${body}`);
  if (pathname === "/region") {
    return html(`<a id="allow" href="${back}?region=eu&amp;state=${state}">Europe</a>`);
  }
  if (pathname === "/eu/leave") {
    const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;
    const fields = field("code", "c-1") + field("state", state);
    return html(`<form method="post" action="${back}">${fields}<button id="allow">Allow</button></form>`);
  }
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ token: pathname === "/eu/token/c-1" ? "t-1" : "" }));
}

function buildEntry(url: string): object {
  const params = { back: "{{.callbackURL}}", state: "{{.state}}" };
  const token = { method: "GET", url: `${url}/{{.region}}/token/{{.code}}`, take: { token: "token" } };
  return {
    displayName: "Stepwise",
    authType: "custom",
    baseURL: `${url}/{{.region}}`,
    support: { proxy: true },
    customOpts: {
      multiStep: true,
      inputs: [{ name: "company", displayName: "Company", fieldType: "fieldTypeText" }],
      connectSteps: [
        { redirect: { url: `${url}/region`, params, metadata: { region: "region" } } },
        { redirect: { url: `${url}/{{.region}}/leave`, params, take: { code: "code" } } },
        { request: token },
      ],
      headers: [{ name: "Authorization", valueTemplate: "Bearer {{.token}}" }],
    },
  };
}

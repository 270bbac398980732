/** A provider that is connected in its own way in two steps: the customer consents on its page, then a token is bought. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface StepwiseProvider {
  /** Its entry in the catalog. */
  entry: object;
  close(): Promise<void>;
}

export async function openStepwiseProvider(): Promise<StepwiseProvider> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://provider");
    if (pathname === "/token") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ access_token: "token-of-the-second-step" }));
      return;
    }
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.search = String(new URLSearchParams({ state: searchParams.get("state") ?? "", tenant: "acme" }));
    response.setHeader("content-type", "text/html");
    response.end(`<a id="allow" href="${back.href.replaceAll("&", "&amp;")}">Allow</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    entry: entryOf(url),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const entryOf = (url: string): object => ({
  displayName: "Stepwise",
  authType: "custom",
  baseURL: url,
  support: { proxy: true },
  customOpts: {
    multiStep: true,
    inputs: [{ name: "region", displayName: "Region", fieldType: "fieldTypeText" }],
    connectSteps: [
      {
        redirect: {
          url: `${url}/consent`,
          params: { redirect_uri: "{{.callbackURL}}", state: "{{.state}}" },
          metadata: { workspace: "tenant" },
        },
      },
      { request: { method: "POST", url: `${url}/token`, form: {}, take: { accessToken: "access_token" } } },
    ],
    headers: [{ name: "Authorization", valueTemplate: "Bearer {{.accessToken}}" }],
  },
});

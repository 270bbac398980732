/** The published UI library, unmodified, in a browser: a customer connects by a provider's own way, over two of its pages. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { chromium, type Browser } from "playwright-core";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { registerJwtKey } from "../harness/customer-tokens.ts";
import { openCustomer } from "./ui-library/customer.ts";
import { servePage, type ServedPage } from "./ui-library/serve-page.ts";

const CHROMIUM = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path && existsSync(path),
);

/** Asks for a region on one page and for leave on the next, where a form brings the customer back. */
function provider(request: IncomingMessage, response: ServerResponse): void {
  const asked = new URL(request.url ?? "/", "http://provider.test");
  const back = asked.searchParams.get("back") ?? "";
  const state = asked.searchParams.get("state") ?? "";
  const html = (body: string) =>
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>${body}`);
  if (asked.pathname === "/region") {
    return void html(`<a id="allow" href="${back}?region=eu&amp;state=${state}">Europe</a>`);
  }
  if (asked.pathname === "/eu/leave") {
    const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;
    const fields = field("code", "c-1") + field("state", state);
    return void html(
      `<form method="post" action="${back}">${fields}<button id="allow">Allow</button></form>`,
    );
  }
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ token: asked.pathname === "/eu/token/c-1" ? "t-1" : "" }));
}

describe("connecting in steps", { skip: CHROMIUM ? false : "no Chromium here" }, () => {
  let on: TestBusbar;
  let browser: Browser;
  let served: ServedPage;
  let server: Server;
  after(async () => {
    await browser.close();
    await served.close();
    await on.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  before(async () => {
    server = createServer(provider);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const params = { back: "{{.callbackURL}}", state: "{{.state}}" };
    on = await openTestBusbar({
      providers: {
        stepwise: {
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
              {
                request: {
                  method: "GET",
                  url: `${url}/{{.region}}/token/{{.code}}`,
                  take: { token: "token" },
                },
              },
            ],
            headers: [{ name: "Authorization", valueTemplate: "Bearer {{.token}}" }],
          },
        },
      },
    });
    [served, browser] = await Promise.all([
      servePage(new URL(on.busbar.urls.base).origin),
      chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] }),
    ]);
  });

  test("a customer goes over two pages of the provider, by link and by form, and is connected", async (t) => {
    const signer = await registerJwtKey(on);
    const token = await signer.sign({ groupRef: "stepwise" });
    const asked = { provider: "stepwise", groupRef: "stepwise", token };
    const customer = await openCustomer(t, { browser, url: served.url }, "stepwise", asked);
    await customer.page.locator("#company").fill("Acme");
    const second = customer.page.context().waitForEvent("page", {
      predicate: async (page) => {
        await page.waitForURL(/leave/).catch(() => {});
        return page.url().includes("/leave");
      },
    });
    await customer.consent("Next", "allow");
    await (await second).locator("#allow").click();
    await customer.sees("successfully connected");
    const [id] = await customer.told(1);
    const { body } = await on.inProject("GET", `/connections/${id}`);
    assert.deepEqual(body.providerMetadata["region"], { value: "eu", source: "provider" });
    assert.equal(body.consumer.consumerName, "Ada");
    customer.assertUntroubled();
  });
});

/** Calls the operations that connect customers by OAuth and by schemes of their own. */
import assert from "node:assert/strict";
import { openConsentBrowser, type ConsentBrowser } from "../../../tests/harness/consent.ts";
import type { ResourceExamples, Recording } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["provider-apps"],
  async run(recording) {
    const { call, facts, calls, busbar } = recording;
    const customer = { groupRef: "acme", consumerRef: "ada" };
    const asked = { projectIdOrName: "default", provider: "hubspot", ...customer };
    const declined = await begun(
      recording,
      await call("oauthConnect", { body: { ...asked, groupName: "Acme" } }),
      "deny",
    );
    await call("listConsents", { query: { status: "failed" } });
    assert.equal((await declined.send()).status, 303);
    calls.push({ operationId: "oauthRetry" });
    await begun(recording, await call("oauthConnect", { body: asked }));
    const [{ id: connectionId }] = (await busbar.inProject("GET", "/connections?groupRef=acme")).body;
    facts.connectionId = connectionId;
    await begun(recording, await call("oauthUpdate", { path: { connectionId } }));
    const customAuth = { account: "acme", secret: "open sesame" };
    const body = { projectIdOrName: "default", provider: "bridge", ...customer, customAuth };
    await call("customAuthConnect", { title: "Connected at once", body });
    const stepwise = { projectIdOrName: "default", provider: "footbridge", ...customer, customAuth };
    const { redirect } = await call("customAuthConnect", {
      title: "A page of the provider's",
      body: stepwise,
    });
    const browser = openConsentBrowser();
    await browser.leave(redirect.url);
    calls.push({ operationId: "customAuthBegin" }, { operationId: "customAuthContinue" });
    const headers = { cookie: browser.cookies() };
    await call("customAuthCallback", { query: { code: "x" }, headers });
    await call("customAuthFormCallback", { body: "code=x", headers });
  },
};

/** Goes over the pages as a browser does. */
async function begun(
  { call, calls }: Recording,
  url: string,
  decision: "allow" | "deny" = "allow",
): Promise<ConsentBrowser> {
  const browser = openConsentBrowser();
  const back = new URL(await browser.decide(await browser.leave(url), decision));
  calls.push({ operationId: "oauthBegin" }, { operationId: "oauthContinue" });
  const headers = { cookie: browser.cookies() };
  if (decision === "deny") await browser.open(back.href);
  else await call("oauthCallback", { query: Object.fromEntries(back.searchParams), headers });
  return browser;
}

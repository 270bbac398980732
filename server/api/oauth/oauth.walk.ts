/** Calls the operations that connect customers by OAuth and by schemes of their own. */
import assert from "node:assert/strict";
import type { ResourceWalk, Walk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["provider-apps"],
  async run(walk) {
    const { call, facts, heard, on } = walk;
    const customer = { groupRef: "acme", consumerRef: "ada" };
    const asked = { projectIdOrName: "default", provider: "hubspot", ...customer };
    await consent(walk, await call("oauthConnect", { body: { ...asked, groupName: "Acme" } }));
    const bound = await on.call("POST", "/v1/oauth-connect", { ...asked, enableCSRFProtection: true });
    const begun = await fetch(bound.text, { redirect: "manual" });
    assert.equal(begun.status, 302, await begun.text());
    heard.push({ operationId: "oauthBegin" });
    const [{ id: connectionId }] = (await on.inProject("GET", "/connections?groupRef=acme")).body;
    facts.connectionId = connectionId;
    await consent(walk, await call("oauthUpdate", { path: { connectionId } }));
    const customAuth = { account: "acme", secret: "open sesame" };
    const body = { projectIdOrName: "default", provider: "bridge", ...customer, customAuth };
    await call("customAuthConnect", { body });
    await call("customAuthCallback", { query: { code: "x" } });
    await call("customAuthFormCallback", { body: "code=x" });
  },
};

/** Agrees on the provider's consent page, as a browser does, and follows the redirect. */
async function consent({ call }: Walk, url: string): Promise<void> {
  const page = await fetch(`${url}&decision=allow`, { redirect: "manual" });
  const back = new URL(page.headers.get("location") ?? "");
  await call("oauthCallback", { query: Object.fromEntries(back.searchParams) });
}

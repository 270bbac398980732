/** Calls the operations of sessions, on a Busbar where people sign in with keys. */
import assert from "node:assert/strict";
import type { ResourceWalk, Walk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run(walk) {
    const { call, withoutIssuer } = walk;
    const on = withoutIssuer;
    await call("listSignInWays", { on });
    const session = await call("createSession", { on, body: { apiKey: on.apiKey } });
    const headers = { "x-api-key": "", authorization: `Bearer ${session.token}` };
    await call("getSession", { on, headers, success: 200 });
    await call("listSessions", { on, headers });
    await call("deleteOtherSessions", { on, headers });
    await call("deleteSession", { on, path: { sessionId: "current" }, headers });
    await signInAtIssuer(walk);
  },
};

async function signInAtIssuer({ on, issuer, heard }: Walk): Promise<void> {
  const begin = `${new URL(on.busbar.urls.base).origin}/callbacks/v1/sign-in/begin`;
  const left = await fetch(begin, { redirect: "manual" });
  const [cookie = ""] = (left.headers.get("set-cookie") ?? "").split(";");
  const back = issuer.approve(left.headers.get("location") ?? "");
  const { status } = await fetch(back, { redirect: "manual", headers: { cookie } });
  assert.equal(status, 302);
  heard.push({ operationId: "beginSignIn" }, { operationId: "finishSignIn" });
}

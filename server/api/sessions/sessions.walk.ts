/** Calls the operations of sessions, on a Busbar where people sign in with keys. */
import assert from "node:assert/strict";
import type { ResourceWalk, Walk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run(walk) {
    const { call, withoutIssuer } = walk;
    const busbar = withoutIssuer;
    await call("listSignInWays", { on: busbar });
    const session = await call("createSession", { on: busbar, body: { apiKey: busbar.apiKey } });
    const headers = { "x-api-key": "", authorization: `Bearer ${session.token}` };
    await call("getSession", { on: busbar, headers, success: 200 });
    await call("listSessions", { on: busbar, headers });
    await call("deleteOtherSessions", { on: busbar, headers });
    await call("deleteSession", { on: busbar, path: { sessionId: "current" }, headers });
    await signInAtIssuer(walk);
  },
};

async function signInAtIssuer({ on: busbar, issuer, heard }: Walk): Promise<void> {
  const begin = `${new URL(busbar.busbar.urls.base).origin}/callbacks/v1/sign-in/begin`;
  const left = await fetch(begin, { redirect: "manual" });
  const [cookie = ""] = (left.headers.get("set-cookie") ?? "").split(";");
  const back = issuer.approve(left.headers.get("location") ?? "");
  const { status } = await fetch(back, { redirect: "manual", headers: { cookie } });
  assert.equal(status, 302);
  heard.push({ operationId: "beginSignIn" }, { operationId: "finishSignIn" });
}

/** Calls the operations of sessions, on a Busbar where people sign in with keys. */
import assert from "node:assert/strict";
import type { ResourceExamples, Recording } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run(recording) {
    const { call, withoutIssuer } = recording;
    const busbar = withoutIssuer;
    await call("listSignInWays", { busbar });
    const session = await call("createSession", { busbar, body: { apiKey: busbar.apiKey } });
    const headers = { "x-api-key": "", authorization: `Bearer ${session.token}` };
    await call("getSession", { busbar, headers, success: 200 });
    await call("listSessions", { busbar, headers });
    await call("deleteOtherSessions", { busbar, headers });
    await call("deleteSession", { busbar, path: { sessionId: "current" }, headers });
    await signInAtIssuer(recording);
  },
};

async function signInAtIssuer({ busbar, issuer, calls }: Recording): Promise<void> {
  const begin = `${new URL(busbar.server.urls.base).origin}/callbacks/v1/sign-in/begin`;
  const left = await fetch(begin, { redirect: "manual" });
  const [cookie = ""] = (left.headers.get("set-cookie") ?? "").split(";");
  const back = issuer.approve(left.headers.get("location") ?? "");
  const { status } = await fetch(back, { redirect: "manual", headers: { cookie } });
  assert.equal(status, 302);
  calls.push({ operationId: "beginSignIn" }, { operationId: "finishSignIn" });
}

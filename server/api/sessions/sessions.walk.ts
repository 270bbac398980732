/** Calls the operations of sessions, on a Busbar where people sign in with keys. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call, withoutIssuer }) {
    const on = withoutIssuer;
    await call("listSignInWays", { on });
    const session = await call("createSession", { on, body: { apiKey: on.apiKey } });
    const headers = { "x-api-key": "", authorization: `Bearer ${session.token}` };
    await call("getSession", { on, headers, success: 200 });
    await call("listSessions", { on, headers });
    await call("deleteOtherSessions", { on, headers });
    await call("deleteSession", { on, path: { sessionId: "current" }, headers });
  },
};

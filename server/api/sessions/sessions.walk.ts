/** Calls the operations of sessions, on a Busbar where people sign in with keys. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call, withoutIssuer }) {
    const session = await call("createSession", {
      on: withoutIssuer,
      body: { apiKey: withoutIssuer.apiKey },
    });
    const headers = { "x-api-key": "", authorization: `Bearer ${session.token}` };
    await call("deleteSession", { on: withoutIssuer, headers });
  },
};

/** Calls the operations of signed-in people. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["orgs"],
  async run({ call, ada }) {
    await call("acceptInvite", { body: { invitedEmail: "ada@acme.example" }, headers: ada });
    await call("getMyInfo", { headers: ada });
  },
};

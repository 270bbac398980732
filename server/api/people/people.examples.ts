/** Calls the operations of signed-in people. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["orgs"],
  async run({ call, ada }) {
    await call("acceptInvite", { body: { invitedEmail: "ada@acme.example" }, headers: ada });
    await call("getMyInfo", { headers: ada });
  },
};

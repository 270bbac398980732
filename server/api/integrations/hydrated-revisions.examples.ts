/** Calls the operation of hydrated revisions, which needs a connected account. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["installations"],
  async run({ call, facts }) {
    const { connectionId, revisionId } = facts;
    const path = { integrationId: "crm", revisionId };
    await call("getHydratedRevision", { path, query: { connectionId } });
  },
};

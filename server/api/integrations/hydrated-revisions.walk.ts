/** Calls the operation of hydrated revisions, which needs a connected account. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["installations"],
  async run({ call, facts }) {
    const { connectionId, revisionId } = facts;
    const path = { integrationId: "crm", revisionId };
    await call("getHydratedRevision", { path, query: { connectionId } });
  },
};

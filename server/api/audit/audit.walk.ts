/** Calls the operations of the audit. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["topics"],
  async run({ call, on: busbar }) {
    const path = { orgId: busbar.busbar.bootstrap?.orgId ?? "" };
    await call("listAuditEvents", { path, query: { operationId: "createTopic" } });
  },
};

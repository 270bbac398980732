/** Calls the operations of the audit. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["topics"],
  async run({ call, busbar }) {
    const path = { orgId: busbar.server.bootstrap?.orgId ?? "" };
    await call("listAuditEvents", { path, query: { operationId: "createTopic" } });
  },
};

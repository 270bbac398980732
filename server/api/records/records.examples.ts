/** Calls the operation of records, for one that was written. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["subscriptions"],
  async run({ call, facts }) {
    const path = { integrationId: "crm", installationId: facts.installationId, objectName: "contacts" };
    await call("getRecordTrace", { path: { ...path, recordId: "501" } });
  },
};

/** Calls the operations of operations and their logs. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["write-records"],
  async run({ call, facts }) {
    const { installationId } = facts;
    const path = { integrationId: "crm", installationId };
    await call("listProjectOperations", { query: { status: "success" } });
    await call("listOperations", { path, query: { pageSize: "10" } });
    const waiting = {
      groupRef: "acme",
      type: "create",
      mode: "asynchronous",
      autoBatchPolicy: { maxDelayMinutes: 10 },
      record: { email: "erin@example.com" },
    };
    const write = { path: { integrationId: "crm", objectName: "contacts" }, body: waiting };
    const later = await call("writeRecords", { title: "Batched with others", ...write });
    await call("cancelOperation", { path: { operationId: later.operationId } });
    await call("getBackfillProgress", { path: { ...path, objectName: "contacts" } });
  },
};

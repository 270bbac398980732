/** Calls the write endpoint, once for each kind of write. */
import type { ResourceExamples } from "../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["installations"],
  async run({ call, facts }) {
    const path = { integrationId: "crm", objectName: "contacts" };
    const create = { groupRef: "acme", type: "create" };
    const write = (title: string, body: object, query?: Record<string, string>) =>
      call("writeRecords", { title, path, body, ...(query && { query }) });
    const record = { email: "ada@example.com", givenName: "Ada" };
    const { operationId, result } = await write("One record", { ...create, record });
    facts.operationId = operationId;
    const changed = { id: result.recordId, givenName: "Augusta" };
    await write("An update", { groupRef: "acme", type: "update", record: changed });
    const upsert = { groupRef: "acme", type: "upsert", key: "email" };
    await write("An upsert", { ...upsert, record: { email: "eve@example.com", givenName: "Eve" } });
    const batch = ["bob", "cleo"].map((name) => ({ record: { email: `${name}@example.com` } }));
    await write("A batch", { ...create, batch });
    const later = { mode: "asynchronous", retryPolicy: { deadlineHours: 12 } };
    await write("Later", { ...create, ...later, record: { email: "dora@example.com" } });
    await write("A dry run", { ...create, record }, { dryRun: "true" });
  },
};

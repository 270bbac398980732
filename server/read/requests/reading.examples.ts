/** Calls the operations of reading and searching. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["installations", "destinations"],
  async run({ call, facts }) {
    const path = { integrationId: "crm", installationId: facts.installationId };
    const object = { ...path, objectName: "contacts" };
    const body = { groupRef: "acme", mode: "async", sinceTimestamp: "2026-01-01T00:00:00Z" };
    await call("triggerRead", { path: object, body });
    await call("triggerRead", { path: object, query: { dryRun: "true" }, body, success: 200 });
    await call("pauseReads", { path, body: { objects: ["contacts"], note: "moving house" } });
    await call("unpauseReads", { path, body: { objects: ["contacts"] } });
    const fieldFilters = [{ fieldName: "email", operator: "eq", value: "ada.king@northwind.example" }];
    await call("searchRecords", {
      path,
      query: { groupRef: "acme" },
      body: { objectName: "contacts", fieldFilters },
    });
  },
};

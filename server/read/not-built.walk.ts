/** Calls the operations of reading and searching, which are not built. */
import type { ResourceWalk } from "../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["installations"],
  async run({ call, facts }) {
    const path = { integrationId: "crm", installationId: facts.installationId };
    const object = { ...path, objectName: "contacts" };
    const refusedWith = 501;
    await call("triggerRead", { path: object, body: { groupRef: "acme", mode: "async" }, refusedWith });
    await call("pauseReads", { path, body: { objects: ["contacts"], note: "moving house" }, refusedWith });
    await call("unpauseReads", { path, body: { objects: ["contacts"] }, refusedWith });
    const fieldFilters = [{ fieldName: "email", operator: "eq", value: "ada@example.com" }];
    const body = { objectName: "contacts", fieldFilters };
    await call("searchRecords", { path, query: { groupRef: "acme" }, body, refusedWith });
  },
};

/** Calls the operation of records, for one that was written. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["subscriptions"],
  async run({ call, facts }) {
    const path = { integrationId: "crm", installationId: facts.installationId, objectName: "contacts" };
    await call("getRecordTrace", { path: { ...path, recordId: "501" } });
  },
};

/** Calls the operations of operations and their logs. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["write-records"],
  async run({ call, facts }) {
    const { installationId, operationId } = facts;
    const path = { integrationId: "crm", installationId };
    await call("getOperation", { path: { operationId } });
    await call("listOperationLogs", { path: { operationId } });
    await call("listProjectOperations", { query: { status: "success" } });
    await call("listOperations", { path, query: { pageSize: "10" } });
    await call("getBackfillProgress", { path: { ...path, objectName: "contacts" } });
  },
};

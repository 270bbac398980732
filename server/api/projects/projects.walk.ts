/** Calls the operations of projects. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call, on }) {
    const orgId = on.busbar.bootstrap?.orgId ?? "";
    await call("createProject", { body: { orgId, name: "staging", appName: "Acme Apps" } });
    await call("listProjects");
    await call("getProject", { query: { includeEntitlements: "true" } });
    const project = { appName: "Acme Apps" };
    await call("updateProject", { body: { updateMask: ["appName"], project } });
    const { key } = (await on.call("POST", "/v1/projects/staging/api-keys", { label: "staging" })).body;
    await call("deleteProject", { path: { projectIdOrName: "staging" }, headers: { "x-api-key": key } });
  },
};

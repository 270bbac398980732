/** Calls the operations of projects. */
import { signIn } from "../../../tests/harness/people.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call, busbar, withoutIssuer }) {
    const orgId = busbar.server.bootstrap?.orgId ?? "";
    await call("createProject", { body: { orgId, name: "staging", appName: "Acme Apps" } });
    await call("getProject", { query: { includeEntitlements: "true" } });
    const project = { appName: "Acme Apps" };
    await call("updateProject", { body: { updateMask: ["appName"], project } });
    const old = { orgId: withoutIssuer.server.bootstrap?.orgId, name: "old", appName: "Old" };
    await withoutIssuer.call("POST", "/v1/projects", old);
    const headers = await signIn(withoutIssuer);
    await call("deleteProject", { busbar: withoutIssuer, path: { projectIdOrName: "old" }, headers });
  },
};

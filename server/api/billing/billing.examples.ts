/** Calls the operations of billing, which refuse: nothing is sold here. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call, busbar }) {
    const orgId = busbar.server.bootstrap?.orgId ?? "";
    await call("getOrgBillingAccount", { path: { orgId }, refusedWith: 404 });
    const body = { redirectUrl: "https://app.example.com/billing" };
    const path = { billingAccountId: "none" };
    await call("createBillingAccountSession", { path, body, refusedWith: 404 });
  },
};

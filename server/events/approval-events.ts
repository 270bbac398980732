/** Builds the events about approvals. */
import type { Approval } from "./approval-schema.ts";
import type { NewEvent } from "./event-types.ts";

export const approvalRequested = (projectId: string, approval: Approval): NewEvent => ({
  projectId,
  type: "agent.approval.requested",
  data: { approval },
});

export const approvalDecided = (projectId: string, approval: Approval): NewEvent => ({
  projectId,
  type: "agent.approval.decided",
  data: { approval },
});

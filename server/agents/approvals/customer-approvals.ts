/** Approvals as somebody sees them who may decide: a customer's token only those of its own group, without hidden fields. */
import { Problem } from "../../../ground/errors.ts";
import { isJsonObject, type JsonObject } from "../../../ground/json.ts";
import type { Approval } from "../../events/approval-schema.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import type { ApprovalRow } from "../../store/agents/approvals.ts";
import type { Database } from "../../store/database/database.ts";
import { containsHidden, listHiddenNames } from "../agent-fields.ts";
import { listHiddenFields, isHidden, loadPolicy, type AgentPolicy } from "../policy/policy.ts";
import { getApproval, refuseUnknownApproval, STALE, toApproval } from "./request-approval.ts";

export interface CustomerApprovalServices {
  database: Database;
  installations: InstallationCache;
}

interface Approvals {
  /** Throws a 404 Problem, also for an approval that the caller must not see. */
  get(id: string): Promise<ApprovalRow>;
  show(row: ApprovalRow): Promise<Approval>;
}

/** Throws a 403 Problem for a customer's token, unless the policy lets customers decide. */
export async function openApprovals(
  deps: CustomerApprovalServices,
  { groupRef }: Pick<Caller, "groupRef">,
  projectId: string,
): Promise<Approvals> {
  const get = (id: string) => getApproval(deps.database.control, projectId, id);
  if (groupRef === undefined) return { get, show: async (row) => toApproval(row) };
  const policy = await loadPolicy(deps.database, projectId);
  if (!policy.customersMayDecide) {
    throw new Problem("forbidden", {
      detail:
        "The project's policy for agents does not let customers decide. Set `customersMayDecide`, or decide with a key with the scope " +
        "`full`.",
    });
  }
  return {
    async get(id) {
      const row = await get(id);
      if (row.groupRef !== groupRef) throw refuseUnknownApproval(id);
      return row;
    },
    show: (row) => showToCustomer(deps, policy, row),
  };
}

/** An agent may hold the same token: it must not read here what the policy hides from it. */
async function showToCustomer(
  { installations }: CustomerApprovalServices,
  policy: AgentPolicy,
  row: ApprovalRow,
): Promise<Approval> {
  const { before, after, reason, arguments: sent, ...approval } = toApproval(row);
  const hidden = await listHidden(installations, policy, row);
  // Stored values are JSON.
  const shown = (values: object): JsonObject => withoutHidden(values as JsonObject, hidden);
  const record = sent["record"];
  return {
    ...approval,
    arguments: isJsonObject(record) ? { ...sent, record: shown(record) } : sent,
    ...(before && { before: shown(before) }),
    ...(after && { after: shown(after) }),
    // The stored reason names the fields that have changed, also hidden ones.
    ...(reason !== undefined && { reason: row.status === "stale" ? STALE : reason }),
  };
}

async function listHidden(
  installations: InstallationCache,
  policy: AgentPolicy,
  { projectId, groupRef, integration, objectName, act }: ApprovalRow,
): Promise<ReadonlySet<string>> {
  const name = objectName ?? "";
  const own = typeof act["objectName"] === "string" ? act["objectName"] : name;
  const installed = await installations.findOfGroup(projectId, integration ?? "", groupRef ?? "");
  return installed
    ? listHiddenNames({ installed, name, objectName: own }, policy)
    : listHiddenFields(policy, [name, own]);
}

const withoutHidden = (values: JsonObject, hidden: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => !isHidden(hidden, name) && !containsHidden(hidden, name, value),
    ),
  );

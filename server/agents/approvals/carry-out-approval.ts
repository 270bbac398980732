/** Carries out an approved act, once: checks that it is still what was shown, counts it, marks it as sent, and sends it. */
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { OperationLedger } from "../../operations/operation-ledger.ts";
import { uncountAgentAct } from "../../store/agents/agent-acts.ts";
import { insertAgentChange, type AgentChange } from "../../store/agents/agent-changes.ts";
import {
  endApproval,
  markApprovalSent,
  postponeApproval,
  unmarkApprovalSent,
  type ClaimedApproval,
} from "../../store/agents/approval-queue.ts";
import { findApproval, type ApprovalRow, type ApprovalStatus } from "../../store/agents/approvals.ts";
import { transactControl, transactInTurn } from "../../store/database/database.ts";
import {
  isDatabaseAway,
  mayBeCommitted,
  retryWhileDatabaseIsDown,
} from "../../store/database/database-outage.ts";
import { findProject } from "../../store/access/projects.ts";
import { insertOperations, type NewOperation } from "../../store/operations/operations.ts";
import { toStoredJson } from "../../store/database/stored-json.ts";
import { createOperation } from "../../write/create-operation.ts";
import { writeNow } from "../../write/write-now.ts";
import {
  hashCanonical,
  MAY_HAVE_HAPPENED,
  planAct,
  readCurrentRecord,
  type ApprovedWrite,
  type ApprovedWriteServices,
  type PlannedAct,
} from "./approved-write.ts";
import { createCallOperation, sendApprovedCall, type ApprovedCall } from "./approved-call.ts";
import { carryOutDeploy, type DeployingServices } from "./approved-deploy.ts";
import { containsHidden, listHiddenNames } from "../agent-fields.ts";
import { countAgainstBudgets } from "../policy/budgets.ts";
import {
  decide,
  decideByRule,
  isHidden,
  loadPolicy,
  type ActKind,
  type AgentPolicy,
  type AgentTool,
} from "../policy/policy.ts";
import { isRuled } from "../policy/require-allowed.ts";

export interface CarryOutServices extends ApprovedWriteServices, DeployingServices {
  ledger: OperationLedger;
  /** Length of a minute; shorter in tests. */
  minuteMs: number;
  workerId: () => number;
}

/** What becomes of a claimed act. */
type Outcome =
  | { status: Exclude<ApprovalStatus, "pending" | "approved" | "expired">; reason?: string | undefined }
  | { againInMs: number }
  /** Another process has it. */
  | "lost";

const PAUSED_CHECK_MS = 1_000;
const TROUBLE_CHECK_MS = 5_000;
/** After this long, trouble of the provider and budgets end an approved act. */
const MAX_HOURS = 24;

/** Never throws for what a provider, a policy or a customer does. */
export async function carryOutApproval(
  deps: CarryOutServices,
  { id, projectId }: ClaimedApproval,
): Promise<void> {
  const { control } = deps.database;
  const workerId = deps.workerId();
  const approval = await findApproval(control, projectId, id);
  // Deleted with its customer.
  if (!approval) return;
  const outcome = await readOutcome(deps, approval);
  if (outcome === "lost") return;
  if ("againInMs" in outcome) return postponeApproval(control, { id, workerId, delayMs: outcome.againInMs });
  // Only this process knows it.
  await retryWhileDatabaseIsDown(() => endApproval(control, { id, workerId, ...outcome }));
}

async function readOutcome(deps: CarryOutServices, approval: ApprovalRow): Promise<Outcome> {
  const policy = await loadPolicy(deps.database, approval.projectId);
  if (policy.paused) return { againInMs: PAUSED_CHECK_MS };
  if (hashCanonical(approval.arguments) !== approval.argumentsHash) {
    return {
      status: "failed",
      reason: "The stored arguments are not those that were hashed. Nothing was sent.",
    };
  }
  try {
    if (approval.tool === "deploy_manifest") return await carryOutDeploy(deps, approval);
    if (approval.tool === "call_api") return await carryOutCall(deps, approval, policy);
    return await carryOutWrite(deps, approval, policy);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { detail, retryAfter } = error.options;
    if (error.slug === "record-not-found") return { status: "stale", reason: detail };
    if (!error.retryable || isTooLate(deps, approval)) return { status: "failed", reason: detail };
    return { againInMs: retryAfter ? Math.max(0, retryAfter.getTime() - nowMs()) : TROUBLE_CHECK_MS };
  }
}

async function carryOutCall(
  deps: CarryOutServices,
  approval: ApprovalRow,
  policy: AgentPolicy,
): Promise<Outcome> {
  // Only `askForCall` stores these.
  const act = approval.act as unknown as ApprovedCall;
  const { integration } = act;
  const asked = { tool: "call_api", kind: "callApiWrite", integration } as const;
  if (decide(policy, asked) === "forbid" || !isRuled(policy, integration))
    return { status: "rejected", reason: FORBIDDEN };
  const project = await findProject(deps.database.control, approval.projectId);
  if (!project) return { status: "failed", reason: "The project was deleted." };
  const installed = await deps.installations.findById(approval.projectId, approval.installationId ?? "");
  if (installed?.installation.connectionId !== act.connectionId)
    return { status: "stale", reason: `${OTHER_ACCOUNT} Nothing was sent; the agent has to ask again.` };
  const operation = createCallOperation(approval, installed, act);
  const marked = await markSent(deps, { approval, policy }, operation);
  return marked === "sent" ? sendApprovedCall(deps, { approval, act, installed, project }) : marked;
}

const FORBIDDEN = "The policy for agents forbids this act since.";
const OTHER_ACCOUNT = "The customer has connected another account since.";

const isTooLate = ({ minuteMs }: CarryOutServices, { decideTime }: ApprovalRow): boolean =>
  decideTime !== null && decideTime.getTime() + MAX_HOURS * 60 * minuteMs < nowMs();

async function carryOutWrite(
  deps: CarryOutServices,
  approval: ApprovalRow,
  policy: AgentPolicy,
): Promise<Outcome> {
  // Only `requestApproval` stores these.
  const act = approval.act as unknown as ApprovedWrite;
  const planned = await planAct(deps, approval.projectId, act);
  const forbidden = explainForbidden(policy, approval, planned);
  if (forbidden !== undefined) return { status: "rejected", reason: forbidden };
  const changed = await listChangedSince(deps, approval, act, planned);
  if (changed !== undefined)
    return { status: "stale", reason: `${changed} Nothing was sent; the agent has to ask again.` };
  const { target, plan } = planned;
  const { connectionId } = target.installation;
  const closedUntil = deps.gates.closedUntil(connectionId);
  if (closedUntil) return { againInMs: Math.max(0, closedUntil.until.getTime() - nowMs()) };
  const asked = {
    id: approval.operationId ?? "",
    requestId: approval.requestId ?? "",
    actor: approval.actor,
  };
  const change = toChange(approval, act);
  const marked = await markSent(deps, { approval, change, policy }, createOperation(target, plan, asked));
  if (marked !== "sent") return marked;
  try {
    const hidden = listHidden(planned, policy);
    const mayName = (field: string) => !isHidden(hidden, field);
    await writeNow(deps, { ...asked, firstId: asked.id, isBegun: true, mayName }, target, plan);
    return { status: "executed" };
  } catch (error) {
    // After the provider was called, no error of the database is thrown.
    return isDatabaseAway(error) ? takeBackMark(deps, approval) : toOutcome(error);
  }
}

/** The act was sent, or its operation says why not. */
function toOutcome(error: unknown): Outcome {
  if (!(error instanceof Problem))
    return { status: "failed", reason: "Busbar failed. Its operation says what is known." };
  const { detail, extensions } = error.options;
  const isUnknown = MAY_HAVE_HAPPENED.has(error.slug) && extensions?.["operationId"] !== undefined;
  return isUnknown ? { status: "executed", reason: detail } : { status: "failed", reason: detail };
}

/**
 * Counts the act and marks it as sent, then begins its operation and keeps what it changes. If the sides are two databases, these
 * are two commits: an act that is marked and has no operation was not sent, and ends as failed (`recoverApprovals`).
 */
async function markSent(
  deps: CarryOutServices,
  {
    approval,
    change,
    policy,
  }: { approval: ApprovalRow; change?: AgentChange | undefined; policy: AgentPolicy },
  operation: NewOperation,
): Promise<Outcome | "sent"> {
  const { id, projectId, groupRef, operationId } = approval;
  const counted = { id: operationId ?? "", projectId, groupRef: groupRef ?? "" };
  const workerId = deps.workerId();
  const lost = new Error("another process has the act");
  try {
    const usedUp = await transactInTurn(
      deps.database,
      async (queries) => {
        const over = await countAgainstBudgets(queries, deps, policy, counted);
        if (!over && !(await markApprovalSent(queries, { id, workerId }))) throw lost;
        return over;
      },
      async (queries, over) => {
        if (over) return over;
        await insertOperations(queries, [{ ...operation, claimedBy: workerId }]);
        if (change) await insertAgentChange(queries, change);
        return undefined;
      },
    );
    // The builder may raise the budget before it frees up.
    return usedUp ? { againInMs: Math.min(usedUp.freeInMs, deps.minuteMs) } : "sent";
  } catch (error) {
    if (error === lost) return "lost";
    if (mayBeCommitted(error)) return takeBackMark(deps, approval);
    throw error;
  }
}

const UNSENT =
  "Not sent: the connection to the database broke before the act could begin. It is tried again.";

/**
 * Makes an act due again that may be marked as sent although it was not, because the database went away. Its operation ends, and the
 * next attempt has another one.
 */
async function takeBackMark(deps: CarryOutServices, { id, operationId }: ApprovalRow): Promise<Outcome> {
  const begun = operationId ?? "";
  const own = { id, workerId: deps.workerId(), operationId: newId() };
  const isOwn = await retryWhileDatabaseIsDown(() =>
    transactControl(deps.database, async (queries) => {
      // Waits for a commit that is still under way, whose count is seen by the next statement.
      const isOwnClaim = await unmarkApprovalSent(queries, own);
      await uncountAgentAct(queries, begun);
      return isOwnClaim;
    }),
  );
  await deps.ledger.endLater({
    id: begun,
    status: "failure",
    result: UNSENT,
    metadata: {},
    log: [{ severity: "ERROR", msg: UNSENT }],
  });
  return isOwn ? { againInMs: 0 } : "lost";
}

/** Returns what is kept for undoing it; undefined for a deletion, and where the values before are not known. */
function toChange(
  { operationId, projectId, groupRef, integration, recordId, before, after }: ApprovalRow,
  { request, objectName }: ApprovedWrite,
): AgentChange | undefined {
  if (operationId === null || groupRef === null || integration === null || after === null) return undefined;
  const of = { operationId, projectId, groupRef, integration, objectName, after };
  if (request.type === "create") return { ...of, type: "create", recordId: null, before: null };
  return recordId === null || before === null ? undefined : { ...of, type: "update", recordId, before };
}

/** Returns why the policy as it is now forbids an act. */
function explainForbidden(
  policy: AgentPolicy,
  { tool, integration }: ApprovalRow,
  planned: PlannedAct,
): string | undefined {
  const { settings } = planned.target;
  const object = [settings.objectName, settings.mappedName ?? settings.objectName];
  // Only tools of the policy are stored with a write.
  const asked = {
    tool: tool as AgentTool,
    kind: classifyKind(planned, tool),
    integration: integration ?? undefined,
    object,
  };
  const isDeletion = tool === "undo_operation" && planned.plan.type === "delete";
  const deletion = { ...asked, tool: "delete_record", kind: "delete" } as const;
  if (decide(policy, asked) === "forbid" || (isDeletion && decideByRule(policy, deletion) === "forbid"))
    return FORBIDDEN;
  const hidden = listHidden(planned, policy);
  const { fields, entries = [], givenNames = {} } = planned.record;
  const sent = [
    ...Object.entries(fields),
    ...Object.values(givenNames).map((name) => [name, undefined] as const),
    ...entries.map(({ name, value }) => [name, value] as const),
  ];
  const [shown] =
    sent.find(([name, value]) => isHidden(hidden, name) || containsHidden(hidden, name, value)) ?? [];
  return shown === undefined ? undefined : `The policy for agents hides the field \`${shown}\` since.`;
}

/** Lists the hidden fields of the object under all their names. */
function listHidden({ target }: PlannedAct, policy: AgentPolicy): ReadonlySet<string> {
  const { objectName, mappedName = objectName } = target.settings;
  return listHiddenNames({ installed: target, name: mappedName, objectName }, policy);
}

const classifyKind = ({ plan }: PlannedAct, tool: string): ActKind =>
  plan.type === "delete" && tool !== "undo_operation" ? "delete" : "write";

/** Returns what is not any more as it was shown to whoever decided. */
async function listChangedSince(
  deps: CarryOutServices,
  { recordId, before }: ApprovalRow,
  { connectionId, planHash }: ApprovedWrite,
  planned: PlannedAct,
): Promise<string | undefined> {
  if (planned.target.installation.connectionId !== connectionId) return OTHER_ACCOUNT;
  if (planned.planHash !== planHash)
    return "The integration's mapping or settings have changed what would be sent.";
  const current = await readCurrentRecord(deps, planned);
  if ((current.recordId ?? null) !== recordId) {
    return recordId === null ? "There is a record with this key now." : "The key names another record now.";
  }
  const now = current.before === undefined ? null : (JSON.parse(toStoredJson(current.before)) as JsonObject);
  if (hashCanonical(now) === hashCanonical(before)) return undefined;
  const names = [...new Set([...Object.keys(now ?? {}), ...Object.keys(before ?? {})])];
  const fields = names.filter((name) => hashCanonical(now?.[name]) !== hashCanonical(before?.[name]));
  return `The record has changed since: ${fields.slice(0, 20).join(", ")}.`;
}

/** One write of an agent, planned: shown as a dry run, stored for a decision, or sent once. */
import type { TProperties } from "typebox";
import { ClosedGateError } from "../calls/gates/closed-gate-error.ts";
import { addWorkIds } from "../../ground/current-work.ts";
import { Problem } from "../../ground/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { runInSpan } from "../../ground/span.ts";
import type { AgentTrace } from "../store/agents/agent-operations.ts";
import { KeyTakenError, UsedUpError } from "../operations/begin-acts.ts";
import { findIdempotencyKey, type KeyClaim } from "../store/access/idempotency-keys.ts";
import { findAskedBefore, type ApprovalRow, type ApprovalStatus } from "../store/agents/approvals.ts";
import { dryRun, findStoredAccount } from "../write/dry-run.ts";
import type { WriteTarget } from "../write/find-target.ts";
import type { PlannedRecord, WritePlan } from "../write/plan-write.ts";
import { writeNow } from "../write/write-now.ts";
import type { WriteAnswer } from "../write/write-response.ts";
import type { WriteRequest } from "../write/write-request.ts";
import { describeWriteWork } from "../write/write-span.ts";
import { listHiddenNames, listProviderNames } from "./agent-fields.ts";
import {
  hashCanonical,
  MAY_HAVE_HAPPENED,
  readCurrentRecord,
  listValuesAfter,
  type Current,
} from "./approvals/approved-write.ts";
import { joinBudgets, giveBackBudget, findExceededBudget } from "./policy/budgets.ts";
import type { AgentSession } from "./agent-session.ts";
import type { CustomerCall } from "./customer-call.ts";
import type { CustomerObject } from "./customer-objects.ts";
import { decideOn } from "./policy/require-allowed.ts";
import { isHidden, type ActKind, type AgentTool } from "./policy/policy.ts";
import { digestAct, KEPT_HOURS, requestApproval, SAME_ACT_MINUTES } from "./approvals/request-approval.ts";

/** Arguments of a write tool. */
export interface WriteArguments {
  integration?: string | undefined;
  object: string;
  id?: string;
  key?: string;
  record?: JsonObject;
  dryRun?: boolean;
  idempotencyKey?: string;
}

export interface WriteTool {
  name: AgentTool;
  type: WriteRequest["type"];
  kind: ActKind;
  title: string;
  description: string;
  input: TProperties;
  destructive: boolean;
}

export interface PlannedWrite {
  call: CustomerCall;
  tool: Pick<WriteTool, "name" | "type" | "kind">;
  object: CustomerObject;
  target: WriteTarget;
  plan: WritePlan;
  request: WriteRequest;
  args: Pick<WriteArguments, "idempotencyKey">;
  /** The operation that it undoes. */
  undoes?: string;
}

/** Values that the builder sets by default may be hidden, so they are not shown with hidden fields about. */
export async function previewWrite({ call, object, target, plan }: PlannedWrite): Promise<JsonObject> {
  const shown = dryRun(target, plan, await findStoredAccount(call.deps, target.installation));
  const hidden = listHiddenNames(object, call.policy);
  const [record] = plan.records;
  const fields = record ? pickWrittenFields(object, record, hidden) : {};
  const requests: JsonObject =
    hidden.size === 0 ? { requests: JSON.parse(JSON.stringify(shown.requests)) as Json } : {};
  return {
    status: "dry_run",
    preview: { type: plan.type, ...(record?.id !== undefined && { id: record.id }), fields, ...requests },
    withheld: listWithheld(plan, hidden),
  };
}

/** Returns the values by the builder's names, without hidden fields. */
function pickWrittenFields(
  object: CustomerObject,
  { fields, givenNames = {} }: PlannedRecord,
  hidden: ReadonlySet<string>,
): JsonObject {
  const own = new Map([...listProviderNames(object)].map(([name, providerName]) => [providerName, name]));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]): [string, Json][] => {
      const name = givenNames[field] ?? own.get(field) ?? field;
      return value === undefined || isHidden(hidden, name, field) ? [] : [[name, value]];
    }),
  );
}

const listWithheld = (plan: WritePlan, hidden: ReadonlySet<string>): JsonObject[] =>
  plan.records.flatMap(({ withheld }) =>
    withheld.flatMap(({ field, reason }) => (isHidden(hidden, field) ? [] : [{ field, reason }])),
  );

/**
 * Stores the act for a decision: nothing is sent. The same act gets the same approval; one that was done under an earlier policy, its
 * result.
 */
export async function askForWrite(act: PlannedWrite): Promise<JsonObject> {
  const { call, tool, object, request, args, undoes } = act;
  const { deps, session, policy } = call;
  const done = await findDone(act);
  if (done) return done;
  const sent = undoes === undefined ? args : { operationId: undoes };
  const row = await requestApproval(deps, {
    projectId: session.project.id,
    groupRef: session.groupRef,
    principal: session.principal,
    actor: session.actor,
    policy,
    tool: tool.name,
    arguments: JSON.parse(JSON.stringify(sent)) as JsonObject,
    act: {
      kind: "write",
      integration: object.installed.integration.name,
      object: object.objectName,
      request,
    },
    requestId: session.requestId,
    requestKey: nameAct(act),
  });
  return toAsked(call, row);
}

/** An approval as a tool's result names it. */
export const showAsked = (
  deps: { publicUrl: () => string },
  { project }: Pick<AgentSession, "project">,
  row: ApprovalRow,
): JsonObject => ({
  approvalId: row.id,
  status: row.status,
  approvalUrl: `${deps.publicUrl()}/projects/${project.name}/approvals/${row.id}`,
  expireTime: row.expireTime.toISOString(),
});

/** Returns what is known of an act that needs, or needed, a decision. */
export function toAsked({ deps, session }: CustomerCall, row: ApprovalRow): JsonObject {
  const approval = showAsked(deps, session, row);
  const isOpen = row.status === "pending" || row.status === "approved";
  return {
    status: "approval_required",
    ...(row.sent && row.operationId !== null && { operationId: row.operationId }),
    approval,
    ...(isOpen ? {} : { repeated: true }),
    note: isOpen
      ? WAITS
      : `This act was asked for before: its approval is \`${row.status}\`. Nothing was sent for this call. ${ANOTHER}`,
  };
}

const WAITS =
  "Nothing has been sent for this call. A person decides outside of this conversation; get_approval tells what became of it. Do not try another way.";

/** Names an act among those of the customer, by the agent's key, or else by who asks for what. */
function nameAct({ call, tool, object, request, args, undoes }: PlannedWrite): {
  key: string;
  keptMs: number;
} {
  const { groupRef, principal } = call.session;
  const { minuteMs } = call.deps;
  const sent = [tool.name, object.installed.installation.id, object.objectName, request, undoes];
  const named =
    args.idempotencyKey === undefined ? [principal.kind, principal.id, sent] : [args.idempotencyKey];
  const minutes = args.idempotencyKey === undefined ? SAME_ACT_MINUTES : KEPT_HOURS * 60;
  return { key: digestAct([groupRef, ...named]), keptMs: minutes * minuteMs };
}

/** Returns what became of the act if it was sent before; sends nothing. */
async function findDone(act: PlannedWrite): Promise<JsonObject | undefined> {
  const { deps, session } = act.call;
  const { key } = nameAct(act);
  if (!(await findIdempotencyKey(deps.database.control, { projectId: session.project.id, key })))
    return undefined;
  const notDone = new Problem("forbidden", { detail: "The act was not sent, and needs a decision." });
  try {
    return await sendOnce(act, async () => {
      throw notDone;
    });
  } catch (error) {
    if (error === notDone) return undefined;
    throw error;
  }
}

/** Sends a write once: the same act again gets the first result, or the approval that it waits for. */
export async function writeOnce(act: PlannedWrite): Promise<JsonObject> {
  const { call, object, target, plan } = act;
  const { deps, session, policy } = call;
  const { project, groupRef, requestId, actor } = session;
  const { key, keptMs } = nameAct(act);
  const asked = session.scope.hasAsked
    ? await findAskedBefore(deps.database.control, {
        projectId: project.id,
        groupRef,
        requestKey: key,
        keptMs,
      })
    : undefined;
  if (asked && MAY_HAPPEN.has(asked.status)) return toAsked(call, asked);
  const send: Send = async (id, firstId, claim) => {
    addWorkIds({ operationId: id });
    const agent = { groupRef, budgets: joinBudgets(deps, policy), claim, change: await readChange(act) };
    const hidden = listHiddenNames(object, policy);
    const mayName = (field: string) => !isHidden(hidden, field);
    return runInSpan(describeWriteWork(target, plan, { id, isQueued: false }), () =>
      writeNow(deps, { id, firstId, requestId, actor, key, agent, mayName }, target, plan),
    ).catch(async (error: unknown) => {
      if (error instanceof UsedUpError) throw findExceededBudget(policy, error.usedUp, deps.minuteMs);
      if (wasNotSent(error)) await giveBackBudget(deps, { id });
      throw error;
    });
  };
  return sendOnce(act, send, { claimsWithBegin: true });
}

type Send = (id: string, firstId: string, claim?: KeyClaim) => Promise<WriteAnswer>;

/** Calls `send` unless the same act was sent before, and returns its result, or the first one's. */
async function sendOnce(
  act: PlannedWrite,
  send: Send,
  { claimsWithBegin = false } = {},
): Promise<JsonObject> {
  const { call, tool, object, target, plan, request, args } = act;
  const { deps, session } = call;
  const { key, keptMs } = nameAct(act);
  let isFirst = false;
  const run: Send = (id, firstId, claim) => {
    isFirst = true;
    return send(id, firstId, claim).catch((error: unknown) => {
      if (error instanceof KeyTakenError) isFirst = false;
      throw error;
    });
  };
  const keyed = {
    projectId: session.project.id,
    key,
    // A model that repeats its call may write the members in another order.
    request: hashCanonical([tool.name, object.installed.installation.id, object.objectName, request]),
    mode: "now" as const,
    storesAnswer: true,
    claimsWithBegin,
    repeatableMs: target.connector.write.repeatableMs?.(plan),
    ...(args.idempotencyKey === undefined && { keptMs, forgets: explainNothingWritten }),
  };
  try {
    const answer = await deps.idempotency.once(keyed, run);
    return { ...toSuccess(act, answer), ...(isFirst ? {} : REPEATED) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const operationId = error.options.extensions?.["operationId"];
    if (explainNothingWritten(error) || typeof operationId !== "string") throw error;
    return {
      status: "unknown",
      operationId,
      note: `${error.message} ${LOOK_UP}`,
      ...(isFirst ? {} : { repeated: true }),
    };
  }
}

/**
 * Returns what a write changes, so that it can be undone; undefined where the policy forbids undoing it, or that cannot be read: the
 * write is done all the same.
 */
async function readChange({
  call: { deps, policy },
  object,
  target,
  plan,
}: PlannedWrite): Promise<AgentTrace["change"]> {
  const [record] = plan.records;
  if (!record || plan.type === "delete") return undefined;
  if (decideOn(policy, { tool: "undo_operation", kind: "write" }, object) === "forbid") return undefined;
  const isCreate = plan.type === "create";
  const current: Current = isCreate
    ? {}
    : await readCurrentRecord(deps, { target, plan }).catch((error: unknown) => {
        if (error instanceof Problem) return {};
        throw error;
      });
  const { recordId = null, before = null } = current;
  const after = listValuesAfter({ target, plan });
  if (!after || (!isCreate && (recordId === null || before === null))) return undefined;
  const { objectName } = object;
  const integration = object.installed.integration.name;
  return { type: isCreate ? "create" : "update", integration, objectName, recordId, before, after };
}

/** An act that waits, or was done, under an earlier policy is not done again beside its approval. */
const MAY_HAPPEN: ReadonlySet<ApprovalStatus> = new Set(["pending", "approved", "executed", "failed"]);

/** Returns whether the provider was not called: the gate was closed, or the connection cannot be used. */
const wasNotSent = (error: unknown): boolean =>
  error instanceof Problem && error.options.cause instanceof ClosedGateError;

const LOOK_UP =
  "Find out with search_records or get_record whether it happened, before you repeat it. get_operation shows what was sent.";

const ANOTHER = "For another one like it give an `idempotencyKey`.";

const REPEATED = {
  repeated: true,
  note: `The same act was done before; this is its result, and nothing was sent again. ${ANOTHER}`,
};

const explainNothingWritten = ({ slug, retryable }: Problem): boolean =>
  !MAY_HAVE_HAPPENED.has(slug) || (slug === "provider-timeout" && retryable);

function toSuccess({ call, object, plan }: PlannedWrite, answer: JsonObject | object): JsonObject {
  const { operationId, result } = JSON.parse(JSON.stringify(answer)) as {
    operationId: string;
    result?: Json;
  };
  const outcome = isJsonObject(result) ? result : {};
  const [record] = plan.records;
  const recordId = typeof outcome["recordId"] === "string" ? outcome["recordId"] : record?.id;
  const hidden = listHiddenNames(object, call.policy);
  const withheld = listWithheld(plan, hidden);
  const fields = record && plan.type !== "delete" ? pickWrittenFields(object, record, hidden) : undefined;
  return {
    status: "success",
    operationId,
    ...(recordId !== undefined && { recordId }),
    ...(fields && { record: { ...(recordId !== undefined && { id: recordId }), fields } }),
    ...(withheld.length > 0 && { withheld }),
  };
}

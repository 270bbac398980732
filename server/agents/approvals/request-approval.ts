/**
 * Acts of agents that somebody else decides on. An approval is in one of these states:
 *
 *     pending    nobody has decided yet
 *     expired    nobody has decided in time; final
 *     rejected   decided against, or the policy forbids the act since; final
 *     approved   decided for: a worker carries it out, as soon as agents are not paused and a budget has room
 *     stale      when it was to be carried out, the record was not as it was shown any more; nothing was sent; final
 *     executed   carried out; the operation says with what outcome; final
 *     failed     it could not be carried out, or a process ended while it was; the operation says what is known; final
 */
import { formatTraceparent } from "../../../ground/span.ts";
import { Problem } from "../../../ground/errors.ts";
import { newId, readTimeOfId } from "../../../ground/ids.ts";
import type { JsonObject } from "../../../ground/json.ts";
import { toCallActor } from "../../access/actor.ts";
import { buildApprovalDecided, buildApprovalRequested } from "../../events/new-events.ts";
import type { Approval } from "../../events/approval-schema.ts";
import { queueEvent } from "../../events/record-event.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { NewWork } from "../../jobs/new-work.ts";
import { findApiKey } from "../../store/access/api-keys.ts";
import {
  countPending,
  storeDecision,
  findApproval,
  findAskedBefore,
  findIssuerName,
  insertApproval,
  listKeyMakers,
  lockAskedAct,
  type ApprovalRow,
  type NewApproval,
} from "../../store/agents/approvals.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import type { Actor } from "../../store/operations/operations.ts";
import { toStoredJson } from "../../store/database/stored-json.ts";
import {
  readCurrentRecord,
  hashCanonical,
  listValuesAfter,
  planAct,
  type ApprovedWrite,
  type AskedWrite,
  type ApprovedWriteServices,
} from "./approved-write.ts";
import type { AgentPolicy } from "../policy/policy.ts";

/** The owner of the credential. */
export interface Asker {
  kind: "key" | "person" | "customer" | "issuer";
  /** Same as `Actor.id`. */
  id: string;
}

/** What is asked for, whatever it is. */
interface RequestedAct {
  projectId: string;
  /** Null for an act on the project itself. */
  groupRef: string | null;
  principal: Asker;
  actor: Actor;
  policy: AgentPolicy;
  tool: string;
  /** Arguments as the agent sent them. */
  arguments: JsonObject;
  requestId: string;
  /** Names the act: the same key gives the same approval for `keptMs`. */
  requestKey?: { key: string; keptMs: number } | undefined;
}

interface AskedApproval extends RequestedAct {
  groupRef: string;
  act: AskedWrite;
}

type ApprovalServices = ApprovedWriteServices & { minuteMs: number };

/** An equal call of the same principal within this time is the same act. */
export const SAME_ACT_MINUTES = 10;

/** How long an agent's own key names an act. */
export const KEPT_HOURS = 24;

/** Returns the key that identifies an act of the customer, or of the project. The order of members does not matter. */
export const digestAct = (named: readonly unknown[]): string => `agent:${hashCanonical(named)}`;

/** More would hide what matters from whoever decides. */
const MAX_PENDING = 500;

/**
 * Stores an act that needs a decision, and reports it to the topics. Nothing of it can be changed afterwards. Throws a Problem where
 * the act could not be carried out anyway, and for a key that was used for something else.
 */
export const requestApproval = async (deps: ApprovalServices, asked: AskedApproval): Promise<ApprovalRow> =>
  storeApproval(deps, asked, await describeAct(deps, asked));

/** The same for an act that is described already. */
export async function storeApproval(
  deps: Pick<ApprovalServices, "database" | "minuteMs">,
  asked: RequestedAct,
  described: ActColumns,
): Promise<ApprovalRow> {
  const row = { ...described, ...(await buildCommon(deps, asked)) };
  return transactControl(deps.database, async (queries) => {
    const { projectId, groupRef, requestKey } = asked;
    if (requestKey) {
      const of = { projectId, groupRef, requestKey: requestKey.key, keptMs: requestKey.keptMs };
      await lockAskedAct(queries, of);
      const before = await findAskedBefore(queries, of);
      if (before) return requireSame(before, row);
    }
    if ((await countPending(queries, projectId, groupRef)) >= MAX_PENDING) throw refuseTooManyPending();
    const stored = await insertApproval(queries, row);
    if (!stored)
      throw new Problem("not-found", { detail: `The customer \`${groupRef ?? ""}\` was deleted meanwhile.` });
    await queueEvent(queries, buildApprovalRequested(projectId, toApproval(stored)));
    return stored;
  });
}

/** Throws a Problem if the key was used for another act. An id and a name of the same integration make no difference. */
function requireSame(before: ApprovalRow, { tool, act }: NewApproval): ApprovalRow {
  const asked = ({ integration, objectName, request }: JsonObject) =>
    hashCanonical([integration, objectName, request]);
  if (before.tool === tool && asked(before.act) === asked(act)) return before;
  throw new Problem("idempotency-key-reused", {
    detail: `This key was used for another act, whose approval is ${before.id}. Use a new key for each act.`,
  });
}

const refuseTooManyPending = (): Problem =>
  new Problem("too-many-requests", {
    detail: `${MAX_PENDING} acts of agents wait for a decision already. Nothing was stored; ask again when some are decided.`,
  });

async function buildCommon(
  { database, minuteMs }: Pick<ApprovalServices, "database" | "minuteMs">,
  asked: RequestedAct,
) {
  const { projectId, groupRef, tool, actor, requestId, policy } = asked;
  // Parsed as it will be read back, because the hash is that of the stored text.
  const sent = JSON.parse(toStoredJson(asked.arguments)) as JsonObject;
  return {
    id: newId(),
    projectId,
    groupRef,
    tool,
    arguments: sent,
    argumentsHash: hashCanonical(sent),
    actor,
    askers: await listAskers(database.control, projectId, asked.principal),
    requestId,
    requestKey: asked.requestKey?.key ?? null,
    expireMs: policy.approvalMinutes * minuteMs,
    traceparent: formatTraceparent() ?? null,
  };
}

type ActColumns = Pick<
  NewApproval,
  "integration" | "installationId" | "objectName" | "recordId" | "act" | "before" | "after"
>;

async function describeAct(deps: ApprovalServices, asked: AskedApproval): Promise<ActColumns> {
  const { act, projectId } = asked;
  const planned = await planAct(deps, projectId, act);
  const { integration, installation, settings } = planned.target;
  const { recordId, before } = await readCurrentRecord(deps, planned);
  const stored: ApprovedWrite = {
    ...act,
    integration: integration.name,
    objectName: settings.objectName,
    connectionId: installation.connectionId,
    planHash: planned.planHash,
  };
  return {
    integration: integration.name,
    installationId: installation.id,
    objectName: settings.mappedName ?? settings.objectName,
    recordId: recordId ?? null,
    act: toJson(stored),
    before: before ?? null,
    after: listValuesAfter(planned) ?? null,
  };
}

/** Members that are undefined are left out. */
const toJson = (act: object): JsonObject => JSON.parse(JSON.stringify(act)) as JsonObject;

const getName = ({ kind, id }: Asker): string => `${kind}:${id}`;

/** Who asked: the principal first; for a key also the person who made it, and whom it signs in. */
async function listAskers(queries: ControlQueries, projectId: string, principal: Asker): Promise<string[]> {
  const names = [getName(principal)];
  if (principal.kind !== "key") return names;
  const key = await findApiKey(queries, projectId, principal.id);
  if (key?.createdBy?.startsWith("builder:")) names.push(key.createdBy.replace("builder:", "person:"));
  if (key?.builderId) names.push(`person:${key.builderId}`);
  return [...new Set(names)];
}

export interface DecideServices {
  database: Database;
  newApprovals: NewWork;
}

/** Decides, once. Throws Problems: 403 for who may not decide, 404, 409 for a second decision or one that comes too late. */
export async function decideApproval(
  deps: DecideServices,
  {
    caller,
    projectId,
    id,
    decision,
    reason,
  }: {
    caller: Caller;
    projectId: string;
    id: string;
    decision: "approve" | "reject";
    reason?: string | undefined;
  },
): Promise<ApprovalRow> {
  const decidedBy = toCallActor(caller);
  if (!decidedBy)
    throw new Problem("forbidden", { detail: "Nobody in particular cannot decide. Send a credential." });
  const row = await transactControl(deps.database, async (queries) => {
    const asked = await getApproval(queries, projectId, id);
    await requireAnother(queries, asked, caller);
    const status = decision === "approve" ? "approved" : "rejected";
    const operationId = decision === "approve" ? newId() : null;
    const decided = { projectId, id, status, decidedBy, reason: reason ?? null, operationId } as const;
    if (asked.status !== "pending" || !(await storeDecision(queries, decided))) {
      throw refuseDecided(await getApproval(queries, projectId, id));
    }
    const after = await getApproval(queries, projectId, id);
    await queueEvent(queries, buildApprovalDecided(projectId, toApproval(after)));
    return after;
  });
  deps.newApprovals.announce();
  return row;
}

/** Throws a 404 Problem. */
export async function getApproval(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<ApprovalRow> {
  const row = await findApproval(queries, projectId, id);
  if (row) return row;
  throw refuseUnknownApproval(id);
}

export const refuseUnknownApproval = (id: string): Problem =>
  new Problem("not-found", { detail: `There is no approval \`${id}\` in this project.` });

/** For those who must not learn which fields have changed. */
export const STALE =
  "The record, the connected account or the settings are not as they were when you asked. Nothing was sent. Read the record again, and ask again if it is still right.";

const refuseDecided = ({ status, decideTime }: ApprovalRow): Problem =>
  new Problem("conflict", {
    detail:
      status === "expired"
        ? "The approval has expired. The agent has to ask again."
        : `The approval was decided already${decideTime ? `, at ${decideTime.toISOString()}` : ""}: it is \`${status}\`.`,
  });

/** Throws a 403 Problem if a caller is who asked, or a key that who asked has made. */
async function requireAnother(
  queries: ControlQueries,
  { askers, projectId }: ApprovalRow,
  caller: Caller,
): Promise<void> {
  const { builderId, apiKeyId, groupRef, consumerRef } = caller;
  const names: string[] = [];
  if (builderId !== undefined) {
    const known = await findIssuerName(queries, builderId);
    names.push(`person:${builderId}`, ...(known === undefined ? [] : [`issuer:${known}`]));
  } else if (apiKeyId !== undefined) names.push(`key:${apiKeyId}`);
  else if (groupRef !== undefined) names.push(`customer:${consumerRef ?? groupRef}`);
  const [asker = ""] = askers;
  const makers = apiKeyId === undefined ? [] : await listKeyMakers(queries, projectId, apiKeyId);
  if (!names.some((name) => askers.includes(name)) && !makers.includes(asker)) return;
  throw new Problem("forbidden", {
    detail:
      "An approval is never decided by who asked for it, by the person who made the key that asked, or by a key that who asked has " +
      "made. Let another editor or owner decide, or another key with the scope `full`.",
  });
}

/** Returns an approval as the API and events show it. */
export const toApproval = (row: ApprovalRow): Approval => ({
  id: row.id,
  status: row.status,
  tool: row.tool,
  ...omitNull("groupRef", row.groupRef),
  ...omitNull("integration", row.integration),
  ...omitNull("object", row.objectName),
  ...omitNull("recordId", row.recordId),
  arguments: row.arguments,
  argumentsHash: row.argumentsHash,
  ...omitNull("before", row.before),
  ...omitNull("after", row.after),
  actor: row.actor,
  createTime: readTimeOfId(row.id).toISOString(),
  expireTime: row.expireTime.toISOString(),
  ...omitNull("decideTime", row.decideTime?.toISOString() ?? null),
  ...omitNull("decidedBy", row.decidedBy),
  ...omitNull("reason", row.reason),
  ...omitNull("operationId", row.sent ? row.operationId : null),
});

const omitNull = <Name extends string, Value>(name: Name, value: Value | null): { [Key in Name]?: Value } =>
  value === null ? {} : ({ [name]: value } as { [Key in Name]?: Value });

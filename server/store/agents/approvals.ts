/** Approvals: acts of agents that wait for a decision, and their results. `agents/request-approval.ts` describes the states. */
import { sql, type RawBuilder } from "kysely";
import { isUuid } from "../../../ground/ids.ts";
import type { Json, JsonObject } from "../../../ground/json.ts";
import type { ControlQueries } from "../database/sides.ts";
import { limitToIdRange, type IdRange } from "../database/id-range.ts";
import type { Actor } from "../operations/operations.ts";
import { toStoredJson } from "../database/stored-json.ts";

export type ApprovalStatus =
  | "pending"
  | "approved"
  | "rejected"
  | "expired"
  | "executed"
  | "stale"
  | "failed";

export interface ApprovalRow {
  id: string;
  projectId: string;
  status: ApprovalStatus;
  tool: string;
  /** Null for an act on the project itself. */
  groupRef: string | null;
  integration: string | null;
  installationId: string | null;
  objectName: string | null;
  recordId: string | null;
  arguments: JsonObject;
  argumentsHash: string;
  act: JsonObject;
  before: JsonObject | null;
  after: JsonObject | null;
  actor: Actor;
  askers: string[];
  expireTime: Date;
  decideTime: Date | null;
  decidedBy: Actor | null;
  reason: string | null;
  operationId: string | null;
  /** Whether its operation was started. */
  sent: boolean;
  requestId: string | null;
  traceparent: string | null;
}

/** Columns of an approval. A pending one whose time is over counts as expired, even before the sweep reaches it. */
const COLUMNS = sql`approvals.id, approvals.project_id,
  case when approvals.status = 'pending' and approvals.expire_time <= now() then 'expired' else approvals.status end as status,
  tool, group_ref, integration, installation_id, object_name, record_id, arguments, arguments_hash, act, before, after, actor,
  askers, expire_time, decide_time, decided_by, reason, operation_id, sent, request_id, traceparent`;

const FROM = sql`approvals left join groups on groups.id = approvals.group_id`;

export type NewApproval = Pick<
  ApprovalRow,
  | "id"
  | "projectId"
  | "tool"
  | "integration"
  | "installationId"
  | "objectName"
  | "recordId"
  | "arguments"
  | "argumentsHash"
> &
  Pick<ApprovalRow, "act" | "before" | "after" | "actor" | "askers" | "requestId"> & {
    groupRef: string | null;
    /** Milliseconds from now. */
    expireMs: number;
    requestKey: string | null;
    traceparent: string | null;
  };

/** Inserts an approval. Returns undefined if the customer was deleted meanwhile. */
export async function insertApproval(
  queries: ControlQueries,
  row: NewApproval,
): Promise<ApprovalRow | undefined> {
  const json = (value: Json | Actor | null) => (value === null ? null : toStoredJson(value));
  await sql`
    insert into approvals (id, project_id, group_id, status, tool, integration, installation_id, object_name, record_id, arguments,
      arguments_hash, act, before, after, actor, askers, request_key, request_id, expire_time, traceparent)
    select ${row.id}, ${row.projectId}, groups.id, 'pending', ${row.tool}, ${row.integration}, ${row.installationId}::uuid,
      ${row.objectName}, ${row.recordId}, ${json(row.arguments)}::jsonb, ${row.argumentsHash}, ${json(row.act)}::jsonb,
      ${json(row.before)}::jsonb, ${json(row.after)}::jsonb, ${json(row.actor)}::jsonb, ${row.askers}::text[], ${row.requestKey},
      ${row.requestId}, now() + ${row.expireMs} * interval '1 millisecond', ${row.traceparent}
    from (select) as one left join groups on groups.project_id = ${row.projectId} and group_ref = ${row.groupRef}
    where groups.id is not null or ${row.groupRef}::text is null
  `.execute(queries);
  return findApproval(queries, row.projectId, row.id);
}

export async function findApproval(
  queries: ControlQueries,
  projectId: string,
  id: string,
): Promise<ApprovalRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<ApprovalRow>`
    select ${COLUMNS} from ${FROM} where approvals.project_id = ${projectId} and approvals.id = ${id}
  `.execute(queries);
  return rows[0];
}

/** Identifies an act of a customer's agents, as long as its key is kept. */
interface AskedAct {
  projectId: string;
  /** Null for an act on the project itself. */
  groupRef: string | null;
  requestKey: string;
  keptMs: number;
}

/** Serializes equal calls until the transaction ends. */
export async function lockAskedAct(
  queries: ControlQueries,
  { projectId, groupRef, requestKey }: Omit<AskedAct, "keptMs">,
): Promise<void> {
  const lock = JSON.stringify(["approval", projectId, groupRef, requestKey]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(queries);
}

/** Finds the approval that an earlier call with this key created within the last `keptMs`. */
export async function findAskedBefore(
  queries: ControlQueries,
  { projectId, groupRef, requestKey, keptMs }: AskedAct,
): Promise<ApprovalRow | undefined> {
  const { rows } = await sql<ApprovalRow>`
    select ${COLUMNS} from ${FROM}
    where approvals.project_id = ${projectId} and request_key = ${requestKey}
      and group_ref is not distinct from ${groupRef}
      and approvals.create_time > now() - ${keptMs} * interval '1 millisecond'
    order by approvals.id desc limit 1
  `.execute(queries);
  return rows[0];
}

/** Counts the pending approvals of a customer, or of the project itself. */
export async function countPending(
  queries: ControlQueries,
  projectId: string,
  groupRef: string | null,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ${FROM}
    where approvals.project_id = ${projectId} and status = 'pending' and expire_time > now()
      and group_ref is not distinct from ${groupRef}
  `.execute(queries);
  return rows[0]?.count ?? 0;
}

interface ApprovalFilter {
  projectId: string;
  status?: ApprovalStatus;
  groupRef?: string;
  object?: string;
}

/** Lists approvals, newest first. */
export async function listApprovals(
  queries: ControlQueries,
  { projectId, status, groupRef, object }: ApprovalFilter,
  range: IdRange,
): Promise<ApprovalRow[]> {
  const conditions: RawBuilder<unknown>[] = [
    sql`approvals.project_id = ${projectId}`,
    limitToIdRange("approvals.id", range),
  ];
  if (groupRef !== undefined) conditions.push(sql`group_ref = ${groupRef}`);
  if (object !== undefined)
    conditions.push(sql`lower(${object}) in (lower(object_name), lower(act->>'objectName'))`);
  if (status === "expired") {
    conditions.push(sql`(status = 'expired' or (status = 'pending' and expire_time <= now()))`);
  } else if (status !== undefined) {
    conditions.push(sql`status = ${status}`);
    if (status === "pending") conditions.push(sql`expire_time > now()`);
  }
  const { rows } = await sql<ApprovalRow>`
    select ${COLUMNS} from ${FROM} where ${sql.join(conditions, sql` and `)}
    order by approvals.id desc limit ${range.limit}
  `.execute(queries);
  return rows;
}

/** Stores the decision; returns false if the approval was decided or has expired meanwhile. */
export async function storeDecision(
  queries: ControlQueries,
  {
    projectId,
    id,
    ...decided
  }: {
    projectId: string;
    id: string;
    status: "approved" | "rejected";
    decidedBy: Actor;
    reason: string | null;
    /** Set for an approved act. */
    operationId: string | null;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("approvals")
    .set({
      ...decided,
      decidedBy: toStoredJson(decided.decidedBy),
      decideTime: sql`now()`,
      dueTime: decided.status === "approved" ? sql<Date>`now()` : null,
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("status", "=", "pending")
    .where("expireTime", ">", sql<Date>`now()`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Lists who created a key: its creator, that creator's creator and so on, and the people whom these keys sign in. */
export async function listKeyMakers(
  queries: ControlQueries,
  projectId: string,
  apiKeyId: string,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with recursive makers as (
      select id, created_by, builder_id, 1 as depth from api_keys where project_id = ${projectId} and id = ${apiKeyId}
      union all
      select api_keys.id, api_keys.created_by, api_keys.builder_id, depth + 1
      from makers join api_keys on makers.created_by = 'apiKey:' || api_keys.id
      where depth < 20
    )
    select replace(created_by, 'apiKey:', 'key:') as name from makers where created_by like 'apiKey:%'
    union select replace(created_by, 'builder:', 'person:') from makers where created_by like 'builder:%'
    union select 'person:' || builder_id from makers where builder_id is not null
  `.execute(queries);
  return rows.map(({ name }) => name);
}

/** Returns the name by which an issuer knows a person. */
export async function findIssuerName(
  queries: ControlQueries,
  builderId: string,
): Promise<string | undefined> {
  const row = await queries
    .selectFrom("builders")
    .select(["idpProvider", "idpRef"])
    .where("id", "=", builderId)
    .executeTakeFirst();
  return row && `${row.idpProvider} ${row.idpRef}`;
}

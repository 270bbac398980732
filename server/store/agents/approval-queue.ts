/** Queue of approved acts for the worker: claim, mark as sent, end, recover. */
import { sql } from "kysely";
import { countAffectedRows, type Database } from "../database/database.ts";
import type { ControlQueries } from "../database/sides.ts";
import { askPresent } from "../shards/ask-shards.ts";
import { toStoredJson } from "../database/stored-json.ts";
import type { ApprovalStatus } from "./approvals.ts";
import { removeRows } from "../database/remove-rows.ts";

export interface ClaimedApproval {
  id: string;
  projectId: string;
  operationId: string;
  traceparent: string | null;
  /** Null for an act that is for no customer. */
  groupRef: string | null;
}

/** Claims up to `limit` approved acts that are due. */
export async function claimApprovals(
  queries: ControlQueries,
  workerId: number,
  limit: number,
): Promise<ClaimedApproval[]> {
  const { rows } = await sql<ClaimedApproval>`
    update approvals set claimed_by = ${workerId} where id in (
      select id from approvals where status = 'approved' and claimed_by is null and due_time <= now()
      order by due_time limit ${limit} for update skip locked)
    returning id, project_id, operation_id, traceparent,
      (select group_ref from groups where groups.id = approvals.group_id) as group_ref
  `.execute(queries);
  return rows;
}

/** Returns the milliseconds until an approved act is due; undefined when none is. */
export async function findNextApprovalDueMs(queries: ControlQueries): Promise<number | undefined> {
  const { rows } = await sql<{ dueInMs: number | null }>`
    select extract(epoch from min(due_time) - now())::double precision * 1000 as due_in_ms
    from approvals where status = 'approved' and claimed_by is null
  `.execute(queries);
  const dueInMs = rows[0]?.dueInMs ?? undefined;
  return dueInMs === undefined ? undefined : Math.max(0, dueInMs);
}

/** Releases a claimed act, which is due again after `delayMs`. */
export async function postponeApproval(
  queries: ControlQueries,
  { id, workerId, delayMs }: { id: string; workerId: number; delayMs: number },
): Promise<void> {
  await sql`
    update approvals set claimed_by = null, due_time = now() + ${delayMs} * interval '1 millisecond'
    where id = ${id} and claimed_by = ${workerId} and status = 'approved' and not sent
  `.execute(queries);
}

/**
 * Takes back that an act was marked as sent, because it was not: it gets another operation. Returns false if this process has lost
 * its claim. Waits for a transaction that has marked it and whose answer was lost.
 */
export async function unmarkApprovalSent(
  queries: ControlQueries,
  { id, workerId, operationId }: { id: string; workerId: number; operationId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("approvals")
    .set({ sent: false, operationId })
    .where("id", "=", id)
    .where("claimedBy", "=", workerId)
    .where("status", "=", "approved")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Marks an act as about to be sent. Returns false if this process has lost its claim, or if the act was marked before: then it
 * must not be sent. It must not be sent without its operation either, which is inserted next.
 */
export async function markApprovalSent(
  queries: ControlQueries,
  { id, workerId }: { id: string; workerId: number },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("approvals")
    .set({ sent: true })
    .where("id", "=", id)
    .where("claimedBy", "=", workerId)
    .where("status", "=", "approved")
    .where("sent", "=", false)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Ends a claimed act. Does nothing if it has ended already, or if this process has lost its claim. */
export async function endApproval(
  queries: ControlQueries,
  {
    id,
    workerId,
    status,
    reason,
  }: { id: string; workerId: number; status: ApprovalStatus; reason?: string | undefined },
): Promise<void> {
  await queries
    .updateTable("approvals")
    .set({ status, claimedBy: null, dueTime: null, ...(reason !== undefined && { reason }) })
    .where("id", "=", id)
    .where("claimedBy", "=", workerId)
    .where("status", "=", "approved")
    .execute();
}

/** Marks approvals as expired that nobody has decided in time; returns their number. */
export async function expireApprovals(queries: ControlQueries, max: number): Promise<number> {
  const result = await sql`
    update approvals set status = 'expired' where id in (
      select id from approvals where status = 'pending' and expire_time <= now() limit ${max} for update skip locked)
  `.execute(queries);
  return countAffectedRows(result);
}

const NEVER_BEGUN =
  "There is no operation: Busbar stopped before it began to send the act, or the operation was removed since. Look at the record " +
  "before you ask again.";

/**
 * Recovers the acts that a process had claimed, except for `held`. Acts that were not sent are due again. Acts that may have
 * been sent end when their operation has ended: as executed if it succeeded, otherwise as failed. They also end as failed if
 * there is no operation: it was never begun, because its commit is the second one, or retention has removed it. So they are not
 * sent again. An ended operation does not change any more, so the order of the statements does not matter.
 */
export async function recoverApprovals(
  { control, shards }: Pick<Database, "control" | "shards">,
  deadProcess: number,
  held: string[] = [],
): Promise<void> {
  await sql`
    update approvals set claimed_by = null
    where claimed_by = ${deadProcess} and status = 'approved' and not sent and id <> all(${held}::uuid[])
  `.execute(control);
  const { rows: sent } = await sql<{ operationId: string }>`
    select operation_id from approvals
    where claimed_by = ${deadProcess} and status = 'approved' and sent and id <> all(${held}::uuid[])
  `.execute(control);
  if (sent.length === 0) return;
  const ids = sent.map(({ operationId }) => operationId);
  const { answers, unavailable } = await askPresent({ shards }, (data) =>
    data.selectFrom("operations").select(["id", "status", "result"]).where("id", "in", ids).execute(),
  );
  const operations = answers.flat();
  const known = new Set(operations.map(({ id }) => id));
  // The operations of a shard that is away are not missing.
  const missing = (unavailable.length > 0 ? [] : ids)
    .filter((id) => !known.has(id))
    .map((id) => ({ id, status: "failure", result: NEVER_BEGUN }));
  const ended = [...operations.filter(({ status }) => status !== "in_progress"), ...missing];
  await sql`
    update approvals set claimed_by = null, due_time = null,
      status = case ended.status when 'success' then 'executed' else 'failed' end,
      reason = case ended.status when 'success' then approvals.reason else ended.result end
    from jsonb_to_recordset(${toStoredJson(ended)}::jsonb) as ended (id uuid, status text, result text)
    where approvals.claimed_by = ${deadProcess} and approvals.status = 'approved' and sent and ended.id = approvals.operation_id
      and approvals.id <> all(${held}::uuid[])
  `.execute(control);
}

/** Removes up to `max` decided or expired approvals with an id below this one; returns their number. */
export const removeOldApprovals = (queries: ControlQueries, beforeId: string, max: number): Promise<number> =>
  removeRows(
    queries,
    "approvals",
    sql`id < ${beforeId} and status not in ('pending', 'approved') order by id`,
    max,
  );

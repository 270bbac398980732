/** The queue of asynchronous writes as its workers see it: claim, mark, put back, take over from the dead. */
import { sql } from "kysely";
import type { Json, JsonObject } from "../ground/json.ts";
import type { Queries } from "./database.ts";
import { timed, type LogEntry } from "./operations.ts";
import { toStoredJson } from "./stored-json.ts";

export interface ClaimedWrite {
  operationId: string;
  projectId: string;
  integrationId: string;
  installationId: string;
  objectName: string;
  writeType: "create" | "update";
  sendOptions: JsonObject;
  records: Json[];
  attempts: number;
  deadline: Date;
  /** Until when its connection is told to wait: past the deadline, otherwise it is not claimed. */
  closedUntil: Date | null;
}

/**
 * Claims up to `limit` writes that may run now, oldest first. Not updates of a record that an earlier unfinished write
 * touches, nor those whose connection is told to wait, unless they cannot wait for so long: those can be ended. A group
 * that is claimed takes no more records.
 */
export async function claimWrites(
  queries: Queries,
  workerId: number,
  limit: number,
  /** Installations that have enough under way here. */
  except: string[],
): Promise<ClaimedWrite[]> {
  const { rows } = await sql<ClaimedWrite>`
    with closed as materialized (
      select installations.id, gate.closed_until
      from connection_gates gate join installations on installations.connection_id = gate.connection_id
      where gate.closed_until > now()
    ), due as (
      select writes.operation_id from writes
      where claimed_by is null and due_time <= now() and installation_id <> all(${except}::uuid[])
        -- Said as "or" and as values, all this is asked row by row until there are enough, whatever the planner knows:
        -- as joins it would be worked out for the whole queue first, or by reading all keys for every row.
        and (installation_id not in (select id from closed) or (deadline < (select max(closed_until) from closed)
          and deadline < (select closed_until from closed where id = installation_id)))
        -- Creates have no keys.
        and (write_type = 'create' or (
          select bool_and(mine.seq = (
            select min(first.seq) from write_keys first where first.record_key = mine.record_key))
          from write_keys mine where mine.operation_id = writes.operation_id) is not false)
      order by due_time, seq
      limit ${limit}
      for update of writes skip locked
    ), claimed as (
      update writes set claimed_by = ${workerId}, open_group = null, may_have_been_sent = false
      from due where writes.operation_id = due.operation_id
      returning writes.*
    )
    select claimed.operation_id, operations.project_id, operations.integration_id, claimed.installation_id,
      operations.object_name, claimed.write_type, claimed.send_options, claimed.records, claimed.attempts, claimed.deadline,
      closed.closed_until
    from claimed join operations on operations.id = claimed.operation_id
      left join closed on closed.id = claimed.installation_id
    order by claimed.seq
  `.execute(queries);
  return rows;
}

/**
 * Remembers that these are about to be sent. Committed before the provider is called. Throws when not all of them are
 * claimed by this worker: another one, which took it for dead, may be sending them.
 */
export async function markCalled(queries: Queries, workerId: number, operationIds: string[]): Promise<void> {
  const { numAffectedRows } = await sql`
    update writes set may_have_been_sent = true
    where operation_id = any(${operationIds}::uuid[]) and claimed_by = ${workerId}`.execute(queries);
  if (Number(numAffectedRows) !== operationIds.length) throw new Error("a claimed write was taken over");
}

/** An operation that is repeated for long keeps its first steps and those of its end. */
const MOST_STEPS = 1_000;

/** Puts a write back for another attempt, with what is known of its records so far. */
export async function rescheduleWrite(
  queries: Queries,
  write: {
    operationId: string;
    workerId: number;
    records: Json[];
    dueTime: Date;
    attempts: number;
    log: LogEntry[];
  },
): Promise<void> {
  const { operationId, workerId, records, dueTime, attempts, log } = write;
  await sql`
    with back as (
      update writes set claimed_by = null, may_have_been_sent = false, records = ${toStoredJson(records)}::jsonb,
        due_time = ${dueTime}, attempts = ${attempts}
      -- The attempts, so that this may be repeated although the write has been claimed again since.
      where operation_id = ${operationId} and claimed_by = ${workerId} and attempts < ${attempts}
      returning operation_id
    )
    update operations set update_time = now(),
      log = case when jsonb_array_length(log) < ${MOST_STEPS} then log || ${toStoredJson(timed(log))}::jsonb else log end,
      metadata = metadata || jsonb_build_object('retry', jsonb_build_object('attempts', ${attempts}::integer, 'lastAttempt',
        to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    from back where operations.id = back.operation_id
  `.execute(queries);
}

/**
 * Puts a claimed write back for later as it was, an attempt older: one that failed for a reason of ours must not come
 * back at once for ever. A create that may have been sent stays claimed.
 */
export async function postponeWrite(
  queries: Queries,
  write: { operationId: string; workerId: number; delayMs: number },
): Promise<void> {
  const { operationId, workerId, delayMs } = write;
  await sql`
    update writes set claimed_by = null, attempts = attempts + 1, due_time = now() + ${delayMs} * interval '1 millisecond'
    where operation_id = ${operationId} and claimed_by = ${workerId} and ${MAY_RUN_AGAIN}
  `.execute(queries);
}

/** What may run again: it was not sent, or sending it twice does no harm, or the caller wants it so. */
const MAY_RUN_AGAIN = sql<boolean>`(not may_have_been_sent or write_type = 'update' or send_options->>'onUnknownOutcome' = 'retry')`;

/**
 * Gives claimed writes back, for example when the process stops or their connection was told to wait. A create that
 * may have been sent stays claimed.
 */
export async function releaseWrites(
  queries: Queries,
  workerId: number,
  operationIds: string[],
): Promise<void> {
  if (operationIds.length === 0) return;
  await queries
    .updateTable("writes")
    .set({ claimedBy: null })
    .where("claimedBy", "=", workerId)
    .where("operationId", "in", operationIds)
    .where(MAY_RUN_AGAIN)
    .execute();
}

/** Milliseconds until something in the queue becomes due; undefined when nothing waits for its time. */
export async function nextDueMs(queries: Queries): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(due_time) - now()) * 1000 as ms from writes
    where claimed_by is null and due_time > now()
  `.execute(queries);
  const ms = rows[0]?.ms;
  return ms === null || ms === undefined ? undefined : Number(ms);
}

/** Workers that hold something: queued writes, synchronous operations. Hops along the indexes, which have few of them. */
export async function listClaimers(queries: Queries): Promise<number[]> {
  const { rows } = await sql<{ worker: number }>`
    with recursive writers as (
      select min(claimed_by) as worker from writes where claimed_by is not null
      union all
      select (select min(claimed_by) from writes where claimed_by > writers.worker)
      from writers where writers.worker is not null
    ), operators as (
      select min(claimed_by) as worker from operations where claimed_by is not null
      union all
      select (select min(claimed_by) from operations where claimed_by > operators.worker)
      from operators where operators.worker is not null
    )
    select worker from writers where worker is not null
    union select worker from operators where worker is not null
  `.execute(queries);
  return rows.map((row) => row.worker);
}

export interface OrphanedWrite {
  operationId: string;
  projectId: string;
  installationId: string;
  objectName: string;
  writeType: "create" | "update";
  sendOptions: JsonObject;
  records: Json[];
}

/**
 * Takes over from a worker that is dead, or has lost sight of all but `held`: what it had not sent, and updates, which
 * may be repeated, go back into the queue; creates it was sending are handed to the caller, still claimed.
 */
export async function takeOverWrites(
  queries: Queries,
  worker: number,
  held: string[] = [],
): Promise<OrphanedWrite[]> {
  await sql`
    update writes set claimed_by = null
    where claimed_by = ${worker} and operation_id <> all(${held}::uuid[]) and ${MAY_RUN_AGAIN}
  `.execute(queries);
  const { rows } = await sql<OrphanedWrite>`
    select writes.operation_id, operations.project_id, writes.installation_id, operations.object_name, write_type,
      send_options, records
    from writes join operations on operations.id = writes.operation_id
    where writes.claimed_by = ${worker} and writes.operation_id <> all(${held}::uuid[])
  `.execute(queries);
  return rows;
}

/** Synchronous operations that a dead worker left under way. */
export async function listOrphanedOperations(
  queries: Queries,
  deadWorker: number,
): Promise<{ id: string; objectName: string }[]> {
  return queries
    .selectFrom("operations")
    .select(["id", "objectName"])
    .where("claimedBy", "=", deadWorker)
    .where("status", "=", "in_progress")
    .execute();
}

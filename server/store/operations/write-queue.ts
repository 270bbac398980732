/** The queue of asynchronous writes as its workers use it: claim, mark, reschedule, release, recover. */
import { sql, type RawBuilder } from "kysely";
import type { Json, JsonObject } from "../../../ground/json.ts";
import type { QueuedWriteType } from "./accept-writes.ts";
import type { DataQueries } from "../database/sides.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";
import { addTimes, type LogEntry } from "./operations.ts";
import { toStoredJson } from "../database/stored-json.ts";

export interface ClaimedWrite {
  operationId: string;
  projectId: string;
  integrationId: string;
  installationId: string;
  objectName: string;
  writeType: QueuedWriteType;
  sendOptions: JsonObject;
  records: Json[];
  attempts: number;
  deadline: Date;
  /** Keys of the records that an update touches; empty for a create. */
  recordKeys: string[];
  /**
   * Set for a create of which an earlier attempt may have been executed: until this time the provider recognises its key. Null
   * for all others.
   */
  repeatableUntil: Date | null;
  /** Time at which the connection's gate opens. Set only for writes with an earlier deadline; others are not claimed while it is closed. */
  closedUntil: Date | null;
}

export interface DueInstallation {
  installationId: string;
  /** Null if the installation was deleted. */
  projectId: string | null;
}

/**
 * Lists the installations of the `max` oldest due writes, oldest first. `areAll` says that no other installation has a
 * due write.
 */
export async function listOldestDue(
  queries: DataQueries,
  max: number,
): Promise<{ installations: DueInstallation[]; areAll: boolean }> {
  const { rows } = await sql<DueInstallation & { writes: number }>`/* prepare list-oldest-due */
    with due as materialized (
      select installation_id, due_time, seq from writes
      where claimed_by is null and due_time <= now() order by due_time, seq limit ${max}
    )
    select installation_id, (select project_id from installations where id = installation_id), count(*)::integer as writes
    from due group by installation_id order by min(due_time), min(seq)
  `.execute(queries);
  return { installations: rows, areAll: rows.reduce((sum, { writes }) => sum + writes, 0) < max };
}

/**
 * Lists up to `max` installations with waiting writes, in the order of their ids after this one. Costs one index step for each
 * installation, however many writes it has.
 */
export async function listWaitingAfter(
  queries: DataQueries,
  after: string,
  max: number,
): Promise<(DueInstallation & { isDue: boolean })[]> {
  const { rows } = await sql<DueInstallation & { isDue: boolean }>`/* prepare list-waiting-after */
    with recursive heads as (
      (select installation_id, due_time, 1 as place from writes
        where claimed_by is null and installation_id > ${after}
        order by installation_id, due_time, seq limit 1)
      union all
      select next.installation_id, next.due_time, heads.place + 1 from heads, lateral (
        select installation_id, due_time from writes
        where claimed_by is null and installation_id > heads.installation_id
        order by installation_id, due_time, seq limit 1) next
      where heads.place < ${max}
    )
    select installation_id, (select project_id from installations where id = installation_id), due_time <= now() as is_due
    from heads order by place
  `.execute(queries);
  return rows;
}

/** For an installation with a closed gate: number of its oldest writes that are searched for expired deadlines. */
const CLOSED_SCAN = 200;

/**
 * Claims up to `limit` due writes of these installations, of each at most `capacity`, oldest first. Leaves out updates of a
 * record that an earlier unfinished write touches, and writes whose connection has a closed gate, except for those whose
 * deadline is before it opens: they can be ended. A claimed group takes no more records.
 */
export async function claimInstallationWrites(
  queries: DataQueries,
  workerId: number,
  limit: number,
  wanted: { installationId: string; capacity: number }[],
): Promise<ClaimedWrite[]> {
  const ids = wanted.map(({ installationId }) => installationId);
  const capacities = wanted.map(({ capacity }) => capacity);
  // Rows of `writes` are found by an array of ids and joined rows by a lateral with a limit: the statistics of a queue
  // that was empty when it was analysed would make the planner read a whole index instead.
  const { rows } = await sql<ClaimedWrite>`/* prepare claim-writes */
    with wanted as materialized (
      select asked.installation_id, gate.closed_until,
        case when gate.closed_until is null then capacity else ${limit} end as capacity,
        case when gate.closed_until is null then now() else least(now(), (
          select due_time from writes where claimed_by is null and writes.installation_id = asked.installation_id
          order by installation_id, due_time, seq limit 1 offset ${CLOSED_SCAN})) end as due_until
      from unnest(${ids}::uuid[], ${capacities}::integer[]) with ordinality as asked (installation_id, capacity, place)
        left join lateral (
          select closed_until from installations join connection_gates using (connection_id)
          where installations.id = asked.installation_id and closed_until > now() limit 1) gate on true
      order by place
    ), due as materialized (
      select mine.operation_id, wanted.closed_until from wanted, lateral (
        select operation_id from writes
        where claimed_by is null and installation_id = wanted.installation_id and due_time <= wanted.due_until
          and (wanted.closed_until is null or deadline < wanted.closed_until)
          and ${IS_FIRST}
        order by installation_id, due_time, seq
        limit wanted.capacity
        for update of writes skip locked) mine
      limit ${limit}
    ) ${claimDue(workerId)}
  `.execute(queries);
  return rows;
}

/**
 * Claims the next writes for these records now, each at most once: those that waited for an update that has ended. This saves a
 * search of the queue for each of many updates of one record.
 */
export async function claimSuccessors(
  queries: DataQueries,
  workerId: number,
  recordKeys: string[],
): Promise<ClaimedWrite[]> {
  const { rows } = await sql<ClaimedWrite>`/* prepare claim-successors */
    with due as materialized (
      select operation_id, null::timestamptz as closed_until from writes
      where operation_id = any(array(
          select (select operation_id from write_keys where write_keys.record_key = ended.record_key order by seq limit 1)
          from unnest(${recordKeys}::text[]) as ended (record_key)))
        and claimed_by is null and due_time <= now() and ${IS_FIRST}
        and not exists (
          select from installations join connection_gates using (connection_id)
          where installations.id = writes.installation_id and closed_until > now())
      for update of writes skip locked
    ) ${claimDue(workerId)}
  `.execute(queries);
  return rows;
}

/** Whether no earlier unfinished write precedes for one of the write's records. Creates have no keys. */
const IS_FIRST = sql<boolean>`(write_type = 'create' or (
  select bool_and(own.seq = (select min(first.seq) from write_keys first where first.record_key = own.record_key))
  from write_keys own where own.operation_id = writes.operation_id) is not false)`;

/** Builds the claim of the writes in the common table expression `due`. */
const claimDue = (workerId: number): RawBuilder<unknown> => sql`, claimed as (
      update writes set claimed_by = ${workerId}, open_group = null, may_have_been_sent = false
      where operation_id = any(array(select operation_id from due))
      returning writes.*
    )
    select claimed.operation_id, operations.project_id, operations.integration_id, claimed.installation_id,
      operations.object_name, claimed.write_type, claimed.send_options, claimed.records, claimed.attempts, claimed.deadline,
      claimed.repeatable_until, due.closed_until, case when write_type = 'create' then '{}' else array(
        select record_key from write_keys where write_keys.operation_id = claimed.operation_id) end as record_keys
    from claimed
      cross join lateral (select project_id, integration_id, object_name from operations
        where operations.id = claimed.operation_id limit 1) operations
      join due on due.operation_id = claimed.operation_id
    order by claimed.seq`;

export interface CalledWrite {
  operationId: string;
  /** How long the provider recognises the keys of its records; undefined if it has no keys. */
  repeatableMs: number | undefined;
}

/**
 * Marks writes as about to be sent; to be committed before the provider is called. Throws if this worker has lost one of the
 * claims: another worker, which believes it dead, may be sending that write. Nearly all have the same time or none, and a
 * statement for each time costs PostgreSQL half as much as a join with the times.
 */
export async function markCalled(
  queries: DataQueries,
  workerId: number,
  called: CalledWrite[],
): Promise<void> {
  for (const [repeatableMs, writes] of Map.groupBy(called, (write) => write.repeatableMs)) {
    const { numAffectedRows } = await sql`/* prepare mark-writes-called */
      update writes set may_have_been_sent = true,
        -- The time counts from the first of all requests with the same key.
        repeatable_until = coalesce(repeatable_until, now() + ${repeatableMs ?? null}::double precision * interval '1 millisecond')
      where operation_id = any(${writes.map(({ operationId }) => operationId)}::uuid[]) and claimed_by = ${workerId}
    `.execute(queries);
    if (Number(numAffectedRows) !== writes.length) throw new Error("a claimed write was taken over");
  }
}

/** Maximum number of stored log entries. An operation with many retries keeps the first ones and those of its end. */
const MAX_STEPS = 1_000;

/** Reschedules a write for another attempt, with the present outcomes of its records. */
export async function rescheduleWrite(
  queries: DataQueries,
  write: {
    operationId: string;
    workerId: number;
    records: Json[];
    dueTime: Date;
    attempts: number;
    /** Whether the provider may have executed some of it. */
    isUnknown: boolean;
    log: LogEntry[];
  },
): Promise<void> {
  const { operationId, workerId, records, dueTime, attempts, isUnknown, log } = write;
  await sql`
    with back as (
      update writes set claimed_by = null, may_have_been_sent = false, records = ${toStoredJson(records)}::jsonb,
        due_time = ${dueTime}, attempts = ${attempts}, repeatable_until = case when ${isUnknown} then repeatable_until end
      -- Compares the attempts, so that a repeated statement does not touch a write that was claimed again meanwhile.
      where operation_id = ${operationId} and claimed_by = ${workerId} and attempts < ${attempts}
      returning operation_id
    )
    update operations set update_time = now(),
      log = case when jsonb_array_length(log) < ${MAX_STEPS} then log || ${toStoredJson(addTimes(log))}::jsonb else log end,
      metadata = metadata || jsonb_build_object('retry', jsonb_build_object('attempts', ${attempts}::integer, 'lastAttempt',
        to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    from back where operations.id = back.operation_id
  `.execute(queries);
}

/**
 * Reschedules a claimed write after a fault of Busbar and counts an attempt, so that it does not return at once for ever. A
 * create that may have been sent stays claimed.
 */
export async function postponeWrite(
  queries: DataQueries,
  write: { operationId: string; workerId: number; delayMs: number },
): Promise<void> {
  const { operationId, workerId, delayMs } = write;
  await sql`
    update writes set claimed_by = null, attempts = attempts + 1, due_time = now() + ${delayMs} * interval '1 millisecond'
    where operation_id = ${operationId} and claimed_by = ${workerId} and ${MAY_RUN_AGAIN}
  `.execute(queries);
}

/**
 * Whether a write may run again: it was not sent yet, is an update or upsert, is a create whose key the provider still
 * recognises, or its caller requested retries.
 */
const MAY_RUN_AGAIN = sql<boolean>`(not may_have_been_sent or write_type <> 'create' or repeatable_until > now()
  or send_options->>'onUnknownOutcome' = 'retry')`;

/**
 * Releases claimed writes, for example when the process stops or their connection is rate limited. A create that may have been
 * sent stays claimed.
 */
export async function releaseWrites(
  queries: DataQueries,
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

interface WaitingWrite extends OrphanedWrite {
  attempts: number;
  /** See `ClaimedWrite`. */
  repeatableUntil: Date | null;
}

/** Finds and locks a queued write that no worker has claimed, so that none does until the transaction ends. */
export async function lockWaitingWrite(
  queries: DataQueries,
  projectId: string,
  operationId: string,
): Promise<WaitingWrite | undefined> {
  const { rows } = await sql<WaitingWrite>`
    select writes.operation_id, operations.project_id, writes.installation_id, operations.object_name, write_type,
      send_options, records, attempts, repeatable_until
    from writes join operations on operations.id = writes.operation_id
    where writes.operation_id = ${operationId} and operations.project_id = ${projectId} and writes.claimed_by is null
    for update of writes skip locked
  `.execute(queries);
  return rows[0];
}

/** Returns the milliseconds until the next write becomes due; undefined when none waits for its time, Infinity when none is left to claim. */
export async function findNextDueMs(queries: DataQueries): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null; anyWaits: boolean }>`
    select extract(epoch from (select min(due_time) from writes where claimed_by is null and due_time > now()) - now())
        ::double precision * 1000 as ms,
      exists (select from writes where claimed_by is null) as any_waits
  `.execute(queries);
  const [row] = rows;
  return row?.anyWaits === false ? Number.POSITIVE_INFINITY : (row?.ms ?? undefined);
}

/** The name by which processes are told of writes. */
export const WRITES_CHANGE = "writes";

/** Wakes the workers of all processes. */
export async function wakeWriters(queries: DataQueries): Promise<void> {
  await sql`select ${buildWakeColumn(WRITES_CHANGE)}`.execute(queries);
}

/** Lists the workers with claims on queued writes or synchronous operations. Skips along the indexes, which contain few workers. */
export async function listClaimers(queries: DataQueries): Promise<number[]> {
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
  writeType: QueuedWriteType;
  sendOptions: JsonObject;
  records: Json[];
}

/**
 * Recovers the writes of a worker that is dead, or that has lost all its claims except for `held`. Writes that may run again
 * return to the queue; creates that may have been sent are returned, still claimed.
 */
export async function takeOverWrites(
  queries: DataQueries,
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

/** Lists the synchronous operations that a dead worker was executing. */
export async function listOrphanedOperations(
  queries: DataQueries,
  deadWorker: number,
): Promise<{ id: string; messageName: string }[]> {
  return queries
    .selectFrom("operations")
    .select(["id", sql<string>`coalesce(metadata #>> '{objects,0}', object_name)`.as("messageName")])
    .where("claimedBy", "=", deadWorker)
    .where("status", "=", "in_progress")
    .execute();
}

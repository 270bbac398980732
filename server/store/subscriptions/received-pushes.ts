/** Pushed requests, unchanged: stored before they are answered, taken in order, and removed when their events are stored. */
import { sql } from "kysely";
import { nowMs } from "../../../ground/clock.ts";
import { countAffectedRows, type Database } from "../database/database.ts";
import type { ControlQueries, DataQueries } from "../database/sides.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";
import { reconcileFrom } from "./subscription-scans.ts";

interface PushTarget {
  projectId: string;
  provider: string;
  /** The only installation that gets the events; null for all installations of their accounts. */
  installationId: string | null;
}

export interface NewPush extends PushTarget {
  /** JSON in UTF-8. It is not a string, which would be encoded once more on its way to PostgreSQL. */
  body: Buffer;
}

export interface TakenPush extends PushTarget {
  body: string;
  position: string;
  receivedTime: Date;
  attempts: number;
}

/** Name under which processes are notified of pushes that another process has stored. */
export const PUSHES_CHANGE = "received_pushes";

/** Inserts pushes; `tells` makes it notify the processes that listen. */
export async function insertPushes(
  queries: ControlQueries,
  pushes: NewPush[],
  { tells }: { tells: boolean },
): Promise<void> {
  // Not as arrays: each quote in a body would be escaped, and unescaped again.
  const rows = pushes.map(
    ({ projectId, provider, installationId, body }) =>
      sql`(${projectId}::uuid, ${provider}, ${installationId}::uuid, ${body.length}::integer, ${body}::text)`,
  );
  const insert = sql`insert into received_pushes (project_id, provider, installation_id, size_bytes, body) values ${sql.join(rows)}`;
  await (tells ? sql`with stored as (${insert}) select ${buildWakeColumn(PUSHES_CHANGE)}` : insert).execute(
    queries,
  );
}

/** Returns whether any push is stored, due or not. */
export async function hasPushes(queries: ControlQueries): Promise<boolean> {
  const { rows } = await sql<{ anyWaits: boolean }>`
    select exists (select from received_pushes) as any_waits
  `.execute(queries);
  return rows[0]?.anyWaits === true;
}

/** Number of a project's pushes from which a batch is chosen. */
const AMONG = 100;
/** Timeout after which a hanging process with locked pushes loses its connection, so that others can continue. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Removes the oldest due pushes, round-robin over projects, those with small pushes first, and returns them in order of arrival.
 * Call it in the transaction that stores their events: a rollback restores the pushes. The pushes of a project are locked from
 * the oldest on, so another process waits until their events are stored, and never stores events of a later push before them.
 *
 * The commit does not wait for the disk. If the database's machine fails, the pushes exist again, without their events. What is
 * made of the events is committed later, and waits for both. Events of a data side of its own are on its disk by then.
 */
export async function takePushes(
  queries: ControlQueries,
  { max, maxBytes }: { max: number; maxBytes: number },
): Promise<TakenPush[]> {
  const isDue = sql`fault is null and (retry_time is null or retry_time <= now())`;
  const { rows } = await sql<TakenPush>`
    with recursive project as (
      (select project_id from received_pushes order by project_id limit 1)
      union all
      select next.project_id from project cross join lateral (
        select project_id from received_pushes where project_id > project.project_id order by project_id limit 1
      ) as next
    ), oldest as materialized (
      select one.* from project cross join lateral (
        select project_id, position, size_bytes from received_pushes
        where project_id = project.project_id and ${isDue}
        order by position limit ${Math.min(max, AMONG)} for update
      ) as one
    ), in_turns as (
      select *, row_number() over (partition by project_id order by position) as turn from oldest
    ), summed as (
      select *, row_number() over turns as place, sum(size_bytes) over turns - size_bytes as before
      from in_turns window turns as (order by turn, size_bytes, project_id)
    )
    delete from received_pushes as taken using summed
    where taken.project_id = summed.project_id and taken.position = summed.position
      and place <= ${max} and before < ${maxBytes}
    returning taken.project_id, taken.position, provider, installation_id, received_time, body, attempts,
      (select set_config('synchronous_commit', 'off', true)
        || set_config('idle_in_transaction_session_timeout', ${`${LONGEST_PAUSE_MS}`}, true)) as settings
  `.execute(queries);
  return rows.toSorted(
    (one, other) =>
      compare(one.projectId, other.projectId) || compare(BigInt(one.position), BigInt(other.position)),
  );
}

const compare = <Value extends string | bigint>(one: Value, other: Value): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** Lists the pushes whose projects have customers in one of these shards. */
export async function listAwaiting(
  queries: ControlQueries,
  pushes: TakenPush[],
  shards: string[],
): Promise<TakenPush[]> {
  if (shards.length === 0 || pushes.length === 0) return [];
  const { rows } = await sql<{ projectId: string }>`
    select distinct project_id from groups
    where shard = any(${shards}::text[]) and project_id = any(${pushes.map(({ projectId }) => projectId)}::uuid[])
  `.execute(queries);
  const projects = new Set(rows.map(({ projectId }) => projectId));
  return pushes.filter(({ projectId }) => projects.has(projectId));
}

/** Stores the rest of taken pushes at their old positions, to be taken after a while. Call it in the transaction that took them. */
export async function putBackPushes(
  queries: ControlQueries,
  pushes: TakenPush[],
  afterMs = 0,
): Promise<void> {
  if (pushes.length === 0) return;
  const retryTime = afterMs > 0 ? new Date(nowMs() + afterMs) : null;
  const rows = pushes.map(
    ({ projectId, position, provider, installationId, receivedTime, body, attempts }) =>
      sql`(${projectId}::uuid, ${position}::bigint, ${provider}, ${installationId}::uuid, ${receivedTime}::timestamptz,
        ${Buffer.byteLength(body)}::integer, ${body}::text, ${attempts}::integer, ${retryTime}::timestamptz)`,
  );
  await sql`
    insert into received_pushes
      (project_id, position, provider, installation_id, received_time, size_bytes, body, attempts, retry_time)
    overriding system value values ${sql.join(rows)}
  `.execute(queries);
}

const LOST = "A push of events could not be stored.";

/**
 * Records that a push could not be taken apart: it is retried at `retryTime` or, without one, set aside. If it is set aside, a
 * reconciliation is to find the changes of the accounts that it names, from a day before its arrival, because the provider may
 * have tried for that long. The reconciliation is requested first: after a crash in between it is requested again.
 */
export async function postponePush(
  { control, shards }: Pick<Database, "control" | "shards">,
  { retryTime, fault, ...push }: TakenPush & { retryTime: Date | null; fault: string },
): Promise<void> {
  if (retryTime === null) for (const { data } of shards) await reconcileNamed(data, push);
  await sql`
    update received_pushes set attempts = attempts + 1, retry_time = ${retryTime},
      fault = ${retryTime === null ? fault : null}
    where project_id = ${push.projectId} and position = ${push.position} and fault is null
  `.execute(control);
}

async function reconcileNamed(
  queries: DataQueries,
  { projectId, provider, receivedTime, body }: TakenPush,
): Promise<void> {
  await sql`
    update subscriptions set due_time = now(),
      ${reconcileFrom(sql`${receivedTime}::timestamptz - interval '1 day'`, LOST)}
    where project_id = ${projectId} and provider = ${provider} and state <> 'disabled'
      and strpos(${body}::text, account_ref) > 0
  `.execute(queries);
}

export interface WaitingPushes {
  projectId: string;
  pushes: number;
  bytes: number;
}

/** Counts up to `max` waiting pushes and their bytes, in one row for each project. */
export async function countWaitingPushes(queries: ControlQueries, max: number): Promise<WaitingPushes[]> {
  const { rows } = await sql<WaitingPushes>`
    select project_id, count(*)::integer as pushes, sum(size_bytes)::double precision as bytes
    from (select project_id, size_bytes from received_pushes where fault is null limit ${max}) as waiting
    group by project_id
  `.execute(queries);
  return rows;
}

/** Finds the last push of a project that waits for its first attempt. */
export async function findLastPush(queries: ControlQueries, projectId: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom("receivedPushes")
    .select("position")
    .where("projectId", "=", projectId)
    .where("attempts", "=", 0)
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.position;
}

/** Returns whether a push waits for its first attempt: any, or with `until` that one or an earlier one of its project. */
export async function isPushWaiting(
  queries: ControlQueries,
  until?: { projectId: string; position: string },
): Promise<boolean> {
  let query = queries.selectFrom("receivedPushes").select("position").where("attempts", "=", 0);
  if (until) query = query.where("projectId", "=", until.projectId).where("position", "<=", until.position);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Removes up to `max` pushes that were set aside before a time, of all projects or one; returns their number. */
export async function removePushesBefore(
  queries: ControlQueries,
  { time, projectId }: { time: Date; projectId?: string },
  max: number,
): Promise<number> {
  const ofProject = projectId === undefined ? sql`` : sql`and project_id = ${projectId}`;
  const result = await sql`
    delete from received_pushes where (project_id, position) in (
      select project_id, position from received_pushes
      where fault is not null and received_time < ${time} ${ofProject} limit ${max})
  `.execute(queries);
  return countAffectedRows(result);
}

/** An account as pushes name it. */
export interface PushedAccount {
  provider: string;
  accountRef: string;
}

/** Lists the accounts of a group's subscriptions. */
export async function listPushedAccounts(queries: DataQueries, groupId: string): Promise<PushedAccount[]> {
  const { rows } = await sql<PushedAccount>`
    select distinct subscriptions.provider, account_ref
    from subscriptions join installations on installations.id = installation_id where group_id = ${groupId}
  `.execute(queries);
  return rows;
}

/** Removes pushes that could not be taken apart and may contain events of these accounts. */
export async function erasePushes(
  queries: ControlQueries,
  projectId: string,
  accounts: PushedAccount[],
): Promise<void> {
  await sql`
    delete from received_pushes where project_id = ${projectId} and attempts > 0 and exists (
      select from unnest(${accounts.map(({ provider }) => provider)}::text[],
        ${accounts.map(({ accountRef }) => accountRef)}::text[]) as account (provider, account_ref)
      where account.provider = received_pushes.provider and strpos(body, account_ref) > 0)
  `.execute(queries);
}

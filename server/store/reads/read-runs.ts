/**
 * Reads that are not over. A run is in one of these states:
 *
 *     waiting   claimed by nobody and not due yet: a backoff, a closed gate, or a destination that is behind
 *     due       claimed by nobody, its time has come
 *     claimed   a process reads some pages of it, then puts it back behind the others
 *     gone      its operation has ended
 *
 * Runs of a paused or disabled object are not claimed, except for triggered ones. Triggered runs of one object are claimed one after
 * the other. Runs of a dead process become due again: they go on behind the last page that was committed.
 */
import { sql, type RawBuilder } from "kysely";
import type { JsonObject } from "../../../ground/json.ts";
import type { DataQueries } from "../database/sides.ts";
import { addTimes, type Actor, type LogEntry } from "../operations/operations.ts";
import { toStoredJson } from "../database/stored-json.ts";

export type ReadKind = "backfill" | "scheduled" | "triggered";

export interface NewReadRun {
  operationId: string;
  projectId: string;
  integrationId: string;
  installationId: string;
  configId: string;
  objectName: string;
  /** Name of the object in messages. */
  messageName: string;
  kind: ReadKind;
  sinceTime: Date | null;
  untilTime: Date | null;
  settles: boolean;
  /** Id of the request that started it. */
  requestId?: string;
  /** Who requested it. */
  actor?: Actor | undefined;
}

/** Inserts runs with their operations. Violates `read_runs_one` if the object has a run of this kind already. */
export async function insertReadRuns(queries: DataQueries, runs: NewReadRun[]): Promise<void> {
  if (runs.length === 0) return;
  await queries
    .insertInto("operations")
    .values(
      runs.map((run) => ({
        id: run.operationId,
        projectId: run.projectId,
        integrationId: run.integrationId,
        installationId: run.installationId,
        configId: run.configId,
        objectName: run.objectName,
        actionType: "read",
        requestId: run.requestId ?? null,
        actor: run.actor ? toStoredJson(run.actor) : null,
        status: "in_progress",
        metadata: JSON.stringify({ objects: [run.messageName], read: { readType: run.kind } }),
      })),
    )
    .execute();
  await queries
    .insertInto("readRuns")
    .values(
      runs.map(
        ({
          integrationId: _integration,
          configId: _config,
          messageName: _name,
          requestId: _request,
          actor: _actor,
          ...run
        }) => run,
      ),
    )
    .execute();
}

export interface DueRun {
  operationId: string;
  projectId: string;
  connectionId: string;
  isBackfill: boolean;
}

/** Whether a run may go on: a triggered one if it is the first of its object, another one if its object is neither paused nor disabled. */
const MAY_GO_ON = sql<boolean>`(case when kind = 'triggered'
  then not exists (select from read_runs earlier where earlier.installation_id = read_runs.installation_id
    and earlier.object_name = read_runs.object_name and earlier.kind = 'triggered' and earlier.seq < read_runs.seq)
  else not exists (select from read_objects where read_objects.installation_id = read_runs.installation_id
    and read_objects.object_name = read_runs.object_name and (pause is not null or disabled)) end)`;

/** First key of the queue; the index `read_runs_due` has the same expression. */
const PRIORITY = sql`(case when kind = 'backfill' then 1 else 0 end)`;

interface DueRunsWanted {
  /** Maximum number of listed runs per project, for backfills and for others. */
  maxPerProject: number;
  /** Number of a project's oldest due runs to choose from, in round-robin order over installations. */
  among: number;
}

/**
 * Lists due runs in the order in which they should be claimed: backfills last, then round-robin over installations, then by the
 * time since which they are due. Skips along the index from project to project.
 */
export const listDueRuns = async (queries: DataQueries, wanted: DueRunsWanted): Promise<DueRun[]> =>
  (await buildDueRunsStatement(wanted).execute(queries)).rows;

export function buildDueRunsStatement({ maxPerProject, among }: DueRunsWanted): RawBuilder<DueRun> {
  const selectOfProject = (isBackfill: boolean) => sql`
    (select *, ${isBackfill}::boolean as is_backfill from (
      select *, row_number() over (partition by installation_id order by due_time, seq) as turn from (
        select operation_id, installation_id, project_id, due_time, seq from read_runs
        where claimed_by is null and project_id = projects.project_id and ${PRIORITY} = ${isBackfill ? 1 : 0}
          and due_time <= now() and ${MAY_GO_ON}
        order by due_time, seq limit ${among}
      ) oldest
    ) ranked order by turn, due_time, seq limit ${maxPerProject})`;
  return sql<DueRun>`/* prepare list-due-runs */
    with recursive projects as (
      (select project_id from read_runs where claimed_by is null order by project_id limit 1)
      union all
      select next.project_id from projects, lateral (
        select project_id from read_runs where claimed_by is null and project_id > projects.project_id
        order by project_id limit 1) next
    ), due as (
      select mine.* from projects, lateral (${selectOfProject(false)} union all ${selectOfProject(true)}) mine
    )
    select operation_id, due.project_id, connection_id, is_backfill
    from due join installations on installations.id = due.installation_id
    order by is_backfill, turn, due_time, seq
  `;
}

/** Progress of a read, as its operation shows it. */
export interface ReadCounts {
  pages: number;
  records: number;
  delivered: number;
  unchanged: number;
  deleted: number;
  providerCalls: number;
  waitedMs: number;
  /** Estimated number of all records. */
  total?: number;
}

export interface ClaimedRun extends DueRun {
  integrationId: string;
  installationId: string;
  configId: string;
  objectName: string;
  kind: ReadKind;
  sinceTime: Date | null;
  untilTime: Date | null;
  settles: boolean;
  stage: "records" | "deletions";
  checkpoint: JsonObject | null;
  /** Failed attempts since the last page. */
  attempts: number;
  /** Time at which the last page was committed, or at which the first attempt after it failed. */
  pageTime: Date;
  createTime: Date;
  metadata: JsonObject;
  /** How long it has waited for what its operation says, until it was claimed. */
  idleMs: number;
  /** The object's cursor of deletions; null if the installation does not read the object by schedule. */
  deletionsTime: Date | null;
  nextTick: Date | null;
  /** Optional fields that the last read had to leave out. */
  missingFields: { name: string; since: string }[] | null;
  /** Fields that earlier records had; null if none are known. */
  knownFields: string[] | null;
  /** Required field because of which the last read failed. */
  failedField: string | null;
  /** Workspace of the connection. */
  workspace: string | null;
  /** Destination of the object's messages; null if there is none of that name. */
  destinationId: string | null;
  destinationType: string | null;
  destinationDisabled: boolean;
  destinationOwnWrites: string | null;
}

/**
 * Claims runs that nobody else has claimed meanwhile. They are found by id; the `case` prevents PostgreSQL from reading all due
 * runs instead.
 */
export async function claimRuns(
  queries: DataQueries,
  workerId: number,
  operationIds: string[],
): Promise<ClaimedRun[]> {
  if (operationIds.length === 0) return [];
  const { rows } = await sql<ClaimedRun>`
    with due as materialized (
      select operation_id from read_runs
      where operation_id = any(${operationIds}::uuid[]) and case when claimed_by is null then due_time <= now() end
      for update skip locked
    ), claimed as (
      update read_runs set claimed_by = ${workerId}::integer
      where operation_id = any(array(select operation_id from due))
      returning *
    )
    select claimed.operation_id, claimed.project_id, operations.integration_id, claimed.installation_id, connection_id,
      operations.config_id, claimed.object_name, kind, kind = 'backfill' as is_backfill, since_time, until_time, settles, stage, checkpoint, attempts,
      page_time, operations.create_time, operations.metadata, case when operations.metadata #>> '{read,waitsFor}' is null then 0
        else round(greatest(extract(epoch from now() - operations.update_time), 0) * 1000) end::double precision as idle_ms, deletions_time, next_tick, missing_fields, known_fields,
      case when failure ->> 'type' = 'field' then failure ->> 'name' end as failed_field,
      connections.provider_workspace_ref as workspace, destinations.id as destination_id,
      destinations.type as destination_type, coalesce(disabled_time is not null, false) as destination_disabled,
      destinations.own_writes as destination_own_writes
    from claimed
    cross join lateral (select * from operations where operations.id = claimed.operation_id limit 1) operations
    join installations on installations.id = claimed.installation_id
    join connections on connections.id = installations.connection_id
    left join read_objects on read_objects.installation_id = claimed.installation_id
      and read_objects.object_name = claimed.object_name
    left join destinations on destinations.project_id = claimed.project_id
      and destinations.name = read_objects.destination
    order by (kind = 'backfill'), due_time, seq
  `.execute(queries);
  return rows;
}

/** Maximum number of stored log entries. An operation that waits for long keeps the first ones and those of its end. */
const MAX_STEPS = 500;

export interface PutBackRun {
  operationId: string;
  workerId: number;
  dueTime: Date;
  /** Failed attempts since the last page; unchanged if absent. */
  attempts?: number;
  /** The failure is the first since the last page, or counts as such. */
  isFirst?: boolean;
  /** Added to the run's waiting time: how long it has waited before this claim. */
  waitedMs?: number;
  /** Requests that were sent without a result. */
  providerCalls?: number;
  /** Reason for waiting; the operation shows it until the next page. */
  waitsFor: "provider" | "rate_limit" | "destination" | "calls" | "credentials" | null;
  log: LogEntry[];
}

/** Puts a claimed run back for later, with an entry for its log. */
export async function putBackRun(queries: DataQueries, run: PutBackRun): Promise<void> {
  const { operationId, workerId, dueTime, waitsFor, log } = run;
  const { attempts = null, isFirst = false, waitedMs = 0, providerCalls = 0 } = run;
  await sql`
    with back as (
      update read_runs set claimed_by = null, due_time = ${dueTime}, attempts = coalesce(${attempts}::integer, attempts),
        page_time = case when attempts = 0 or ${isFirst}::boolean then now() else page_time end
      where operation_id = ${operationId} and claimed_by = ${workerId}
      returning operation_id, attempts
    )
    update operations set update_time = now(),
      log = case when jsonb_array_length(log) < ${MAX_STEPS} then log || ${toStoredJson(addTimes(log))}::jsonb else log end,
      metadata = metadata
        || jsonb_build_object('read', jsonb_strip_nulls((metadata -> 'read') || jsonb_build_object(
          'waitedMs', coalesce((metadata #>> '{read,waitedMs}')::bigint, 0) + ${waitedMs}::bigint,
          'providerCalls',
          nullif(coalesce((metadata #>> '{read,providerCalls}')::bigint, 0) + ${providerCalls}::bigint, 0),
          'waitsFor', ${waitsFor}::text,
          -- Waiting for the same reason continues.
          'waitingSince', case when ${waitsFor}::text = metadata #>> '{read,waitsFor}' then metadata #>> '{read,waitingSince}'
            when ${waitsFor}::text is not null then to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end)))
        || case when back.attempts = 0 then '{}' else jsonb_build_object('retry', jsonb_build_object(
          'attempts', back.attempts, 'lastAttempt', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) end
    from back where operations.id = back.operation_id
  `.execute(queries);
}

/** Releases claimed runs unchanged; they are due at once. */
export async function releaseRuns(
  queries: DataQueries,
  workerId: number,
  operationIds: string[],
): Promise<void> {
  if (operationIds.length === 0) return;
  await queries
    .updateTable("readRuns")
    .set({ claimedBy: null })
    .where("claimedBy", "=", workerId)
    .where("operationId", "in", operationIds)
    .execute();
}

/** Releases all claims of a process, except for `held`. */
export async function recoverRuns(
  queries: DataQueries,
  workerId: number,
  held: string[] = [],
): Promise<void> {
  await sql`
    update read_runs set claimed_by = null where claimed_by = ${workerId} and operation_id <> all(${held}::uuid[])
  `.execute(queries);
}

/** Returns the milliseconds until the next run is due; undefined if none waits. */
export async function findNextRunDueMs(queries: DataQueries): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(due_time) - now())::double precision * 1000 as ms from read_runs
    where claimed_by is null and due_time > now()
  `.execute(queries);
  return rows[0]?.ms ?? undefined;
}

/** Counts the unfinished triggered runs of an object. Whoever counts the same ones waits until the transaction ends. */
export async function countTriggeredRuns(
  queries: DataQueries,
  installationId: string,
  objectName: string,
): Promise<number> {
  const lock = `triggered runs of ${installationId} ${objectName}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(queries);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from read_runs
    where installation_id = ${installationId} and object_name = ${objectName} and kind = 'triggered'
  `.execute(queries);
  return rows[0]?.count ?? 0;
}

/** Takes an object's backfill away from the process that has claimed it: the present page is read again later. */
export async function takeBackBackfill(
  queries: DataQueries,
  { installationId, objectName }: { installationId: string; objectName: string },
): Promise<void> {
  await queries
    .updateTable("readRuns")
    .set({ claimedBy: null })
    .where("installationId", "=", installationId)
    .where("objectName", "=", objectName)
    .where("kind", "=", "backfill")
    .execute();
}

/** Makes the waiting runs of an installation due, except those that wait after a failure of the provider. */
export async function wakeRuns(queries: DataQueries, installationId: string): Promise<void> {
  await sql`
    update read_runs set due_time = now()
    where installation_id = ${installationId} and claimed_by is null and attempts = 0 and due_time > now()
  `.execute(queries);
}

interface StoppedRun {
  kind: ReadKind;
  sinceTime: Date | null;
  untilTime: Date | null;
}

/** Ends the runs of an object, for example because it is no longer read, and returns them; `kinds` restricts it. */
export async function stopRuns(
  queries: DataQueries,
  {
    installationId,
    objectName,
    result,
    kinds,
  }: { installationId: string; objectName: string; result: string; kinds?: ReadKind[] },
): Promise<StoppedRun[]> {
  const ofKinds = kinds === undefined ? sql`` : sql`and kind = any(${kinds}::text[])`;
  const ofObject = sql<boolean>`installation_id = ${installationId} and object_name = ${objectName} ${ofKinds}`;
  return stopWhere(queries, ofObject, result);
}

/** Ends one run and returns it; undefined if it has ended. */
export async function stopRun(
  queries: DataQueries,
  run: { projectId: string; operationId: string; result: string },
): Promise<StoppedRun | undefined> {
  const isRun = sql<boolean>`project_id = ${run.projectId} and operation_id = ${run.operationId}`;
  const [stopped] = await stopWhere(queries, isRun, run.result);
  return stopped;
}

async function stopWhere(
  queries: DataQueries,
  condition: RawBuilder<boolean>,
  result: string,
): Promise<StoppedRun[]> {
  const { rows } = await sql<StoppedRun>`
    with mine as materialized (
      select operation_id from read_runs where ${condition}
      -- In the same order as the commit of a page: first the run, then its operation.
      for update
    ), ended as (
      update operations set status = 'failure', result = ${result}, update_time = now()
      where status = 'in_progress' and id in (select operation_id from mine)
    )
    delete from read_runs where operation_id in (select operation_id from mine)
    returning kind, since_time, until_time
  `.execute(queries);
  return rows;
}

/** Objects that installations read, each with cursor, schedule and pause. */
import { sql } from "kysely";
import { isHere } from "../database/own-customers.ts";
import type { DataQueries } from "../database/sides.ts";
import { findOperation, type OperationRow } from "../operations/operations.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { countAffectedRows } from "../database/database.ts";

interface ReadPause {
  by: "api" | "auto";
  note?: string;
  error?: string;
  time: string;
}

export interface ReadObjectRow {
  installationId: string;
  objectName: string;
  projectId: string;
  /** Provider account to which the cursor belongs. */
  accountRef: string;
  /** Name of the object in messages. */
  messageName: string;
  destination: string;
  schedule: string | null;
  /** Whether the configuration switches the object off: nothing of it is read. */
  disabled: boolean;
  nextTick: Date | null;
  cursorTime: Date;
  /** Records whose last change is older are not wanted; null if all are. */
  floorTime: Date | null;
  settledTime: Date | null;
  deletionsTime: Date;
  pause: ReadPause | null;
  failures: number;
  failingSince: Date | null;
}

const COLUMNS = [
  "installationId",
  "objectName",
  "projectId",
  "accountRef",
  "messageName",
  "destination",
  "schedule",
  "disabled",
  "nextTick",
  "cursorTime",
  "floorTime",
  "settledTime",
  "deletionsTime",
  "pause",
  "failures",
  "failingSince",
] as const;

/** Lists the objects of an installation by name. */
export async function listReadObjects(
  queries: DataQueries,
  projectId: string,
  installationId: string,
): Promise<ReadObjectRow[]> {
  const rows = await queries
    .selectFrom("readObjects")
    .select(COLUMNS)
    .where("projectId", "=", projectId)
    .where("installationId", "=", installationId)
    .orderBy("objectName")
    .execute();
  return rows.map((row) => ({ ...row, pause: row.pause as ReadPause | null }));
}

/** Finds the operation of an object's backfill, running or ended. */
export async function findBackfill(
  queries: DataQueries,
  {
    projectId,
    installationId,
    objectName,
  }: { projectId: string; installationId: string; objectName: string },
): Promise<OperationRow | undefined> {
  const row = await queries
    .selectFrom("readObjects")
    .select("backfillId")
    .where("installationId", "=", installationId)
    .where("objectName", "=", objectName)
    .executeTakeFirst();
  return row?.backfillId ? findOperation(queries, projectId, row.backfillId) : undefined;
}

export async function findReadObject(
  queries: DataQueries,
  installationId: string,
  objectName: string,
): Promise<ReadObjectRow | undefined> {
  const row = await queries
    .selectFrom("readObjects")
    .select(COLUMNS)
    .where("installationId", "=", installationId)
    .where("objectName", "=", objectName)
    .executeTakeFirst();
  return row && { ...row, pause: row.pause as ReadPause | null };
}

/** Builds the value of `accountRef` for a connection: the provider's name of the account, or the connection's id. */
export const buildAccountRef = (connectionId: string, workspaceRef: string | null): string =>
  workspaceRef ?? `connection ${connectionId}`;

export interface PausedObject {
  installationId: string;
  /** Name of the object in messages. */
  messageName: string;
  pause: ReadPause;
}

/** Lists the paused objects of these installations, by name. */
export async function listReadPauses(
  queries: DataQueries,
  installationIds: string[],
): Promise<PausedObject[]> {
  if (installationIds.length === 0) return [];
  const { rows } = await sql<PausedObject>`
    select installation_id, message_name, pause from read_objects
    where installation_id = any(${installationIds}::uuid[]) and pause is not null
    order by message_name
  `.execute(queries);
  return rows;
}

type NewReadObject = Pick<
  ReadObjectRow,
  | "installationId"
  | "objectName"
  | "projectId"
  | "accountRef"
  | "messageName"
  | "destination"
  | "schedule"
  | "nextTick"
  | "cursorTime"
> & {
  floorTime: Date | null;
  /** Operation of its backfill. */
  backfillId: string | null;
  /** Since when it goes to this destination; default: now. */
  destinationTime?: Date;
};

/** Inserts an object that is read from now on. Its changes and deletions count from `cursorTime`. */
export async function insertReadObject(queries: DataQueries, object: NewReadObject): Promise<void> {
  await queries
    .insertInto("readObjects")
    .values({ ...object, deletionsTime: object.cursorTime, settledTime: object.cursorTime })
    .execute();
}

/** Updates the settings of an object. `destinationTime` is that of another destination. */
export async function updateReadObject(
  queries: DataQueries,
  object: Pick<
    ReadObjectRow,
    "installationId" | "objectName" | "messageName" | "destination" | "schedule" | "disabled" | "nextTick"
  > & { destinationTime?: Date },
): Promise<void> {
  const { installationId, objectName, ...settings } = object;
  await queries
    .updateTable("readObjects")
    .set(settings)
    .where("installationId", "=", installationId)
    .where("objectName", "=", objectName)
    .execute();
}

/** Removes an object with its fingerprints. */
export async function removeReadObject(
  queries: DataQueries,
  installationId: string,
  objectName: string,
): Promise<void> {
  await queries
    .deleteFrom("readObjects")
    .where("installationId", "=", installationId)
    .where("objectName", "=", objectName)
    .execute();
}

/** Adds fields that records of the object have. */
export async function rememberFields(
  queries: DataQueries,
  { installationId, objectName }: { installationId: string; objectName: string },
  names: string[],
): Promise<void> {
  await sql`
    update read_objects
    set known_fields = array(select distinct unnest(coalesce(known_fields, '{}') || ${names}::text[]) as name order by name)
    where installation_id = ${installationId} and object_name = ${objectName}
  `.execute(queries);
}

/**
 * Pauses objects; paused ones stay as they are. Their runs are taken away from the process that has claimed them: the present
 * page is read again later.
 */
export async function pauseReadObjects(
  queries: DataQueries,
  { installationId, objectNames, pause }: { installationId: string; objectNames: string[]; pause: ReadPause },
): Promise<void> {
  await sql`
    with taken as (
      update read_runs set claimed_by = null
      where installation_id = ${installationId} and object_name = any(${objectNames}::text[]) and kind <> 'triggered'
    )
    update read_objects set pause = ${toStoredJson(pause)}::jsonb
    where installation_id = ${installationId} and object_name = any(${objectNames}::text[]) and pause is null
  `.execute(queries);
}

/** Ends pauses and resets failures; `by` restricts it to pauses of that kind. Objects with a schedule are due at once. */
export async function unpauseReadObjects(
  queries: DataQueries,
  {
    installationId,
    objectNames,
    by,
  }: { installationId: string; objectNames: string[]; by?: ReadPause["by"] },
): Promise<void> {
  const kind = by === undefined ? sql`` : sql`and pause ->> 'by' = ${by}`;
  await sql`
    update read_objects set pause = null, failures = 0, failing_since = null, failure = null,
      next_tick = case when schedule is null then null else now() end
    where installation_id = ${installationId} and object_name = any(${objectNames}::text[]) and pause is not null ${kind}
  `.execute(queries);
}

/**
 * Makes objects of an installation due at once that failed, or had no read at a tick. Those that are being read or paused stay as they are.
 * They begin like any others: the oldest first, some at a time.
 */
export async function makeMissedDue(queries: DataQueries, installationId: string): Promise<void> {
  await sql`
    update read_objects set next_tick = now()
    where installation_id = ${installationId} and next_tick > now() and pause is null and (missed_tick or failing_since is not null)
      and not exists (select from read_runs where read_runs.installation_id = read_objects.installation_id
        and read_runs.object_name = read_objects.object_name and kind = 'scheduled')
  `.execute(queries);
}

/** Object whose tick has come. */
export interface DueObject {
  installationId: string;
  objectName: string;
  projectId: string;
  integrationId: string;
  provider: string;
  configId: string;
  messageName: string;
  schedule: string;
  cursorTime: Date;
  floorTime: Date | null;
  settledTime: Date | null;
  connectionStatus: string;
  hasDestination: boolean;
  isBeingRead: boolean;
}

/** Returns whether the tick of an object has come, at less cost than to lock it. */
export async function hasDueObjects(queries: DataQueries): Promise<boolean> {
  const { rows } = await sql<{ isDue: boolean }>`
    select exists (
      select from read_objects where next_tick <= now() and pause is null and ${isHere(sql`installation_id`)}) as is_due
  `.execute(queries);
  return rows[0]?.isDue === true;
}

/** Locks objects whose tick has come, oldest first; skips those that other processes have locked. */
export async function lockDueObjects(queries: DataQueries, max: number): Promise<DueObject[]> {
  const { rows } = await sql<DueObject>`
    with due as materialized (
      select * from read_objects where next_tick <= now() and pause is null and ${isHere(sql`installation_id`)}
      order by next_tick limit ${max} for update skip locked
    )
    select due.installation_id, due.object_name, due.project_id, integration_id, integrations.provider, config.id as config_id,
      due.message_name, due.schedule, due.cursor_time, due.floor_time, due.settled_time, connections.status as connection_status,
      exists (select from destinations where destinations.project_id = due.project_id and disabled_time is null
        and destinations.name = due.destination) as has_destination,
      exists (select from read_runs where read_runs.installation_id = due.installation_id
        and read_runs.object_name = due.object_name and kind = 'scheduled') as is_being_read
    from due
    join installations on installations.id = due.installation_id
    join integrations on integrations.id = installations.integration_id
    join connections on connections.id = installations.connection_id
    cross join lateral (
      select id from configs where installation_id = due.installation_id order by seq desc limit 1) config
  `.execute(queries);
  return rows;
}

/** Stores the next ticks of due objects; `missed` records that this tick started no run. */
export async function setNextTicks(
  queries: DataQueries,
  ticks: { installationId: string; objectName: string; nextTick: Date; missed: boolean }[],
): Promise<void> {
  if (ticks.length === 0) return;
  await sql`
    update read_objects set next_tick = tick.next_tick, missed_tick = tick.missed
    from unnest(
      ${ticks.map((tick) => tick.installationId)}::uuid[], ${ticks.map((tick) => tick.objectName)}::text[],
      ${ticks.map((tick) => tick.nextTick)}::timestamptz[], ${ticks.map((tick) => tick.missed)}::boolean[]
    ) as tick (installation_id, object_name, next_tick, missed)
    where read_objects.installation_id = tick.installation_id and read_objects.object_name = tick.object_name
  `.execute(queries);
}

/** Lists the schedules of all objects with a tick. */
export async function listSchedules(queries: DataQueries): Promise<string[]> {
  const { rows } = await sql<{ schedule: string }>`
    select distinct schedule from read_objects where next_tick is not null and pause is null and schedule is not null
  `.execute(queries);
  return rows.map(({ schedule }) => schedule);
}

/** Makes objects due whose next tick is later than the latest one of their schedule. Returns their number. */
export async function makeDueFrom(
  queries: DataQueries,
  bounds: { schedule: string; latest: Date }[],
): Promise<number> {
  const result = await sql`
    update read_objects set next_tick = now()
    from unnest(${bounds.map(({ schedule }) => schedule)}::text[], ${bounds.map(({ latest }) => latest)}::timestamptz[])
      as bound (schedule, latest)
    where read_objects.schedule = bound.schedule and next_tick > bound.latest and pause is null
  `.execute(queries);
  return countAffectedRows(result);
}

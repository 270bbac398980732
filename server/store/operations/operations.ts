/** Operations: actions for an installation, each with its log. */
import { sql, type RawBuilder } from "kysely";
import { now } from "../../../ground/clock.ts";
import { isUuid } from "../../../ground/ids.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { DataQueries } from "../database/sides.ts";
import type { EventRow } from "../deliveries/events.ts";
import type { ProjectBound } from "../database/id-range.ts";
import { toStorableJson, toStoredJson } from "../database/stored-json.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";
import { removePlannedByRows, removeRows } from "../database/remove-rows.ts";

export type OperationStatus = "in_progress" | "success" | "failure";

/** Who requested something. `access/actor.ts` describes the kinds. */
export interface Actor {
  kind: "agent" | "key" | "person" | "customer";
  id: string;
  name?: string;
  client?: string;
  onBehalfOf?: string;
}

export interface OperationRow {
  id: string;
  projectId: string;
  integrationId: string;
  installationId: string;
  configId: string;
  actionType: string;
  objectName: string;
  status: string;
  result: string | null;
  metadata: unknown;
  createTime: Date;
  updateTime: Date | null;
}

/** Columns without the log, which can be long. */
const COLUMNS = [
  "id",
  "projectId",
  "integrationId",
  "installationId",
  "configId",
  "actionType",
  "objectName",
  "status",
  "result",
  "metadata",
  "createTime",
  "updateTime",
] as const;

export type NewOperation = Pick<
  OperationRow,
  "id" | "projectId" | "integrationId" | "installationId" | "configId" | "actionType" | "objectName"
> & {
  /** Name of the object in results and events, where it differs from `objectName`. */
  messageName?: string;
  /** Id of the request that started it. */
  requestId?: string;
  /** Who requested it; absent for Busbar itself. */
  actor?: Actor | undefined;
};

type BegunOperation = NewOperation & { claimedBy: number };

/** Inserts operations that a process executes itself; `claimedBy` lets other processes end them if it dies. */
export async function insertOperations(queries: DataQueries, operations: BegunOperation[]): Promise<void> {
  await sql`/* prepare begin-operations */ ${insertBegun(operations)}`.execute(queries);
}

/** Returns the statement that inserts operations, also as a part of another one. Its text is the same for any number of them. */
export const insertBegun = (
  operations: readonly BegunOperation[],
  condition: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> => sql`
  insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, request_id, claimed_by,
    actor, status, metadata)
  select id, "projectId", "integrationId", "installationId", "configId", "actionType", "objectName", "requestId", "claimedBy", actor,
    'in_progress',
    case when "messageName" is null then '{}' else jsonb_build_object('objects', jsonb_build_array("messageName")) end
  from jsonb_to_recordset(${toStoredJson(operations)}::jsonb) as x(
    id uuid, "projectId" uuid, "integrationId" uuid, "installationId" uuid, "configId" uuid, "actionType" text, "objectName" text,
    "requestId" uuid, "claimedBy" integer, actor jsonb, "messageName" text)
  ${condition}
  -- The ids are created here: an existing row was inserted by an earlier run of this statement, whose answer was lost.
  on conflict (id) do nothing`;

/** Step of an operation. The values of `details` are text for people, never secrets. */
export interface LogEntry {
  severity: "DEBUG" | "INFO" | "WARNING" | "ERROR";
  msg: string;
  error?: string;
  details?: Record<string, string>;
}

/** Entry as it is stored. */
type TimedLogEntry = LogEntry & { time: string };

export const addTimes = (log: LogEntry[]): TimedLogEntry[] => {
  const time = now().toISOString();
  return log.map((entry) => ({ ...entry, time }));
};

export interface EndedOperation {
  id: string;
  status: "success" | "failure";
  result: string;
  metadata: JsonObject;
  log: LogEntry[];
  /** Event that is recorded only if this statement ends the operation. */
  event?: EventRow;
}

/**
 * Ends operations, appends to their logs, removes them from the write queue and records their events, in one statement: one
 * round trip and one commit for many. An operation that has ended already stays as it is. Events without a destination are
 * recorded as such here, by the rules of `routeEvents`. `answered` is a statement to carry out with this one.
 */
export async function endOperations(
  queries: DataQueries,
  operations: EndedOperation[],
  answered?: RawBuilder<unknown>,
): Promise<void> {
  const input = operations.map(({ id, status, result, metadata, log, event }) => ({
    id,
    status,
    result,
    metadata,
    log: addTimes(log),
    event_id: event?.id,
    event_type: event?.type,
    event_data: event && toStorableJson(event.data),
    traceparent: event?.traceparent,
  }));
  const [name, also] = answered
    ? [sql`/* prepare end-keyed-operations */`, sql`answered as (${answered}),`]
    : [sql`/* prepare end-operations */`, sql``];
  await sql`${name}
    with ${also} input as (
      select * from jsonb_to_recordset(${toStoredJson(input)}::jsonb)
        as x(id uuid, status text, result text, metadata jsonb, log jsonb, event_id uuid, event_type text, event_data text,
          traceparent text)
    ), ended as (
      update operations set status = input.status, result = input.result, claimed_by = null,
        metadata = operations.metadata || input.metadata, log = operations.log || input.log, update_time = now()
      from input
      -- The ids are given twice, so that an index is used whatever the statistics say: those of a queue that was empty when
      -- it was analysed make the planner read a whole index for a join. Few operations are in progress, so with a plain
      -- comparison it expects one row and compares each operation with every row of the input; of a CASE it expects half.
      where operations.id = any(${operations.map(({ id }) => id)}::uuid[]) and operations.id = input.id
        and case operations.status when 'in_progress' then true end
      returning operations.id, operations.project_id, event_id, event_type, event_data, traceparent
    ), unqueued as (
      delete from writes where operation_id = any(array(select id from ended))
    ), told as (
      insert into events (id, project_id, type, data, traceparent)
      select event_id, project_id, event_type, event_data::json, traceparent from ended where event_id is not null
    ), kinds as (
      select project_id, event_type from ended where event_id is not null group by project_id, event_type
    ), missing as (
      select kind.project_id, kind.event_type, case when bool_or(last.id is not null) then null
        when bool_or(step.id is not null) then 'destination' else 'topic' end as missing
      from kinds as kind
      left join event_topic_routes step on step.project_id = kind.project_id and step.event_type = kind.event_type
      left join topic_destination_routes last on last.topic_id = step.topic_id
      group by kind.project_id, kind.event_type
    ), nowhere as (
      -- Routing such an event would cost more than this.
      insert into events_nowhere (project_id, event_id, missing)
      select project_id, event_id, missing from ended join missing using (project_id, event_type)
      where event_id is not null and missing is not null
    ), published as (
      insert into event_topics (event_id, topic_id, topic_name)
      select event_id, topics.id, topics.name
      from ended join missing using (project_id, event_type)
      join event_topic_routes step using (project_id, event_type)
      join topics on topics.id = step.topic_id
      where event_id is not null and missing = 'destination'
    ), queued as (
      insert into unrouted_events (event_id)
      select event_id from ended join missing using (project_id, event_type)
      where event_id is not null and missing is null
      returning event_id
    )
    select ${buildWakeColumn("events", sql`exists (select from queued)`)}
  `.execute(queries);
}

export async function findOperation(
  queries: DataQueries,
  projectId: string,
  id: string,
): Promise<OperationRow | undefined> {
  if (!isUuid(id)) return undefined;
  return queries
    .selectFrom("operations")
    .select(COLUMNS)
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Lists those of the ids that are operations of the project. */
export async function listKnownOperations(
  queries: DataQueries,
  projectId: string,
  ids: string[],
): Promise<Set<string>> {
  const rows = await queries
    .selectFrom("operations")
    .select("id")
    .where("projectId", "=", projectId)
    .where("id", "=", sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Finds the log of an operation, oldest step first; undefined if the project has no operation with this id. */
export async function findOperationLog(
  queries: DataQueries,
  projectId: string,
  id: string,
): Promise<{ log: TimedLogEntry[]; installationId: string } | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await queries
    .selectFrom("operations")
    .select(["log", "installationId"])
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row as { log: TimedLogEntry[]; installationId: string } | undefined;
}

/** Removes up to `max` ended operations older than an id, with their logs; returns their number. */
export const removeOldOperations = (queries: DataQueries, beforeId: string, max: number): Promise<number> =>
  removeRows(queries, "operations", sql`id < ${beforeId} and status <> 'in_progress' order by id`, max);

/** Removes up to `max` old operations of one project; returns their number. */
export const removeProjectOperations = (
  queries: DataQueries,
  bound: ProjectBound,
  max: number,
): Promise<number> => removePlannedByRows(queries, "operations", matchOldOperations(bound), max);

export const matchOldOperations = ({ projectId, id }: ProjectBound) =>
  sql`project_id = ${projectId} and id < ${id} and status <> 'in_progress' order by id`;

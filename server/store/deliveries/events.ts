/** Events: how they are stored and queued for routing, and the fields of an installation that they contain. */
import { sql, type RawBuilder } from "kysely";
import type { DataQueries, SharedQueries } from "../database/sides.ts";
import { buildWakeColumn } from "../database/wake-ups.ts";

export interface EventRow {
  id: string;
  projectId: string;
  type: string;
  /** JSON text. */
  data: string;
  /** Set for a data message: its only destination. Other events are routed by topics. */
  destinationId?: string | undefined;
  /** Trace in which it was recorded, as the header `traceparent`. */
  traceparent?: string | undefined;
}

/** Inserts events in one statement; the delivering processes are woken after the commit. */
export async function insertEvents(queries: DataQueries, events: EventRow[]): Promise<void> {
  await sql`with ${buildEventInserts(events)} select ${WAKES_DELIVERERS}`.execute(queries);
}

/**
 * Returns common table expressions that insert events and queue them for routing, for a statement that also writes other
 * tables. The statement must read `inserted_events` (`id`), usually by `WAKES_DELIVERERS`. `condition` may use
 * earlier expressions of the statement; where it is false, nothing is inserted.
 */
export function buildEventInserts(
  events: EventRow[],
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const column = pickColumn(events);
  const sizes = events.map(({ data }) => Buffer.byteLength(data));
  return sql`
    queued_events as (
      insert into unrouted_events (event_id, destination_id, size_bytes)
      select id, destination_id, size_bytes
      from unnest(${column("id")}::uuid[], ${column("destinationId")}::uuid[], ${sizes}::integer[])
        as queued (id, destination_id, size_bytes)
      where ${condition}
    ), inserted_events as (
      insert into events (id, project_id, type, data, destination_id, traceparent)
      select id, project_id, type, data::json, destination_id, traceparent
      from unnest(
        ${column("id")}::uuid[], ${column("projectId")}::uuid[], ${column("type")}::text[], ${column("data")}::text[],
        ${column("destinationId")}::uuid[], ${column("traceparent")}::text[]
      ) as event (id, project_id, type, data, destination_id, traceparent)
      where ${condition}
      returning id
    )`;
}

const pickColumn =
  (events: EventRow[]) =>
  (name: keyof EventRow): (string | null)[] =>
    events.map((event) => event[name] ?? null);

/** For statements with `buildEventInserts`: wakes the delivering processes if events were inserted. */
export const WAKES_DELIVERERS = buildWakeColumn("events", sql`exists (select from inserted_events)`);

/** Fields of an installation that all its events contain. */
export interface InstallationFieldsRow {
  projectId: string;
  provider: string;
  integrationId: string;
  integrationName: string;
  installationId: string;
  connectionId: string;
  groupRef: string;
  groupName: string;
  consumerRef: string;
  consumerName: string;
}

/** Lists the fields of installations by id, in one query; missing installations are absent. */
export async function listInstallationFields(
  queries: SharedQueries,
  installationIds: string[],
): Promise<Map<string, InstallationFieldsRow>> {
  if (installationIds.length === 0) return new Map();
  const rows = await selectFields(queries).where("installations.id", "in", installationIds).execute();
  return new Map(rows.map((row) => [row.installationId, row]));
}

const selectFields = (queries: SharedQueries) =>
  queries
    .selectFrom("installations")
    .innerJoin("integrations", "integrations.id", "installations.integrationId")
    .innerJoin("groups", "groups.id", "installations.groupId")
    .innerJoin("connections", "connections.id", "installations.connectionId")
    .innerJoin("consumers", "consumers.id", "connections.consumerId")
    .select([
      "installations.projectId",
      "integrations.provider",
      "integrations.id as integrationId",
      "integrations.name as integrationName",
      "installations.id as installationId",
      "connections.id as connectionId",
      "groups.groupRef",
      "groups.groupName",
      "consumers.consumerRef",
      "consumers.consumerName",
    ]);

/** Finds the fields of one installation, and the ids of the rows that they come from. */
export async function findInstallationFields(
  queries: SharedQueries,
  installationId: string,
): Promise<{ fields: InstallationFieldsRow; rows: string[] } | undefined> {
  const found = await selectFields(queries)
    .select(["groups.id as groupId", "consumers.id as consumerId"])
    .where("installations.id", "=", installationId)
    .executeTakeFirst();
  if (!found) return undefined;
  const { groupId, consumerId, ...fields } = found;
  return {
    fields,
    rows: [fields.installationId, fields.connectionId, fields.integrationId, groupId, consumerId],
  };
}

/** Gets the fields of one installation, which must exist. */
export async function getInstallationFields(
  queries: SharedQueries,
  installationId: string,
): Promise<InstallationFieldsRow> {
  const row = (await listInstallationFields(queries, [installationId])).get(installationId);
  if (!row) throw new Error(`there is no installation ${installationId}`);
  return row;
}

/** Event as it is sent. */
export interface StoredEvent {
  id: string;
  projectId: string;
  type: string;
  /** JSON text. */
  data: string;
  /** `data` is a data message, which goes to a fixed destination. */
  kind: "event" | "data";
  createTime: Date;
  /** Null outside of a trace. */
  traceparent: string | null;
}

/** Kind of a row of `events`. */
export const EVENT_KIND = sql`case when events.destination_id is null then 'event' else 'data' end`;

/** Lists events by id; missing ones are absent. */
export async function listEventsById(queries: DataQueries, ids: string[]): Promise<Map<string, StoredEvent>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<StoredEvent>`
    select id, project_id, type, data::text as data, ${EVENT_KIND} as kind, create_time, traceparent
    from events where id = any(${ids}::uuid[])
  `.execute(queries);
  return new Map(rows.map((row) => [row.id, row]));
}

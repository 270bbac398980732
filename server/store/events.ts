/** Events: the outbox, and the fields of an installation that its events contain. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

export interface EventRow {
  id: string;
  projectId: string;
  type: string;
  /** JSON text. */
  data: string;
}

/** Inserts events in one statement; the processes that deliver are notified when the transaction commits. */
export async function insertEvents(queries: Queries, events: EventRow[]): Promise<void> {
  const column = (name: keyof EventRow) => events.map((event) => event[name]);
  await sql`
    with told as (
      select pg_notify('busbar_changes', '{"table":"events","id":""}')
    ), queued as (
      insert into unrouted_events select unnest(${column("id")}::uuid[])
    )
    insert into events (id, project_id, type, data)
    select id, project_id, type, data::json
    from told, unnest(
      ${column("id")}::uuid[], ${column("projectId")}::uuid[], ${column("type")}::text[], ${column("data")}::text[]
    ) as event (id, project_id, type, data)
  `.execute(queries);
}

/** The fields of an installation that all its events contain. */
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

/** Finds the fields of installations by id, in one query; installations that do not exist are absent. */
export async function listInstallationFields(
  queries: Queries,
  installationIds: string[],
): Promise<Map<string, InstallationFieldsRow>> {
  if (installationIds.length === 0) return new Map();
  const rows = await queries
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
    ])
    .where("installations.id", "in", installationIds)
    .execute();
  return new Map(rows.map((row) => [row.installationId, row]));
}

/** Finds the fields of one installation, which must exist. */
export async function getInstallationFields(
  queries: Queries,
  installationId: string,
): Promise<InstallationFieldsRow> {
  const row = (await listInstallationFields(queries, [installationId])).get(installationId);
  if (!row) throw new Error(`there is no installation ${installationId}`);
  return row;
}

/** An event as it is sent. */
export interface StoredEvent {
  id: string;
  projectId: string;
  type: string;
  /** JSON text. */
  data: string;
  createTime: Date;
}

/** Lists events by id; those that do not exist are absent. */
export async function listEventsById(queries: Queries, ids: string[]): Promise<Map<string, StoredEvent>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<StoredEvent>`
    select id, project_id, type, data::text as data, create_time from events where id = any(${ids}::uuid[])
  `.execute(queries);
  return new Map(rows.map((row) => [row.id, row]));
}

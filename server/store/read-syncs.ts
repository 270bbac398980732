/** Installations whose read objects may have changed, because their configuration, manifest or connection has. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";
import { queueSubscriptionSync } from "./subscription-syncs.ts";

/** Queues installations; one that is queued already keeps its earlier time, from which new objects are read. */
export async function queueReadSync(
  queries: Queries,
  of: { installationId: string } | { integrationId: string } | { connectionId: string },
): Promise<void> {
  const [column, id] =
    "installationId" in of
      ? ["id", of.installationId]
      : "integrationId" in of
        ? ["integration_id", of.integrationId]
        : ["connection_id", of.connectionId];
  await sql`
    with queued as (
      insert into read_syncs (installation_id) select id from installations where ${sql.ref(column)} = ${id}
      on conflict do nothing
      returning installation_id
    )
    select pg_notify('busbar_changes', '{"table":"read_syncs","id":""}') where exists (select from queued)
  `.execute(queries);
  // What an installation subscribes to follows from the same rows.
  await queueSubscriptionSync(queries, of);
}

export interface QueuedSync {
  installationId: string;
  projectId: string;
  askedTime: Date;
}

/** Takes the oldest out of the queue, for the caller's transaction. */
export async function takeReadSyncs(queries: Queries, most: number): Promise<QueuedSync[]> {
  const { rows } = await sql<QueuedSync>`
    with taken as (
      delete from read_syncs where installation_id in (
        select installation_id from read_syncs order by asked_time limit ${most} for update skip locked)
      returning installation_id, asked_time
    )
    select taken.installation_id, project_id, asked_time from taken
    join installations on installations.id = taken.installation_id
    order by asked_time
  `.execute(queries);
  return rows;
}

/** Takes one installation out of the queue, for the caller's transaction; waits while another transaction has it. */
export async function takeReadSyncOf(
  queries: Queries,
  installationId: string,
): Promise<QueuedSync | undefined> {
  const { rows } = await sql<QueuedSync>`
    with taken as (
      delete from read_syncs where installation_id = ${installationId} returning installation_id, asked_time
    )
    select taken.installation_id, project_id, asked_time from taken
    join installations on installations.id = taken.installation_id
  `.execute(queries);
  return rows[0];
}

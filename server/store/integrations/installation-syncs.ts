/** Installations whose read objects or subscriptions may have changed, because configuration, manifest or connection has. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import { wakes } from "../database/wake-ups.ts";

type SyncQueue = "read_syncs" | "subscription_syncs";

type Affected =
  | { installationId: string }
  | { integrationId: string }
  | { connectionId: string }
  | { projectId: string };

export interface QueuedSync {
  installationId: string;
  projectId: string;
  askedTime: Date;
}

/** Queues installations for both; one that is queued already keeps its earlier time, from which new objects are read. */
export async function queueSyncs(queries: DataQueries, of: Affected): Promise<void> {
  await queue(queries, "read_syncs", of);
  await queueSubscriptionSync(queries, of);
}

/** Queues installations for their subscriptions only, which depend on the provider app, too. */
export const queueSubscriptionSync = (queries: DataQueries, of: Affected): Promise<void> =>
  queue(queries, "subscription_syncs", of);

async function queue(queries: DataQueries, table: SyncQueue, of: Affected): Promise<void> {
  const [column, id] = pickColumn(of);
  await sql`
    with queued as (
      insert into ${sql.table(table)} (installation_id) select id from installations where ${sql.ref(column)} = ${id}
      on conflict do nothing
      returning installation_id
    )
    select ${wakes(table, sql`exists (select from queued)`)}
  `.execute(queries);
}

function pickColumn(of: Affected): [string, string] {
  if ("installationId" in of) return ["id", of.installationId];
  if ("integrationId" in of) return ["integration_id", of.integrationId];
  return "connectionId" in of ? ["connection_id", of.connectionId] : ["project_id", of.projectId];
}

/** Takes the oldest out of a queue, for the caller's transaction. */
export async function takeSyncs(queries: DataQueries, table: SyncQueue, max: number): Promise<QueuedSync[]> {
  const { rows } = await sql<QueuedSync>`
    with taken as (
      delete from ${sql.table(table)} where installation_id in (
        select installation_id from ${sql.table(table)} order by asked_time limit ${max} for update skip locked)
      returning installation_id, asked_time
    )
    select taken.installation_id, project_id, asked_time from taken
    join installations on installations.id = taken.installation_id
    order by asked_time
  `.execute(queries);
  return rows;
}

/** Takes one installation out of the queue of reads, for the caller's transaction; waits while another one has it. */
export async function takeInstallationReadSync(
  queries: DataQueries,
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

/** Installations whose subscriptions may have changed, because their configuration, manifest or connection has. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

/** Queues installations that are not queued yet. */
export async function queueSubscriptionSync(
  queries: Queries,
  of:
    | { installationId: string }
    | { integrationId: string }
    | { connectionId: string }
    | { projectId: string },
): Promise<void> {
  const [column, id] = columnOf(of);
  await sql`
    with queued as (
      insert into subscription_syncs (installation_id) select id from installations where ${sql.ref(column)} = ${id}
      on conflict do nothing
      returning installation_id
    )
    select pg_notify('busbar_changes', '{"table":"subscription_syncs","id":""}') where exists (select from queued)
  `.execute(queries);
}

function columnOf(of: Parameters<typeof queueSubscriptionSync>[1]): [string, string] {
  if ("installationId" in of) return ["id", of.installationId];
  if ("integrationId" in of) return ["integration_id", of.integrationId];
  return "connectionId" in of ? ["connection_id", of.connectionId] : ["project_id", of.projectId];
}

/** Takes the oldest out of the queue, for the caller's transaction. */
export async function takeSubscriptionSyncs(
  queries: Queries,
  most: number,
): Promise<{ installationId: string; projectId: string }[]> {
  const { rows } = await sql<{ installationId: string; projectId: string }>`
    with taken as (
      delete from subscription_syncs where installation_id in (
        select installation_id from subscription_syncs order by asked_time limit ${most} for update skip locked)
      returning installation_id
    )
    select taken.installation_id, project_id from taken join installations on installations.id = taken.installation_id
  `.execute(queries);
  return rows;
}

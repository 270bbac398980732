/** Queues of installations whose read objects or subscriptions may have changed with configuration, manifest or connection. */
import { sql } from "kysely";
import { queueOutbox } from "../database/outbox.ts";
import { isHere } from "../database/own-customers.ts";
import type { QueuedInstallations, SyncQueue } from "../database/outbox-entries.ts";
import type { ControlQueries, DataQueries } from "../database/sides.ts";

/** Selects one installation, or those of an integration or connection; without any of them, all of the project. */
interface Affected {
  projectId: string;
  installationId?: string;
  integrationId?: string;
  connectionId?: string;
}

export interface QueuedSync {
  installationId: string;
  projectId: string;
  askedTime: Date;
}

/** Queues installations for reads and subscriptions, in the transaction of the change. */
export const queueSyncs = (queries: ControlQueries, of: Affected): Promise<void> =>
  queue(queries, ["read_syncs", "subscription_syncs"], of);

/** Queues installations for subscriptions only, which depend on the provider app, too. */
export const queueSubscriptionSync = (queries: ControlQueries, of: Affected): Promise<void> =>
  queue(queries, ["subscription_syncs"], of);

const queue = (queries: ControlQueries, queues: SyncQueue[], of: Affected): Promise<void> =>
  queueOutbox(queries, [{ projectId: of.projectId, kind: "sync", content: { queues, ...pickColumn(of) } }]);

function pickColumn(of: Affected): Pick<QueuedInstallations, "by" | "id"> {
  const { projectId, installationId, integrationId, connectionId } = of;
  if (installationId !== undefined) return { by: "id", id: installationId };
  if (integrationId !== undefined) return { by: "integration_id", id: integrationId };
  return connectionId === undefined
    ? { by: "project_id", id: projectId }
    : { by: "connection_id", id: connectionId };
}

/** Takes the oldest entries out of a queue, in the caller's transaction. */
export async function takeSyncs(queries: DataQueries, table: SyncQueue, max: number): Promise<QueuedSync[]> {
  const { rows } = await sql<QueuedSync>`
    with taken as (
      delete from ${sql.table(table)} where installation_id in (
        select installation_id from ${sql.table(table)} where ${isHere(sql`installation_id`)} order by asked_time limit ${max} for update skip locked)
      returning installation_id, asked_time
    )
    select taken.installation_id, project_id, asked_time from taken
    join installations on installations.id = taken.installation_id
    order by asked_time
  `.execute(queries);
  return rows;
}

/** Takes one installation out of the queue of reads, in the caller's transaction; waits while another transaction has it. */
export async function takeInstallationReadSync(
  queries: DataQueries,
  installationId: string,
): Promise<QueuedSync | undefined> {
  const { rows } = await sql<QueuedSync>`
    with taken as (
      delete from read_syncs where installation_id = ${installationId} and ${isHere(sql`installation_id`)}
      returning installation_id, asked_time
    )
    select taken.installation_id, project_id, asked_time from taken
    join installations on installations.id = taken.installation_id
  `.execute(queries);
  return rows[0];
}

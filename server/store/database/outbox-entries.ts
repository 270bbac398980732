/** Entries of the outbox: the effects of control changes on data tables, and how each kind is stored. */
import { sql } from "kysely";
import { IS_OWN_INSTALLATION } from "./own-customers.ts";
import type { DataQueries } from "./sides.ts";
import { buildWakeColumn } from "./wake-ups.ts";

export type OutboxEntry = { projectId: string } & (
  | { kind: "event"; content: QueuedEvent }
  | { kind: "sync"; content: QueuedInstallations }
  | { kind: "renamed-account"; content: RenamedAccount }
  | { kind: "ended-watch"; content: { integrationId: string } }
);

/** Event to store. */
interface QueuedEvent {
  id: string;
  type: string;
  /** JSON text. */
  data: string;
  traceparent?: string | undefined;
}

/** Installations whose read objects or subscriptions may have changed. */
export interface QueuedInstallations {
  queues: SyncQueue[];
  /** Column that selects the installations. */
  by: "id" | "integration_id" | "connection_id" | "project_id";
  id: string;
}

export type SyncQueue = "read_syncs" | "subscription_syncs";

/** Account with a new name; what is stored under its former name stays valid. */
interface RenamedAccount {
  connectionId: string;
  accountRef: string;
  /** Former names of the account, in read objects and in baselines. */
  formerly: { read: string; baseline: string };
}

export interface StoredEntry {
  projectId: string;
  kind: OutboxEntry["kind"];
  /** JSON text. */
  content: string;
  /** Undefined means now. */
  createTime?: Date;
}

/** Stores entries of one kind. Changes nothing for entries that were stored before. */
type Store = (queries: DataQueries, entries: StoredEntry[]) => Promise<unknown>;

const STORES: Record<OutboxEntry["kind"], Store> = {
  event: storeEvents,
  sync: storeEach(queueInstallations),
  "renamed-account": storeEach(renameAccount),
  "ended-watch": storeEach(forgetBaselines),
};

/** Stores entries in their order. */
export async function storeEntries(queries: DataQueries, entries: StoredEntry[]): Promise<void> {
  for (let from = 0; from < entries.length;) {
    const kind = entries[from]?.kind ?? "event";
    const next = entries.findIndex((entry, index) => index > from && entry.kind !== kind);
    const until = next === -1 ? entries.length : next;
    await STORES[kind](queries, entries.slice(from, until));
    from = until;
  }
}

function storeEach<Content>(store: (queries: DataQueries, content: Content) => Promise<unknown>): Store {
  return async (queries, entries) => {
    // Only `queueOutbox` creates entries.
    for (const { content } of entries) await store(queries, JSON.parse(content) as Content);
  };
}

/** Stores events. An event of a removed project is dropped, as if it had been removed with the project. */
async function storeEvents(queries: DataQueries, entries: StoredEntry[]): Promise<void> {
  await sql`
    with given as (
      select (content ->> 'id')::uuid as id, project_id, content ->> 'type' as type, content ->> 'data' as data,
        content ->> 'traceparent' as traceparent, coalesce(given.create_time, now()) as create_time
      from unnest(
        ${entries.map(({ projectId }) => projectId)}::uuid[], ${entries.map(({ content }) => content)}::json[],
        ${entries.map(({ createTime }) => createTime ?? null)}::timestamptz[]
      ) as given (project_id, content, create_time)
      join projects on projects.id = project_id
    ), inserted as (
      insert into events (id, project_id, type, data, traceparent, create_time)
      select id, project_id, type, data::json, traceparent, create_time from given
      on conflict (id) do nothing
      returning id
    ), queued as (
      insert into unrouted_events (event_id, size_bytes)
      select id, octet_length(data) from given join inserted using (id)
    )
    select ${buildWakeColumn("events", sql`exists (select from inserted)`)}
  `.execute(queries);
}

/** Queues installations. One that is queued already keeps its earlier time, from which new objects are read. */
async function queueInstallations(
  queries: DataQueries,
  { queues, by, id }: QueuedInstallations,
): Promise<void> {
  for (const table of queues)
    await sql`
      with queued as (
        insert into ${sql.table(table)} (installation_id) select id from installations
        where ${sql.ref(by)} = ${id} and ${IS_OWN_INSTALLATION}
        on conflict do nothing
        returning installation_id
      )
      select ${buildWakeColumn(table, sql`exists (select from queued)`)}
    `.execute(queries);
}

async function renameAccount(
  queries: DataQueries,
  { connectionId, accountRef, formerly }: RenamedAccount,
): Promise<void> {
  const isOfConnection = sql<boolean>`installation_id in (
    select id from installations where connection_id = ${connectionId})`;
  await sql`
    update read_objects set account_ref = ${accountRef} where account_ref = ${formerly.read} and ${isOfConnection}
  `.execute(queries);
  await sql`
    update schema_baselines set account = ${accountRef} where account = ${formerly.baseline} and ${isOfConnection}
  `.execute(queries);
}

/** Removes baselines and refusals. Waits for a check that is saving one, and removes that one, too. */
async function forgetBaselines(
  queries: DataQueries,
  { integrationId }: { integrationId: string },
): Promise<void> {
  await sql`delete from schema_looks where integration_id = ${integrationId}`.execute(queries);
  await sql`
    delete from schema_baselines using installations
    where installations.integration_id = ${integrationId} and installation_id = installations.id
  `.execute(queries);
  await sql`
    update read_objects set schema_refusal = null from installations
    where installations.integration_id = ${integrationId} and installation_id = installations.id and schema_refusal is not null
  `.execute(queries);
}

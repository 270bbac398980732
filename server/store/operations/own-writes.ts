/** Writes by Busbar to customers' accounts, by record: for recognising changes that only reflect them. */
import { sql } from "kysely";
import { keepRecentlyUsed, type RecentlyUsed } from "../../../ground/recently-used.ts";
import type { DataQueries } from "../database/sides.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { countAffectedRows } from "../database/database.ts";

export interface OwnWrite {
  recordId: string;
  operationId: string;
  type: "create" | "update" | "delete";
  /** The write happened after this time, and at `until` or earlier, by the provider's clock. */
  since: Date;
  until: Date;
  /** Change of the record that the write caused, by the time that reads and events report; null if the answer did not contain it. */
  changeTime: Date | null;
  /** Hashes of the written values, by field in lower case. */
  fields: Record<string, string>;
}

interface OfObject {
  connectionId: string;
  objectKey: string;
}

/** How long it counts whether a connection is read, which saves a statement for each write to one that is not. */
const KNOWN_MS = 5_000;
const MAX_KNOWN = 10_000;

interface Readers {
  /** Whether an installation of a connection reads the account or subscribes to its changes. */
  isRead: RecentlyUsed<boolean>;
  /** The checks under way, by connection. */
  checks: Map<string, Promise<unknown>>;
}

const known = new WeakMap<DataQueries, Readers>();

function getReaders(queries: DataQueries): Readers {
  const readers = known.get(queries) ?? {
    isRead: keepRecentlyUsed<boolean>(MAX_KNOWN, { ttl: KNOWN_MS }),
    checks: new Map(),
  };
  known.set(queries, readers);
  return readers;
}

/**
 * Stores what `collect` returns, if an installation of the connection reads the account or subscribes to its changes. In the first
 * seconds of such an installation, writes may not be stored; their changes are then delivered.
 */
export async function insertOwnWrites(
  queries: DataQueries,
  { connectionId, objectKey }: OfObject,
  collect: () => OwnWrite[],
): Promise<void> {
  const { isRead, checks } = getReaders(queries);
  // One statement finds it out for all writes that end meanwhile: as many at once would take all connections of the pool.
  const checking = checks.get(connectionId);
  if (checking && !isRead.has(connectionId)) await checking;
  // Before the values are hashed, which costs more than the rest.
  if (isRead.get(connectionId) === false) return;
  const writes = collect();
  if (writes.length === 0) return;
  const inserting = insert(queries, { connectionId, objectKey }, writes);
  if (isRead.has(connectionId)) return void (await inserting);
  const check = inserting
    .then((found) => isRead.set(connectionId, found))
    .finally(() => checks.delete(connectionId));
  checks.set(
    connectionId,
    check.catch(() => {}),
  );
  await check;
}

/** Returns whether the connection is read; if not, nothing is inserted. */
async function insert(
  queries: DataQueries,
  { connectionId, objectKey }: OfObject,
  writes: OwnWrite[],
): Promise<boolean> {
  const column = <Name extends keyof OwnWrite>(name: Name) => writes.map((write) => write[name]);
  const { rows } = await sql<{ isRead: boolean }>`/* prepare insert-own-writes */
    with read as (
      select exists (
        select from installations where installations.connection_id = ${connectionId} and (
          exists (select from subscriptions where subscriptions.installation_id = installations.id)
          or exists (select from read_objects where read_objects.installation_id = installations.id))) as is_read),
    remembered as (
    insert into own_writes (connection_id, object_key, record_id, operation_id, type, since, until, change_time, fields)
    select connections.id, ${objectKey}, record_id, operation_id, one.type, since, until, change_time, fields::jsonb
    from connections cross join unnest(${column("recordId")}::text[], ${column("operationId")}::uuid[], ${column("type")}::text[],
      ${column("since")}::timestamptz[], ${column("until")}::timestamptz[], ${column("changeTime")}::timestamptz[],
      ${writes.map(({ fields }) => toStoredJson(fields))}::text[])
      as one (record_id, operation_id, type, since, until, change_time, fields)
    where connections.id = ${connectionId} and (select is_read from read)
    on conflict (connection_id, object_key, record_id, operation_id, type) do nothing)
    select is_read from read
  `.execute(queries);
  return rows[0]?.isRead !== false;
}

/** Lists the writes to some records, newest first. */
export async function listOwnWrites(
  queries: DataQueries,
  { connectionId, objectKey }: OfObject,
  recordIds: string[],
): Promise<Map<string, OwnWrite[]>> {
  if (recordIds.length === 0) return new Map();
  const { rows } = await sql<OwnWrite>`/* prepare list-own-writes */
    select record_id, operation_id, type, since, until, change_time, fields from own_writes
    where connection_id = ${connectionId} and object_key = ${objectKey} and record_id = any(${recordIds}::text[])
    order by operation_id desc
  `.execute(queries);
  return Map.groupBy(rows, ({ recordId }) => recordId);
}

/** Removes up to `max` old rows; returns their number. */
export async function removeOldOwnWrites(queries: DataQueries, days: number, max: number): Promise<number> {
  const result = await sql`
    delete from own_writes where ctid = any(array(
      select ctid from own_writes where create_time < now() - ${days} * interval '1 day' limit ${max}))
  `.execute(queries);
  return countAffectedRows(result);
}

/**
 * Makes the replication slot and the copies of a pair again: after a failover to a standby without the slot, or when the slot has lost
 * changes. The data database changes in one transaction, so that a pair stays a pair.
 */
import { escapeLiteral, type ClientBase } from "pg";
import { createSlot, readSubscribedSlot, REPLICATION, subscribe } from "./replicate-shared.ts";

/** Rows that one statement copies. */
const BATCH = 1_000;

/** Returns whether the control database has the slot, with all changes that the data database still needs. */
export async function hasSlot(control: ClientBase, slot: string): Promise<boolean> {
  const { rows } = await control.query(
    `select from pg_replication_slots
     where slot_name = $1 and database = current_database() and wal_status is distinct from 'lost'`,
    [slot],
  );
  return rows.length > 0;
}

/** Has the data database's server reach the control database by this address from now on. */
export async function renewAddress(data: ClientBase, controlUrl: string): Promise<void> {
  await data.query(`alter subscription ${REPLICATION} connection ${escapeLiteral(controlUrl)}`);
}

/**
 * Makes slot and copies again. `tables` come in an order in which no row refers to a later table. `locking` is a second connection to
 * the control database: nobody changes it between the beginnings of the slot and of the snapshot from which is copied.
 */
export async function renewCopies({
  control,
  locking,
  data,
  controlUrl,
  tables,
}: {
  control: ClientBase;
  locking: ClientBase;
  data: ClientBase;
  controlUrl: string;
  tables: readonly string[];
}): Promise<void> {
  const slot = (await readSubscribedSlot(data)) ?? "";
  await locking.query(`begin; lock table ${tables.join(", ")} in share mode`);
  await control.query(
    "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1",
    [slot],
  );
  await createSlot(control, slot);
  await control.query("begin isolation level repeatable read read only; select 1");
  await locking.query("rollback");
  await data.query("begin");
  try {
    await data.query(
      `alter subscription ${REPLICATION} disable;
       alter subscription ${REPLICATION} set (slot_name = none);
       drop subscription ${REPLICATION}`,
    );
    for (const table of tables) await loadRows(control, data, table);
    for (const table of tables.toReversed()) await removeGone(data, table);
    for (const table of tables) await replaceRows(data, table);
    await subscribe({ control, data, controlUrl, slot });
    await data.query("commit");
  } catch (error) {
    await data.query("rollback");
    throw error;
  } finally {
    await control.query("rollback");
  }
}

/** Loads the rows of the control database into a temporary table. */
async function loadRows(control: ClientBase, data: ClientBase, table: string): Promise<void> {
  await data.query(`create temporary table fresh_${table} (like ${table}) on commit drop`);
  await control.query(
    `declare fresh no scroll cursor for select row_to_json(entry)::text as line from ${table} as entry`,
  );
  for (;;) {
    const { rows } = await control.query<{ line: string }>(`fetch ${BATCH} from fresh`);
    if (rows.length === 0) break;
    await data.query(
      `insert into fresh_${table} select * from json_populate_recordset(null::${table}, $1::json)`,
      [`[${rows.map(({ line }) => line).join(",")}]`],
    );
  }
  await control.query("close fresh");
}

/** Removes rows that the control database has no longer, and what belongs to them. */
async function removeGone(data: ClientBase, table: string): Promise<void> {
  const key = await listKey(data, table);
  const same = key.map((column) => `fresh.${column} = gone.${column}`).join(" and ");
  await data.query(
    `delete from ${table} as gone where not exists (select from fresh_${table} as fresh where ${same})`,
  );
}

/** Inserts and changes the rows that differ. */
async function replaceRows(data: ClientBase, table: string): Promise<void> {
  const key = await listKey(data, table);
  const { rows } = await data.query<{ name: string; numbered: boolean }>(
    `select quote_ident(attname) as name, attidentity <> '' as numbered from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  const identities = new Set(rows.filter(({ numbered }) => numbered).map(({ name }) => name));
  const columns = rows.map(({ name }) => name);
  const list = columns.join(", ");
  // An identity column can be inserted, but not changed; it never changes.
  const changed = columns
    .filter((column) => !key.includes(column) && !identities.has(column))
    .map((column) => `${column} = excluded.${column}`);
  await data.query(
    `insert into ${table} (${list}) overriding system value select ${list} from fresh_${table}
     on conflict (${key.join(", ")}) do ${changed.length > 0 ? `update set ${changed.join(", ")}` : "nothing"}`,
  );
}

/** Lists the columns of the primary key. */
async function listKey(data: ClientBase, table: string): Promise<string[]> {
  const { rows } = await data.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_index
       join pg_attribute on attrelid = indrelid and attnum = any(indkey)
     where indrelid = $1::regclass and indisprimary`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/**
 * Makes the replication slot and the copies of a pair again: after a failover to a standby without the slot, or when the slot has lost
 * changes. The data database changes in one transaction, so that a pair stays a pair.
 */
import { setTimeout as wait } from "node:timers/promises";
import { DatabaseError, escapeLiteral, type ClientBase } from "pg";
import { elapsedMs } from "../../../ground/clock.ts";
import { StartError } from "../../../ground/errors.ts";
import { READ_POSITION } from "./copies.ts";
import { LOCKED, lockTables, MAX_TRIES, PAUSE_MS } from "./lock-tables.ts";
import {
  createSlot,
  OF_THIS_DATABASE,
  readSubscribedSlot,
  REPLICATION,
  subscribe,
} from "./replicate-shared.ts";

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

/** Returns whether replication goes on by itself: it is disabled while copies are made again, also if that broke off. */
export async function isEnabled(data: ClientBase): Promise<boolean> {
  const { rows } = await data.query(
    `select from pg_subscription where subname = $1 and subenabled and ${OF_THIS_DATABASE}`,
    [REPLICATION],
  );
  return rows.length > 0;
}

interface Renewal {
  control: ClientBase;
  /** A second connection to the control database. */
  locking: ClientBase;
  data: ClientBase;
  controlUrl: string;
  tables: readonly string[];
  /** Called before a table is read, with the number of those that are. */
  onTable?(table: string, done: number): void;
}

/**
 * Makes slot and copies again. `tables` come in an order in which no row refers to a later table. Replication is disabled first, and
 * enabled by the commit of the copies: with an old subscription, a new slot would miss what has changed between the two slots.
 */
export async function renewCopies(renewal: Renewal): Promise<void> {
  const slot = (await readSubscribedSlot(renewal.data)) ?? "";
  await renewal.data.query(`alter subscription ${REPLICATION} disable`);
  await makeCopies(renewal, slot);
}

/** Makes slot and copies, of a database that has none or whose subscription is disabled. */
export async function makeCopies(renewal: Renewal, slot: string): Promise<void> {
  const { control, locking } = renewal;
  await dropSlot(control, slot);
  try {
    // Waits for transactions that are open, so it must not hold a lock which they wait for.
    await createSlot(locking, slot);
    await beginAtSlot(renewal, slot);
    await replaceCopies(renewal, slot);
  } catch (error) {
    await control.query("rollback");
    await dropSlot(control, slot);
    throw error;
  } finally {
    await control.query("rollback");
  }
}

const DROP_MAX_MS = 10_000;
const OBJECT_IN_USE = "55006";

/** Drops the slot when nobody sends from it any more. */
export async function dropSlot(control: ClientBase, slot: string): Promise<void> {
  const untilMs = elapsedMs() + DROP_MAX_MS;
  for (;;)
    try {
      await control.query(
        "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1",
        [slot],
      );
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.code === OBJECT_IN_USE) || elapsedMs() > untilMs)
        throw error;
      await wait(DROP_PAUSE_MS);
    }
}

const DROP_PAUSE_MS = 50;

/** Begins a snapshot of the control database, and has the slot send exactly what is committed after it. */
async function beginAtSlot({ control, locking, tables }: Renewal, slot: string): Promise<void> {
  for (let tries = 1; !(await lockTables(locking, tables, tries)); tries += 1) {
    if (tries === MAX_TRIES) throw new StartError(`the copies cannot be made again: ${LOCKED}`);
    await wait(PAUSE_MS);
  }
  const { rows } = await locking.query<{ position: string }>(READ_POSITION);
  await control.query("begin isolation level repeatable read read only; select 1");
  // A slot can only be advanced to what is flushed, as this commit is with all before it.
  await locking.query(
    "set local synchronous_commit = on; select pg_logical_emit_message(true, 'busbar', ''); commit",
  );
  const position = rows[0]?.position;
  const { rows: advanced } = await locking.query(
    "select from pg_replication_slot_advance($1, $2) where end_lsn >= $2",
    [slot, position],
  );
  if (advanced.length === 0) throw new Error(`the replication slot ${slot} was not advanced to ${position}`);
}

/** Replaces the copies by the rows of the snapshot, and the subscription by one to the new slot. */
async function replaceCopies(
  { control, data, controlUrl, tables, onTable }: Renewal,
  slot: string,
): Promise<void> {
  await data.query("begin");
  try {
    if ((await readSubscribedSlot(data)) !== undefined)
      await data.query(
        `alter subscription ${REPLICATION} set (slot_name = none); drop subscription ${REPLICATION}`,
      );
    for (const [done, table] of tables.entries()) {
      onTable?.(table, done);
      await loadRows(control, data, table);
    }
    for (const table of tables.toReversed()) await removeGone(data, table);
    for (const table of tables) await replaceRows(data, table);
    await subscribe({ control, data, controlUrl, slot });
    await data.query("commit");
  } catch (error) {
    await data.query("rollback");
    throw error;
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

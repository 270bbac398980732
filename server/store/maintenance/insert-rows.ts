/** Inserts the rows of a backup, each into the database or the databases that have its table. */
import type { Client } from "pg";
import { StartError } from "../../../ground/errors.ts";
import type { Division } from "../sides/divide-schema.ts";
import { insertLines } from "../moves/copy-rows.ts";
import { listNumberedTables } from "../moves/customer-tables.ts";
import { listBackupTables, type BackupEnd } from "./backup-lines.ts";

/** A database that is restored, in a transaction. */
export interface Place {
  client: Client;
  /** Undefined: it has all tables. */
  division?: Division;
  /** Tables that are restored there; undefined: all. */
  tables?: readonly string[];
}

/** Text that one statement inserts. */
const BATCH_CHARACTERS = 1_000_000;

/** Replaces all rows. Those of shards get numbers behind those that are there. Throws `StartError` if the lines are not complete. */
export async function insertRows(places: Place[], lines: AsyncIterable<string>): Promise<BackupEnd> {
  const targets = await emptyTables(places);
  let rows = 0;
  let table = "";
  let batch: string[] = [];
  let characters = 0;
  let isOfShard = false;
  const flush = async () => {
    if (batch.length > 0)
      for (const client of targets.get(table) ?? []) await insertBatch(client, table, batch, isOfShard);
    [batch, characters] = [[], 0];
  };
  for await (const line of lines) {
    const rest = line.slice(2);
    if (line.startsWith("R ")) {
      batch.push(rest);
      rows += 1;
      characters += rest.length;
      if (characters >= BATCH_CHARACTERS) await flush();
      continue;
    }
    await flush();
    if (line.startsWith("S ")) {
      if (!isOfShard)
        for (const { client, tables } of places)
          if (tables?.includes("operations") ?? true) await continueNumbers(client);
      isOfShard = true;
    } else if (line.startsWith("T ")) {
      if (!targets.has(rest)) throw new StartError(`the backup has a table that is not known: ${rest}`);
      table = rest;
    } else if (line.startsWith("E ")) {
      const end = JSON.parse(rest) as BackupEnd;
      if (end.rows === rows) return end;
      throw new StartError(`the backup is damaged: it has ${rows} rows of ${end.rows}`);
    }
  }
  throw new StartError("the backup is cut off: its end is missing, so nothing was restored");
}

const NUMBERED = new Map(listNumberedTables().map(({ name, numbered }) => [name, numbered]));

/** Lets the numbers that a database gives begin behind those of the rows that it has. */
async function continueNumbers(client: Client): Promise<void> {
  for (const [table, column] of NUMBERED)
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', '${column}'), last) from (select max(${column}) as last from ${table}) as rows
       where last is not null and pg_get_serial_sequence('${table}', '${column}') is not null`,
    );
}

/** Removes the rows that migrations have inserted, which the backup also has. Returns the connections by table. */
async function emptyTables(places: Place[]): Promise<Map<string, Client[]>> {
  const targets = new Map<string, Client[]>();
  for (const { client, tables } of places) {
    const found = (await listBackupTables(client)).filter((name) => tables?.includes(name) ?? true);
    for (const name of found.toReversed()) {
      await client.query(`delete from ${client.escapeIdentifier(name)}`);
      targets.set(name, [...(targets.get(name) ?? []), client]);
    }
  }
  return targets;
}

/** Inserts rows without their triggers, which would send notifications, and insert rows that the backup contains as well. */
async function insertBatch(client: Client, table: string, rows: string[], isOfShard: boolean): Promise<void> {
  const name = client.escapeIdentifier(table);
  // Enabling all would make ordinary triggers of those that fire for copies.
  const { rows: special } = await client.query<{ trigger: string; mode: "A" | "R" }>(
    `select tgname as trigger, tgenabled as mode from pg_trigger
     where tgrelid = $1::regclass and not tgisinternal and tgenabled in ('A', 'R')`,
    [name],
  );
  // PostgreSQL computes the others, and refuses values for them.
  const { rows: given } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [name],
  );
  const columns = given[0]?.columns ?? "";
  await client.query(`alter table ${name} disable trigger user`);
  const insert = () =>
    client.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
      [`[${rows.join(",")}]`],
    );
  const numbered = NUMBERED.get(table);
  // Several shards read the journal of one provider app.
  const inserting = isOfShard
    ? insertLines(client, { table, ...(numbered !== undefined && { numbered }) }, rows)
    : insert();
  await inserting.catch((cause: Error) => {
    throw new StartError(`the table ${table} cannot be restored: ${cause.message}`, { cause });
  });
  await client.query(`alter table ${name} enable trigger user`);
  for (const { trigger, mode } of special)
    await client.query(
      `alter table ${name} enable ${mode === "A" ? "always" : "replica"} trigger ${client.escapeIdentifier(trigger)}`,
    );
}

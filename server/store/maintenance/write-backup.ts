/** Reads a whole database, or both, as the lines of a backup, while they are in use: all rows are from the same moment. */
import type { Client } from "pg";
import { now } from "../../../ground/clock.ts";
import { StartError } from "../../../ground/errors.ts";
import { VERSION } from "../../../ground/version.ts";
import { FORMAT, listBackupTables, type BackupEnd, type BackupHead } from "./backup-lines.ts";
import { openSnapshots } from "./open-snapshots.ts";

/** Rows fetched at once: few enough for rows with whole messages. */
const FETCHED_ROWS = 200;

/**
 * Yields the lines, each with its line break. While it runs, dead rows are not vacuumed; nothing else waits for it. The lines do not
 * show whether the rows were in one database or in two.
 */
export async function* backupLines(urls: {
  connectionString: string;
  dataUrl?: string | undefined;
}): AsyncGenerator<string> {
  const opened: Client[] = [];
  try {
    const snapshots = await openSnapshots(urls, opened);
    await requireNoShards(snapshots[0]?.client);
    const migrations = await readMigrations(snapshots.map(({ client }) => client));
    const head: BackupHead = { format: FORMAT, version: VERSION, time: now().toISOString(), migrations };
    yield `H ${JSON.stringify(head)}\n`;
    const end: BackupEnd = { rows: 0, sequences: {} };
    // No control table refers to a data table, so those of the control database come first.
    for (const { client, tables } of snapshots)
      for (const table of await listBackupTables(client))
        if (!tables || tables.includes(table)) yield* tableLines(client, table, end);
    for (const { client } of snapshots) {
      await addSequences(client, end);
      await client.query("commit");
    }
    yield `E ${JSON.stringify(end)}\n`;
  } finally {
    for (const client of opened) await client.end();
  }
}

/** Throws if a customer is in another database, which the backup would lack. */
async function requireNoShards(control: Client | undefined): Promise<void> {
  // A database of an earlier version can be backed up, too.
  const known = await control?.query<{ found: boolean }>("select to_regclass('shards') is not null as found");
  if (!known?.rows[0]?.found) return;
  const found = await control?.query<{ shard: string }>(
    "select shard from groups where shard is not null limit 1",
  );
  const shard = found?.rows[0]?.shard;
  if (shard === undefined) return;
  throw new StartError(
    `customers are in the shard ${shard}, and a backup of several shards is not built yet: back up each PostgreSQL by its own tools`,
  );
}

async function readMigrations(clients: Client[]): Promise<string[]> {
  const lists: string[][] = [];
  for (const client of clients) {
    const { rows } = await client.query<{ name: string }>("select name from migrations order by name");
    lists.push(rows.map(({ name }) => name));
  }
  const [first = [], second = first] = lists;
  if (first.join() === second.join()) return first;
  throw new StartError(
    'one of the two databases is migrated further than the other: run "busbar migrate" first',
  );
}

/** Yields the rows of a table, and counts them. */
async function* tableLines(client: Client, table: string, end: BackupEnd): AsyncGenerator<string> {
  yield `T ${table}\n`;
  // In a row, a line break can only be white space between the members of a json value.
  await client.query(
    `declare backup no scroll cursor for
     select replace(row_to_json(entry)::text, E'\\n', ' ') as line from ${client.escapeIdentifier(table)} as entry`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${FETCHED_ROWS} from backup`);
    if (rows.length === 0) break;
    end.rows += rows.length;
    yield rows.map(({ line }) => `R ${line}\n`).join("");
  }
  await client.query("close backup");
}

/**
 * Adds the last values of the sequences, the higher one of two. Sequences belong to no transaction. Read last, they are not behind any
 * row.
 */
async function addSequences(client: Client, { sequences }: BackupEnd): Promise<void> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = current_schema() and last_value is not null`,
  );
  for (const { name, value } of rows)
    if (BigInt(value) > BigInt(sequences[name] ?? "0")) sequences[name] = value;
}

/** Reads a whole database, or all databases, as the lines of a backup, while they are in use: all rows are from the same moment. */
import type { Client } from "pg";
import { now } from "../../../ground/clock.ts";
import { StartError } from "../../../ground/errors.ts";
import { VERSION } from "../../../ground/version.ts";
import { FORMAT, SHARDED_FORMAT, listBackupTables, type BackupEnd, type BackupHead } from "./backup-lines.ts";
import { openSnapshots, type BackupUrls } from "./open-snapshots.ts";

/** Rows fetched at once: few enough for rows with whole messages. */
const FETCHED_ROWS = 200;

/**
 * Yields the lines, each with its line break. While it runs, dead rows are not vacuumed; nothing else waits for it. The lines do not
 * show whether the rows were in one database or in two.
 */
export async function* writeBackupLines(urls: BackupUrls): AsyncGenerator<string> {
  const opened: Client[] = [];
  try {
    const snapshots = await openSnapshots(urls, opened);
    await requireAllCustomers(snapshots[0]?.client, urls);
    const migrations = await readMigrations(snapshots.map(({ client }) => client));
    const format = snapshots.some(({ shard }) => shard !== undefined) ? SHARDED_FORMAT : FORMAT;
    const head: BackupHead = { format, version: VERSION, time: now().toISOString(), migrations };
    yield `H ${JSON.stringify(head)}\n`;
    const end: BackupEnd = { rows: 0, sequences: {} };
    // No control table refers to a data table, so those of the control database come first.
    for (const { client, tables, shard } of snapshots) {
      if (shard !== undefined) yield `S ${shard}\n`;
      for (const table of await listBackupTables(client))
        if (!tables || tables.includes(table)) yield* listTableLines(client, table, end);
    }
    for (const { client } of snapshots) {
      await addSequences(client, end);
      await client.query("commit");
    }
    yield `E ${JSON.stringify(end)}\n`;
  } finally {
    for (const client of opened) await client.end();
  }
}

/** Throws if a customer is in a shard that the backup would lack, or has rows in two. */
async function requireAllCustomers(control: Client | undefined, { shards = [] }: BackupUrls): Promise<void> {
  // A database of an earlier version can be backed up, too.
  const known = await control?.query<{ found: boolean }>(
    "select to_regclass('shard_moves') is not null as found",
  );
  if (!known?.rows[0]?.found) return;
  const names = shards.map(({ name }) => name);
  const found = await control?.query<{ shard: string }>(
    "select shard from groups where shard is not null and shard <> all($1::text[]) limit 1",
    [names],
  );
  const shard = found?.rows[0]?.shard;
  if (shard !== undefined)
    throw new StartError(
      `customers are in the shard ${shard}, which is not open: busbar shards list says why, and only a backup of all shards is one`,
    );
  const moved = await control?.query<{ ref: string }>(
    "select group_ref as ref from shard_moves join groups on groups.id = group_id limit 1",
  );
  const ref = moved?.rows[0]?.ref;
  if (ref !== undefined)
    throw new StartError(
      `the customer ${ref} is being moved, so it has rows in two shards: back up when the move has ended (busbar shards list)`,
    );
}

async function readMigrations(clients: Client[]): Promise<string[]> {
  const lists: string[][] = [];
  for (const client of clients) {
    const { rows } = await client.query<{ name: string }>("select name from migrations order by name");
    lists.push(rows.map(({ name }) => name));
  }
  const [first = [], ...more] = lists;
  if (more.every((list) => list.join() === first.join())) return first;
  throw new StartError('one of the databases is migrated further than another: run "busbar migrate" first');
}

/** Yields the rows of a table, and counts them. */
async function* listTableLines(client: Client, table: string, end: BackupEnd): AsyncGenerator<string> {
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

/** Restores a backup into an empty database, in one transaction: afterwards it has all rows, or none. */
import type { Client } from "pg";
import { StartError } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import { FORMAT, listBackupTables, type BackupEnd, type BackupHead } from "./backup-lines.ts";
import { openClient } from "../database/prepare-database.ts";
import { toCurrentNames, migrate } from "../database/migrate.ts";

/** Text that one statement inserts. */
const BATCH_CHARACTERS = 1_000_000;

/**
 * Migrates the database to the backup's migrations, inserts the rows, and then migrates it to this version. Returns the
 * backup's head. Throws `StartError` if the database is not empty, or if the backup is cut off, comes from a newer version or
 * is no backup.
 */
export async function restoreBackup(
  connectionString: string,
  lines: AsyncIterable<string>,
  log: Log,
): Promise<BackupHead & BackupEnd> {
  const client = await openClient(connectionString);
  try {
    const each = lines[Symbol.asyncIterator]();
    const head = readHead((await each.next()).value);
    await migrate(client, log, { upTo: head.migrations });
    await requireEmpty(client, toCurrentNames(head.migrations));
    await client.query("begin");
    const end = await insertRows(client, { [Symbol.asyncIterator]: () => each });
    for (const [name, value] of Object.entries(end.sequences))
      await client.query("select setval($1::regclass, $2)", [client.escapeIdentifier(name), value]);
    await client.query("commit");
    await migrate(client, log);
    await client.query("analyze");
    return { ...head, ...end };
  } finally {
    // Rolls back what was not committed.
    await client.end();
  }
}

function readHead(line: string | undefined): BackupHead {
  if (!line?.startsWith("H ")) throw new StartError("the file is not a backup of Busbar: it has no head");
  const head = JSON.parse(line.slice(2)) as BackupHead;
  if (head.format === FORMAT) return head;
  throw new StartError(
    `the backup was made by Busbar ${head.version}; restore it with that version or a newer one`,
  );
}

async function requireEmpty(client: Client, migrations: string[]): Promise<void> {
  const { rows } = await client.query<{ used: boolean; more: boolean }>(
    `select exists (select from organizations) as used,
       exists (select from migrations where name <> all($1::text[])) as more`,
    [migrations],
  );
  if (!rows[0]?.used && !rows[0]?.more) return;
  throw new StartError(
    "the database is not empty: restore into a new data folder (BUSBAR_DATA_DIR) or an empty database (DATABASE_URL)",
  );
}

async function insertRows(client: Client, lines: AsyncIterable<string>): Promise<BackupEnd> {
  const tables = await listBackupTables(client);
  // The backup also contains the rows that migrations have inserted.
  for (const table of tables.toReversed())
    await client.query(`delete from ${client.escapeIdentifier(table)}`);
  let rows = 0;
  let table = "";
  let batch: string[] = [];
  let characters = 0;
  const flush = async () => {
    if (batch.length > 0) await insertBatch(client, table, batch);
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
    if (line.startsWith("T ")) {
      if (!tables.includes(rest)) throw new StartError(`the backup has a table that is not known: ${rest}`);
      table = rest;
    } else if (line.startsWith("E ")) {
      const end = JSON.parse(rest) as BackupEnd;
      if (end.rows === rows) return end;
      throw new StartError(`the backup is damaged: it has ${rows} rows of ${end.rows}`);
    }
  }
  throw new StartError("the backup is cut off: its end is missing, so nothing was restored");
}

/** Inserts rows without their triggers, which would send notifications, and insert rows that the backup contains as well. */
async function insertBatch(client: Client, table: string, rows: string[]): Promise<void> {
  const name = client.escapeIdentifier(table);
  await client.query(`alter table ${name} disable trigger user`);
  await client
    .query(
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $1::json)`,
      [`[${rows.join(",")}]`],
    )
    .catch((cause: Error) => {
      throw new StartError(`the table ${table} cannot be restored: ${cause.message}`, { cause });
    });
  await client.query(`alter table ${name} enable trigger user`);
}

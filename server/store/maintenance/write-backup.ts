/** Reads a whole database as the lines of a backup, while it is in use: all rows are from the same moment. */
import { now } from "../../../ground/clock.ts";
import { VERSION } from "../../../ground/version.ts";
import { FORMAT, listBackupTables, type BackupEnd, type BackupHead } from "./backup-lines.ts";
import { openClient } from "../database/prepare-database.ts";

/** Rows fetched at once: few enough for rows with whole messages. */
const FETCHED_ROWS = 200;

/** Yields the lines, each with its line break. While it runs, dead rows are not vacuumed; nothing else waits for it. */
export async function* backupLines(connectionString: string): AsyncGenerator<string> {
  const client = await openClient(connectionString);
  try {
    await client.query("begin isolation level repeatable read read only");
    const { rows: migrations } = await client.query<{ name: string }>(
      "select name from migrations order by name",
    );
    const head: BackupHead = {
      format: FORMAT,
      version: VERSION,
      time: now().toISOString(),
      migrations: migrations.map(({ name }) => name),
    };
    yield `H ${JSON.stringify(head)}\n`;
    let count = 0;
    for (const table of await listBackupTables(client)) {
      yield `T ${table}\n`;
      // In a row, a line break can only be white space between the members of a json value.
      await client.query(
        `declare backup no scroll cursor for
         select replace(row_to_json(entry)::text, E'\\n', ' ') as line from ${client.escapeIdentifier(table)} as entry`,
      );
      for (;;) {
        const { rows } = await client.query<{ line: string }>(`fetch ${FETCHED_ROWS} from backup`);
        if (rows.length === 0) break;
        count += rows.length;
        yield rows.map(({ line }) => `R ${line}\n`).join("");
      }
      await client.query("close backup");
    }
    // Sequences belong to no transaction. Read last, they are not behind any row.
    const { rows: sequences } = await client.query<{ name: string; value: string }>(
      `select sequencename as name, last_value::text as value from pg_sequences
       where schemaname = current_schema() and last_value is not null`,
    );
    const end: BackupEnd = {
      rows: count,
      sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, value])),
    };
    yield `E ${JSON.stringify(end)}\n`;
    await client.query("commit");
  } finally {
    await client.end();
  }
}

/** Migrates a database to the schema of this version, once, however many processes start together. */
import { readdir, readFile } from "node:fs/promises";
import type { Client, ClientBase } from "pg";
import { StartError } from "../ground/errors.ts";
import type { Log } from "../ground/log.ts";

const FOLDER = new URL("../../migrations/", import.meta.url);

/** `schema.sql`, which lies beside the migrations, is generated for readers. */
const MIGRATION = /^\d{4}_.*\.sql$/;

/** Advisory lock that is held while migrating; any constant that no other program in the database uses. */
const LOCK_KEY = 7_355_608_420_117;

/**
 * Applies the missing files of `migrations/` in order, each in its own transaction. A second process waits for the
 * first and finds nothing to do. Refuses a database that a newer Busbar has migrated.
 */
export async function migrate(client: Client, log: Log): Promise<void> {
  await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
  try {
    await client.query(
      "create table if not exists migrations (name text primary key, create_time timestamptz not null default now())",
    );
    const names = await migrationNames();
    const { rows } = await client.query<{ name: string }>("select name from migrations");
    const applied = new Set(rows.map((row) => row.name));
    refuseNewer(applied, names);
    const missing = names.filter((candidate) => !applied.has(candidate));
    for (const name of missing) {
      await apply(client, name);
      log.debug({ migration: name }, "migration applied");
    }
    if (missing.length > 0)
      log.info({ migrations: missing.length, last: missing.at(-1) }, "database migrated");
  } finally {
    await client.query("select pg_advisory_unlock($1)", [LOCK_KEY]);
  }
}

export async function migrationNames(): Promise<string[]> {
  const files = await readdir(FOLDER);
  return files.filter((file) => MIGRATION.test(file)).toSorted();
}

async function apply(client: ClientBase, name: string): Promise<void> {
  const sql = await readFile(new URL(name, FOLDER), "utf8");
  await client.query("begin");
  try {
    await client.query(sql);
    await client.query("insert into migrations (name) values ($1)", [name]);
    // Processes of the version before stop their background work (schema-watch.ts).
    await client.query("select pg_notify('busbar_changes', $1)", [
      JSON.stringify({ table: "migrations", id: name }),
    ]);
    await client.query("commit");
  } catch (cause) {
    await client.query("rollback");
    throw new StartError(
      `migration ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}

function refuseNewer(applied: Set<string>, known: string[]): void {
  const unknown = unknownMigrations(applied, known);
  if (unknown.length === 0) return;
  throw new StartError(
    `the database was migrated by a newer Busbar (${unknown.join(", ")}); run that version or restore a backup`,
  );
}

/** Lists the migrations of a newer version. */
export const unknownMigrations = (applied: Set<string>, known: string[]): string[] =>
  [...applied].filter((name) => !known.includes(name)).toSorted();

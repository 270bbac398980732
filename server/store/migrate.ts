/** Brings a database to the schema of this version, once, however many processes start together. */
import { readdir, readFile } from "node:fs/promises";
import type { Client, ClientBase, Pool, QueryConfig } from "pg";
import { StartError } from "../ground/errors.ts";
import type { Log } from "../ground/log.ts";

const FOLDER = new URL("../../migrations/", import.meta.url);

/** `schema.sql`, which lies beside the migrations, is generated for readers. */
const MIGRATION = /^\d{4}_.*\.sql$/;

/** Held while migrating; any constant will do as long as nobody else in the database uses it. */
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
    for (const name of names.filter((candidate) => !applied.has(candidate))) {
      await apply(client, name);
      log.info({ migration: name }, "migration applied");
    }
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
  const unknown = [...applied].filter((name) => !known.includes(name)).toSorted();
  if (unknown.length === 0) return;
  throw new StartError(
    `the database was migrated by a newer Busbar (${unknown.join(", ")}); run that version or restore a backup`,
  );
}

/** Whether the database answers within two seconds and has every migration of this version. */
export async function isDatabaseReady(pool: Pool): Promise<boolean> {
  const asked = pool.query<{ name: string }>({
    text: "select name from migrations",
    query_timeout: 2_000,
  } as QueryConfig);
  try {
    const applied = new Set((await asked).rows.map((row) => row.name));
    return (await migrationNames()).every((name) => applied.has(name));
  } catch {
    return false;
  }
}

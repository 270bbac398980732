/** Migrates a database to the schema of this version; processes that start together do so once. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Client, ClientBase } from "pg";
import { StartError, readMessage } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import { PROJECT_ROOT } from "../../../ground/project-root.ts";
import { divideSchema, requireUndivided, searchUnused, type Division } from "../sides/divide-schema.ts";
import { isLockTimeout, LOCK_MS, lockByAsking, LONG_LOCK_MS, PAUSE_MS } from "../sides/lock-tables.ts";

const FOLDER = join(PROJECT_ROOT, "migrations");

const MIGRATION = /^\d{4}_.*\.sql$/;

/** Advisory lock during a migration: any constant that no other program in the database uses. */
const LOCK_KEY = 7_355_608_420_117;

/**
 * Applies the missing files of `migrations/` in order, each in one or several transactions of its own. A second process waits
 * for the first, and finds nothing to do. Refuses a database that a newer Busbar has migrated, unless this version is
 * compatible with it. `upTo` restricts the files. With a division, the database keeps the tables of its side.
 */
export async function migrate(
  client: Client,
  log: Log,
  { upTo, division }: { upTo?: string[]; division?: Division | undefined } = {},
): Promise<void> {
  await lockByAsking(client, LOCK_KEY);
  try {
    if (division) await searchUnused(client);
    else await requireUndivided(client);
    await createMigrations(client);
    await renameFormer(client);
    const names = await listMigrationNames();
    const { rows } = await client.query<AppliedMigration>(APPLIED_MIGRATIONS);
    const applied = new Set(rows.map((row) => row.name));
    refuseNewer(rows, names);
    const last = upTo && toCurrentNames(upTo);
    const later = last?.filter((name) => !names.includes(name)) ?? [];
    if (later.length > 0)
      throw new StartError(
        `the backup is of a newer Busbar (${later.join(", ")}): restore it with that version`,
      );
    const missing = names.filter(
      (candidate) => !applied.has(candidate) && (!last || last.includes(candidate)),
    );
    if (missing.length > 0) {
      await requireOwner(client);
      // Databases of earlier versions lack the column.
      await client.query(
        "alter table migrations add column if not exists compatible boolean not null default false",
      );
    }
    for (const name of missing) {
      await apply(client, name);
      log.debug({ migration: name }, "migration applied");
    }
    if (missing.length > 0)
      log.info({ migrations: missing.length, last: missing.at(-1) }, "database migrated");
    if (division) await divideSchema(client, division);
  } finally {
    await client.query("select pg_advisory_unlock($1)", [LOCK_KEY]);
  }
}

/** Last of the 82 migrations from before the first release: a database with it has the schema of `0001_schema.sql`. */
const FORMER_LAST = "0401_health_of_installations.sql";
const FIRST = "0001_schema.sql";

/** Returns the present names of the migrations of a database or of a backup. */
export const toCurrentNames = (names: string[]): string[] => (names.includes(FORMER_LAST) ? [FIRST] : names);

async function renameFormer(client: Client): Promise<void> {
  const { rows } = await client.query<{ first: string; last: string }>(
    "select min(name) as first, max(name) as last from migrations",
  );
  const [row] = rows;
  if (!row?.first || row.first === FIRST) return;
  if (row.last !== FORMER_LAST)
    throw new StartError(
      `the database is of a development version before the first release (${row.last}): start the last one of them on it once, ` +
        "which migrates it, then this one",
    );
  await requireOwner(client);
  await client.query("begin");
  await client.query("delete from migrations");
  await client.query("insert into migrations (name) values ($1)", [FIRST]);
  await client.query("commit");
}

/** Creates the table of migrations. A role that only serves may not create tables, not even existing ones. */
async function createMigrations(client: Client): Promise<void> {
  const { rows } = await client.query<{ role: string; found: boolean; readable: boolean }>(
    `select current_user as role, to_regclass('migrations') is not null as found,
       coalesce(has_table_privilege(to_regclass('migrations'), 'select'), false) as readable`,
  );
  const [row] = rows;
  if (row?.found && !row.readable)
    throw new StartError(
      `the role ${row.role} of DATABASE_URL may not read Busbar's tables: ` +
        `run "busbar migrate --grant ${row.role}" as their owner`,
    );
  if (row?.found) return;
  await requireOwner(client);
  await client.query(
    `create table if not exists migrations (name text primary key, create_time timestamptz not null default now(),
       compatible boolean not null default false)`,
  );
}

/** Throws `StartError` for a role that cannot change the schema. */
async function requireOwner(client: Client): Promise<void> {
  const { rows } = await client.query<{ role: string; may: boolean }>(
    `select current_user as role, has_schema_privilege(current_schema(), 'create')
       and coalesce((select pg_has_role(tableowner, 'usage') from pg_tables
                      where schemaname = current_schema() and tablename = 'migrations'), true) as may`,
  );
  if (rows[0]?.may) return;
  throw new StartError(
    `the database is not migrated to this version, and the role ${rows[0]?.role} of DATABASE_URL cannot change its schema: ` +
      `run "busbar migrate --grant ${rows[0]?.role}" as the owner of its tables`,
  );
}

let ownNames: Promise<string[]> | undefined;

/**
 * Lists the migrations of this version, as they were at the first call: an upgrade adds those of the next version to the folder
 * while this process still works, which must not make it unready.
 */
export const listMigrationNames = (): Promise<string[]> => (ownNames ??= readNames());

async function readNames(): Promise<string[]> {
  try {
    return (await readdir(FOLDER)).filter((file) => MIGRATION.test(file)).toSorted();
  } catch (error) {
    ownNames = undefined;
    throw error;
  }
}

/** Lines of a migration that start another step, and the statements that undo what an earlier one left. */
const NEXT_STEP = /^(?=-- (?:Next transaction|Concurrently)\b)/m;
/** A step that is one statement outside of a transaction. */
const CONCURRENTLY = /^-- Concurrently\b/;
const IF_IT_FAILS = /^-- If it fails\b.*$/m;

/** Attempts of a transaction that others hold up. */
const LOCK_TRIES = 120;
/** First attempt with the longer timeout, and the number of attempts between further ones. */
const FIRST_LONG = 5;
const LONG_EVERY = 20;

/** Applies a migration: its steps one after the other. The last one, a transaction, also records it. */
async function apply(client: ClientBase, name: string): Promise<void> {
  const sql = await readFile(join(FOLDER, name), "utf8");
  const [forward = "", undo] = sql.split(IF_IT_FAILS);
  const steps = forward.split(NEXT_STEP);
  try {
    for (const [index, step] of steps.entries()) {
      if (CONCURRENTLY.test(step)) {
        await runConcurrently(client, step);
        continue;
      }
      await commit(client, async () => {
        await client.query(step);
        if (index === steps.length - 1) await record(client, { name, compatible: COMPATIBLE.test(sql) });
      });
    }
  } catch (cause) {
    // The error to report is that of the migration, not of its undoing.
    if (undo) await commit(client, () => client.query(undo)).catch(() => {});
    throw new StartError(`migration ${name} failed: ${readMessage(cause)}`, { cause });
  }
}

/** Runs statements in a transaction. Repeats it while another transaction holds a lock that they need. */
async function commit(client: ClientBase, run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const timeoutMs = attempt % LONG_EVERY === FIRST_LONG ? LONG_LOCK_MS : LOCK_MS;
    await client.query(`begin; set local lock_timeout = ${timeoutMs}`);
    try {
      await run();
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      if (!isLockTimeout(error)) throw error;
      if (attempt === LOCK_TRIES) throw refuseLocked(error);
      await wait(PAUSE_MS);
    }
  }
}

/**
 * Runs a statement outside of a transaction, as an index needs that is built while others write. It waits for their transactions,
 * because of which it may have to be run again: the step before takes back what it left.
 */
async function runConcurrently(client: ClientBase, statement: string): Promise<void> {
  await client.query(`set lock_timeout = ${LOCK_TRIES * PAUSE_MS}`);
  try {
    await client.query(statement);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw refuseLocked(error);
  } finally {
    await client.query("set lock_timeout = 0");
  }
}

const refuseLocked = (cause: Error): Error =>
  new Error(
    `a table has been locked for more than ${(LOCK_TRIES * PAUSE_MS) / 1_000} s, as a backup or an open transaction does; try again when ` +
      "it has ended (pg_stat_activity shows it)",
    { cause },
  );

async function record(client: ClientBase, { name, compatible }: AppliedMigration): Promise<void> {
  await client.query("insert into migrations (name, compatible) values ($1, $2)", [name, compatible]);
  // Processes of the previous version stop their background work unless the migration is compatible (`watchSchema`).
  await client.query("select pg_notify('busbar_changes', $1)", [
    JSON.stringify({ table: "migrations", id: name }),
  ]);
}

function refuseNewer(applied: AppliedMigration[], known: string[]): void {
  const unknown = listUnknownMigrations(applied, known);
  if (unknown.length === 0) return;
  throw new StartError(
    `the database was migrated by a newer Busbar (${unknown.join(", ")}); run that version or restore a backup`,
  );
}

/** First line of a migration with which the previous version is compatible: it reads and writes all rows as before. */
const COMPATIBLE = /^-- Compatible: /;

export interface AppliedMigration {
  name: string;
  /** Whether the previous version is compatible with it. */
  compatible: boolean;
}

/** Lists the applied migrations. Works without the column `compatible`, too, and with a table from before the first release. */
export const APPLIED_MIGRATIONS = `
  select distinct coalesce(former.first, name) as name,
    coalesce((to_jsonb(migrations) ->> 'compatible')::boolean, false) as compatible
  from migrations left join (
    select '${FIRST}' as first from migrations where name = '${FORMER_LAST}'
  ) as former on true`;

/** Lists the migrations of a newer version with which this one is not compatible. */
export const listUnknownMigrations = (applied: AppliedMigration[], known: string[]): string[] =>
  applied
    .filter(({ name, compatible }) => !compatible && !known.includes(name))
    .map(({ name }) => name)
    .toSorted();

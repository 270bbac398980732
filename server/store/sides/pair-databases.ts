/**
 * Pairs a control database with its data database, and recognises the pair later. The name of the replication slot is the mark of a
 * pair: the comment of the publication has it, and the subscription.
 *
 *   neither has a mark                → both must be empty
 *   only the publication has one      → the first start broke off: it goes on if nothing was stored
 *   both have the same one            → a pair
 */
import { randomBytes, randomInt } from "node:crypto";
import { escapeLiteral, type ClientBase } from "pg";
import { StartError, readMessage } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import { UNUSED } from "./divide-schema.ts";
import { lockByAsking } from "./lock-tables.ts";
import { OF_THIS_DATABASE, readPublishedSlot, readSubscribedSlot, REPLICATION } from "./replicate-shared.ts";

interface Sides {
  control: ClientBase;
  data: ClientBase;
}

/** Advisory lock of the process that pairs: any constant that no other program in the database uses. */
const LOCK_KEY = 7_355_608_420_118;

/** Requires two databases, and lets one process at a time pair them, until the connection ends. */
export async function lockPair({ control, data }: Sides): Promise<void> {
  const key = randomInt(2 ** 40);
  await control.query("select pg_advisory_lock($1)", [key]);
  const { rows } = await data.query<{ free: boolean }>("select pg_try_advisory_lock($1) as free", [key]);
  if (!rows[0]?.free)
    throw new StartError(
      "BUSBAR_DATA_DATABASE_URL names the same database as DATABASE_URL: name an empty one, best on another server",
    );
  await lockByAsking(control, LOCK_KEY);
}

/**
 * Returns the name of the slot, and whether the two are a pair or can become one. Changes nothing. `controlUrl` is how the data database's server
 * reaches the control database, `tables` are all tables of Busbar.
 */
export async function findPair(
  sides: Sides,
  { controlUrl, tables, log }: { controlUrl: string; tables: readonly string[]; log: Log },
): Promise<{ slot: string; isPaired: boolean }> {
  await requireSameVersion(sides);
  const published = await readPublishedSlot(sides.control);
  const subscribed = await readSubscribedSlot(sides.data);
  if (subscribed !== undefined && subscribed === published) return { slot: subscribed, isPaired: true };
  if (subscribed !== undefined)
    throw new StartError(
      "the database of BUSBAR_DATA_DATABASE_URL belongs to another control database than that of DATABASE_URL: name two that belong together",
    );
  await requireUnused(sides.control, published !== undefined);
  await requireNewSide(sides, { controlUrl, tables, log });
  return { slot: published ?? nameSlot(), isPaired: false };
}

/** Returns a name for a slot, which is the mark of a pair. */
export const nameSlot = (): string => `busbar_${randomBytes(8).toString("hex")}`;

/** Throws for a data database that is not empty, or cannot subscribe to the control database. Changes nothing. */
export async function requireNewSide(
  sides: Sides,
  { controlUrl, tables, log }: { controlUrl: string; tables: readonly string[]; log: Log },
): Promise<void> {
  await requireEmpty(sides.data, tables);
  await requireLogical(sides.control, log);
  // The tables of what may be published already are not there yet.
  await rehearseSubscription(sides.data, controlUrl, "busbar_none");
}

/** Throws for two major versions of PostgreSQL. */
export async function requireSameVersion(sides: Sides): Promise<void> {
  const read = async (client: ClientBase) => {
    const { rows } = await client.query<{ version: string }>(
      "select current_setting('server_version_num') as version",
    );
    return Math.floor(Number(rows[0]?.version) / 10_000);
  };
  const [control, data] = [await read(sides.control), await read(sides.data)];
  if (control === data) return;
  throw new StartError(
    `DATABASE_URL names PostgreSQL ${control}, and BUSBAR_DATA_DATABASE_URL PostgreSQL ${data}: both must be of the same major version`,
  );
}

/** Throws for a control database in which something is stored. */
async function requireUnused(control: ClientBase, isPublished: boolean): Promise<void> {
  const { rows: found } = await control.query<{ name: string | null }>(
    "select to_regclass('organizations')::text as name",
  );
  if (!found[0]?.name) return;
  const { rows } = await control.query("select from organizations limit 1");
  if (rows.length === 0) return;
  throw new StartError(
    isPublished
      ? "the database of BUSBAR_DATA_DATABASE_URL is not the one that belongs to the database of DATABASE_URL: name that one, " +
          "or restore a backup into two empty databases"
      : "the database of DATABASE_URL is in use, and a database in use cannot be divided: unset BUSBAR_DATA_DATABASE_URL, " +
          'or make a backup ("busbar backup FILE") without it and restore it ("busbar restore FILE") into two empty databases with it',
  );
}

/** Throws for a data database with rows, or with tables of something else. */
async function requireEmpty(data: ClientBase, tables: readonly string[]): Promise<void> {
  const { rows: found } = await data.query<{ name: string; place: string }>(
    `select relname as name, pg_class.oid::regclass::text as place from pg_class
     where relkind in ('r', 'p') and not relispartition and relname <> all($1)
       and relnamespace in (current_schema()::regnamespace, to_regnamespace($2))`,
    [ABOUT_ITSELF, UNUSED],
  );
  let filled = found.find(({ name }) => !tables.includes(name));
  for (const table of found)
    filled ??= (await data.query(`select from ${table.place} limit 1`)).rows.length > 0 ? table : undefined;
  if (!filled) return;
  throw new StartError(
    `the database of BUSBAR_DATA_DATABASE_URL is not empty (it has the table ${filled.name}): name an empty one, made with: ` +
      "create database busbar_data encoding 'UTF8' template template0",
  );
}

/** Tables that each database has about itself. */
const ABOUT_ITSELF = ["migrations", "readiness", "processes", "removed_copies"];

/** SQLSTATEs of a missing right, and of a full list of slots. */
const INSUFFICIENT_PRIVILEGE = "42501";
const LIMIT_EXCEEDED = "53400";

/** A slot can be made when the transactions that run at that moment have ended, in whichever database of the server. */
const REPORT_EVERY_MS = 15_000;

/** Throws if the control database cannot have a replication slot: makes one that ends with the session, and drops it. */
async function requireLogical(control: ClientBase, log: Log): Promise<void> {
  const { rows } = await control.query<{ level: string; role: string }>(
    "select current_setting('wal_level') as level, current_user as role",
  );
  const { level, role } = rows[0] ?? { level: "", role: "" };
  if (level !== "logical")
    throw new StartError(
      `the server of DATABASE_URL has wal_level = ${level}, so it cannot replicate into the database of BUSBAR_DATA_DATABASE_URL: ` +
        "run \"alter system set wal_level = 'logical'\" there, and restart it",
    );
  const name = `busbar_try_${randomBytes(8).toString("hex")}`;
  const reporting = setInterval(() => log.warn(WAITING), REPORT_EVERY_MS);
  try {
    await control.query("select pg_create_logical_replication_slot($1, 'pgoutput', true)", [name]);
    await control.query("select pg_drop_replication_slot($1)", [name]);
  } catch (cause) {
    throw new StartError(`the server of DATABASE_URL cannot replicate: ${explainSlot(cause, role)}`, {
      cause,
    });
  } finally {
    clearInterval(reporting);
  }
}

const WAITING =
  "the start waits for the transactions on the server of DATABASE_URL that are older than it, since a replication slot can only be made " +
  "after them: pg_stat_activity shows them by xact_start";

function explainSlot(cause: unknown, role: string): string {
  const code = readCode(cause);
  if (code === INSUFFICIENT_PRIVILEGE)
    return `the role ${role} lacks the right: run "alter role ${role} replication" there as a superuser (a managed one has a role to grant instead)`;
  if (code === LIMIT_EXCEEDED) return "all its replication slots are in use: raise max_replication_slots";
  return String(cause);
}

/** Throws if the data database cannot subscribe by this address, or if the control database of the pair is not there. */
export async function requireReplicationUrl(data: ClientBase, controlUrl: string): Promise<void> {
  if (await rehearseSubscription(data, controlUrl)) return;
  throw new StartError(
    "BUSBAR_REPLICATION_URL does not lead to the database of DATABASE_URL: on its way from the server of BUSBAR_DATA_DATABASE_URL, " +
      "it leads to a database that publishes no tables of Busbar",
  );
}

/**
 * Throws if the data database cannot subscribe to the control database: subscribes, and takes it back. Returns whether the control
 * database has the publication with tables.
 */
async function rehearseSubscription(
  data: ClientBase,
  controlUrl: string,
  publication = REPLICATION,
): Promise<boolean> {
  await hideStatements(data);
  const { rows } = await data.query<{ role: string; name: string }>(
    "select current_user as role, current_database() as name",
  );
  const { role, name } = rows[0] ?? { role: "", name: "" };
  await data.query("begin");
  try {
    await data.query(
      `create subscription busbar_try connection ${escapeLiteral(controlUrl)} publication ${publication}
       with (create_slot = false, slot_name = none, enabled = false)`,
    );
    const { rows: published } = await data.query(
      `select from pg_subscription_rel join pg_subscription on pg_subscription.oid = srsubid
       where subname = 'busbar_try' and ${OF_THIS_DATABASE} limit 1`,
    );
    return published.length > 0;
  } catch (cause) {
    const reason = readMessage(cause);
    const remedy =
      readCode(cause) === INSUFFICIENT_PRIVILEGE
        ? `as a superuser, run "grant pg_create_subscription to ${role}; grant create on database ${name} to ${role}" there; before PostgreSQL 16 only a superuser may subscribe`
        : "BUSBAR_REPLICATION_URL can name another address of the database of DATABASE_URL for that server, or another role, which needs REPLICATION and a password";
    throw new StartError(
      `the server of BUSBAR_DATA_DATABASE_URL cannot subscribe to the database of DATABASE_URL (${reason}): ${remedy}`,
      { cause },
    );
  } finally {
    await data.query("rollback");
  }
}

/** Keeps the statements of this session out of the server's log, because they have a password. Only a superuser may do that. */
async function hideStatements(data: ClientBase): Promise<void> {
  await data.query(
    `select set_config(name, value, false)
     from (values ('log_min_error_statement', 'panic'), ('log_statement', 'none'), ('log_min_duration_statement', '-1')) as hiding (name, value)
     where (select rolsuper from pg_roles where rolname = current_user)`,
  );
}

const readCode = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

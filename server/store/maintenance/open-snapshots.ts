/** Opens transactions that see a database, or both databases, as they were at one moment. */
import { setTimeout as wait } from "node:timers/promises";
import { DatabaseError, type Client } from "pg";
import { StartError } from "../../../ground/errors.ts";
import { openClient, openDataClient } from "../database/prepare-database.ts";
import { listTables } from "../database/sides.ts";
import { openCopies, READ_POSITION, type Copies } from "../sides/copies.ts";

/** A database with the tables that are read from it; undefined: all. */
export interface Snapshot {
  client: Client;
  tables?: readonly string[];
}

/** Connects and begins. Adds the connections to `opened`, which the caller ends. Without `dataUrl`, one database has all tables. */
export async function openSnapshots(
  urls: { connectionString: string; dataUrl?: string | undefined },
  opened: Client[],
  tries = MAX_TRIES,
): Promise<Snapshot[]> {
  const connect = async (client: Promise<Client>) => {
    opened.push(await client);
    return client;
  };
  const control = await connect(openClient(urls.connectionString));
  if (urls.dataUrl === undefined) {
    await control.query(BEGIN);
    return [{ client: control }];
  }
  const data = await connect(openDataClient(urls.dataUrl));
  const locking = await connect(openClient(urls.connectionString));
  const copies = openCopies(await connect(openDataClient(urls.dataUrl)));
  await beginAtOneMoment({ control, data, locking, copies }, tries);
  return [
    { client: control, tables: listTables("control", "shared", "own") },
    { client: data, tables: listTables("data") },
  ];
}

/** A snapshot begins with the first statement. */
const BEGIN = "begin isolation level repeatable read read only; select 1";

const MAX_TRIES = 20;
const PAUSE_MS = 500;
/** Timeout of a lock: writers queue behind it. Every fifth time it is so long that an autovacuum gives way. */
const LOCK_MS = 300;
const LONG_LOCK_MS = 1_200;
const LONG_EVERY = 5;
const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK = "40P01";

interface Moment {
  control: Client;
  data: Client;
  locking: Client;
  copies: Copies;
}

/**
 * Begins both snapshots while nobody can change the control database, and the data database has copies of all that is in it. So what
 * they see is what a crash of all processes at this moment would leave, which the two commits of a change are made for
 * (docs/decisions/0043-which-side-commits-first.md). Writers of the control database wait for some milliseconds.
 */
async function beginAtOneMoment(moment: Moment, maxTries: number): Promise<void> {
  let reason = "";
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const lockMs = tries % LONG_EVERY === 0 ? LONG_LOCK_MS : LOCK_MS;
    const failed = await tryOnce(moment, lockMs);
    if (failed === undefined) return;
    reason = failed;
    if (tries < maxTries) await wait(PAUSE_MS);
  }
  throw new StartError(`the two databases have no common moment: ${reason}`);
}

/** Returns why it was not possible. */
async function tryOnce(
  { control, data, locking, copies }: Moment,
  lockMs: number,
): Promise<string | undefined> {
  // Before the lock: copies may be late because much has changed.
  if (!(await areApplied(locking, copies))) return LATE;
  await locking.query(`begin; set local lock_timeout = ${lockMs}`);
  try {
    await locking.query(`lock table ${listTables("control", "shared").join(", ")} in share mode`);
    if (!(await areApplied(locking, copies))) return LATE;
    await data.query(BEGIN);
    await control.query(BEGIN);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseError && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK))
      return "a table of the database of DATABASE_URL has been locked all the time (pg_stat_activity shows by whom)";
    throw error;
  } finally {
    await locking.query("rollback");
  }
}

const LATE =
  'the copies in the database of BUSBAR_DATA_DATABASE_URL are late, or replication has stopped ("busbar doctor --server" says which)';

async function areApplied(locking: Client, copies: Copies): Promise<boolean> {
  const { rows } = await locking.query<{ position: string }>(READ_POSITION);
  return copies.applied(rows[0]?.position ?? "");
}

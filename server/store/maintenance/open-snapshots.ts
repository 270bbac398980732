/** Opens transactions that see a database, or both databases, as they were at one moment. */
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "pg";
import { StartError } from "../../../ground/errors.ts";
import { openClient, openDataClient } from "../database/prepare-database.ts";
import { listTables } from "../database/sides.ts";
import { openCopies, READ_POSITION, type Copies } from "../sides/copies.ts";
import { LOCKED, lockTables, MAX_TRIES, PAUSE_MS } from "../sides/lock-tables.ts";

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
    const failed = await tryOnce(moment, tries);
    if (failed === undefined) return;
    reason = failed;
    if (tries < maxTries) await wait(PAUSE_MS);
  }
  throw new StartError(`the two databases have no common moment: ${reason}`);
}

/** Returns why it was not possible. */
async function tryOnce(
  { control, data, locking, copies }: Moment,
  tries: number,
): Promise<string | undefined> {
  // Before the lock: copies may be late because much has changed.
  if (!(await areApplied(locking, copies))) return LATE;
  if (!(await lockTables(locking, listTables("control", "shared"), tries))) return LOCKED;
  try {
    if (!(await areApplied(locking, copies))) return LATE;
    await data.query(BEGIN);
    await control.query(BEGIN);
    return undefined;
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

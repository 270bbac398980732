/** Opens transactions that see a database, or all databases, as they were at one moment. */
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
  /** Name of the shard that it is, beside the main one. */
  shard?: string;
}

export interface ShardUrl {
  name: string;
  url: string;
}

export interface BackupUrls {
  connectionString: string;
  dataUrl?: string | undefined;
  /** Shards beside the main one. */
  shards?: readonly ShardUrl[];
}

/**
 * Connects and begins. Adds the connections to `opened`, which the caller ends. Without `dataUrl` and shards, one database has all
 * tables.
 */
export async function openSnapshots(
  { connectionString, dataUrl, shards = [] }: BackupUrls,
  opened: Client[],
  tries = MAX_TRIES,
): Promise<Snapshot[]> {
  const connect = async (client: Promise<Client>) => {
    opened.push(await client);
    return client;
  };
  const control = await connect(openClient(connectionString));
  if (dataUrl === undefined && shards.length === 0) {
    await control.query(BEGIN);
    return [{ client: control }];
  }
  const others: Other[] = [];
  const main = dataUrl === undefined ? [] : [{ name: undefined, url: dataUrl }];
  for (const { name, url } of [...main, ...shards]) {
    const open = () => connect(openDataClient(url, name === undefined ? undefined : `the shard ${name}`));
    others.push({ name, client: await open(), copies: openCopies(await open()) });
  }
  const locking = await connect(openClient(connectionString));
  await beginAtOneMoment({ control, others, locking }, tries);
  return [
    { client: control, ...(dataUrl !== undefined && { tables: listTables("control", "shared", "own") }) },
    ...others.map(({ name, client }) => ({
      client,
      tables: listTables("data"),
      ...(name !== undefined && { shard: name }),
    })),
  ];
}

/** A database with data tables beside the control database. */
interface Other {
  /** Undefined: that of BUSBAR_DATA_DATABASE_URL. */
  name: string | undefined;
  client: Client;
  copies: Copies;
}

/** A snapshot begins with the first statement. */
const BEGIN = "begin isolation level repeatable read read only; select 1";

interface Moment {
  control: Client;
  others: Other[];
  locking: Client;
}

/**
 * Begins all snapshots while nobody can change the control database, and the others have copies of all that is in it. So what
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
  throw new StartError(`the databases have no common moment: ${reason}`);
}

/** Returns why it was not possible. */
async function tryOnce({ control, others, locking }: Moment, tries: number): Promise<string | undefined> {
  // Before the lock: copies may be late because much has changed.
  const late = await findLate(locking, others);
  if (late) return late;
  if (!(await lockTables(locking, listTables("control", "shared"), tries))) return LOCKED;
  try {
    const lateNow = await findLate(locking, others);
    if (lateNow) return lateNow;
    for (const { client } of others) await client.query(BEGIN);
    await control.query(BEGIN);
    return undefined;
  } finally {
    await locking.query("rollback");
  }
}

/** Returns whose copies are not complete. */
async function findLate(locking: Client, others: Other[]): Promise<string | undefined> {
  const { rows } = await locking.query<{ position: string }>(READ_POSITION);
  for (const { name, copies } of others) {
    if (await copies.applied(rows[0]?.position ?? "")) continue;
    const where = name === undefined ? "the database of BUSBAR_DATA_DATABASE_URL" : `the shard ${name}`;
    return `the copies in ${where} are late, or replication has stopped ("busbar doctor --server" says which)`;
  }
  return undefined;
}

/** Connects to a database, or to one of each side, and checks and migrates it before it is used. */
import type { Client, ClientConfig } from "pg";
import { StartError } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import type { Division } from "../sides/divide-schema.ts";
import { findPair, lockPair } from "../sides/pair-databases.ts";
import { hasSlot } from "../sides/renew-copies.ts";
import { replicateShared } from "../sides/replicate-shared.ts";
import {
  HostClient,
  openDatabaseHosts,
  requireWritable,
  tryHosts,
  type DatabaseHosts,
} from "./database-hosts.ts";
import { migrate } from "./migrate.ts";
import { CONNECT_TIMEOUT_MS, SESSION_STATEMENT } from "./pool.ts";
import { requireOwnSessions } from "./require-own-sessions.ts";
import { listTables } from "./sides.ts";

const OLDEST_VERSION = 140_000;

/** Checks and migrates a database. Throws `StartError` when it cannot be used. */
export async function prepareDatabase(
  connectionString: string,
  log: Log,
  division?: Division,
): Promise<void> {
  const hosts = openDatabaseHosts(connectionString);
  const client = await connect(hosts);
  try {
    await requireWritable(client).catch((cause: unknown) => {
      throw toStartError(cause);
    });
    const second = await connect(hosts, { query_timeout: CONNECT_TIMEOUT_MS });
    try {
      await requireVersion(client);
      await requireUtf8(client);
      await requireOwnSessions(client, second);
      await migrate(client, log, { division });
    } finally {
      await second.end();
    }
  } finally {
    await client.end();
  }
}

export interface SideUrls {
  connectionString: string;
  dataUrl: string;
  /** How the server of the data tables reaches the control database, if not by `connectionString`. */
  replicationUrl?: string | undefined;
}

/**
 * Prepares a database of each side, and has the shared tables replicated. The first start needs two empty ones. Refuses databases
 * that do not belong together before it changes anything.
 */
export const prepareSides = (urls: SideUrls, log: Log): Promise<void> =>
  onBothSides(urls, async (sides) => {
    const { replicate, slot } = await preparePair(sides, urls, log);
    // A copy needs new columns before the control database sends them.
    await migrateSide("data", urls.dataUrl, log);
    await migrateSide("control", urls.connectionString, log);
    await replicate();
    if (!(await hasSlot(sides.control, slot)))
      log.error({ slot }, 'copies do not change any more, because their slot is gone: run "busbar migrate"');
  });

/** Checks that two databases are a pair, or can become one, and locks others out until the connections end. */
export async function preparePair(
  sides: { control: Client; data: Client },
  { connectionString, dataUrl, replicationUrl }: SideUrls,
  log: Log,
): Promise<{ slot: string; isPaired: boolean; replicate(): Promise<void> }> {
  await lockSides(sides, { connectionString, dataUrl });
  const controlUrl = replicationUrl ?? connectionString;
  const tables = listTables("control", "shared", "data", "own");
  const pair = await findPair(sides, { controlUrl, tables, log });
  return {
    ...pair,
    replicate: () => replicateShared({ ...sides, controlUrl, slot: pair.slot, tables: listTables("shared") }),
  };
}

/** Requires two databases without a pooler, and locks others out until the connections end. */
export async function lockSides(
  sides: { control: Client; data: Client },
  { connectionString, dataUrl }: SideUrls,
): Promise<void> {
  // Before the locks, which a pooler would leave in a session that it gives to others.
  await requireSessions(sides.control, connectionString);
  await nameDatabase(requireSessions(sides.data, dataUrl), DATA_URL);
  await lockPair(sides);
}

async function requireSessions(client: Client, connectionString: string): Promise<void> {
  const second = await connect(openDatabaseHosts(connectionString), { query_timeout: CONNECT_TIMEOUT_MS });
  await requireOwnSessions(client, second).finally(() => second.end());
}

/** Leaves a database with the tables of one side, migrated to this version. */
export async function migrateSide(side: Division["side"], connectionString: string, log: Log): Promise<void> {
  const prepared = prepareDatabase(connectionString, log, buildDivision(side));
  await (side === "data" ? nameDatabase(prepared, DATA_URL) : prepared);
}

export const buildDivision = (side: Division["side"]): Division => ({
  side,
  unused: listTables(...(side === "control" ? ["data" as const] : ["control" as const])),
  shared: listTables("shared"),
  data: listTables("data"),
});

/** Calls `run` with a connection to each side, and closes both. */
export async function onBothSides<Result>(
  { connectionString, dataUrl }: SideUrls,
  run: (sides: { control: Client; data: Client }) => Promise<Result>,
): Promise<Result> {
  const control = await openClient(connectionString);
  try {
    const data = await openDataClient(dataUrl);
    return await run({ control, data }).finally(() => data.end());
  } finally {
    await control.end();
  }
}

/** Names a database in refusals, which are written for the one of DATABASE_URL. */
const nameDatabase = <Result>(prepared: Promise<Result>, name: string): Promise<Result> =>
  prepared.catch((cause: unknown) => {
    if (!(cause instanceof StartError)) throw cause;
    throw new StartError(cause.message.replaceAll("DATABASE_URL", name), { cause });
  });

const DATA_URL = "BUSBAR_DATA_DATABASE_URL";

/** Opens one connection, for a command that must not migrate. Throws `StartError`. */
export const openClient = (connectionString: string): Promise<Client> =>
  connect(openDatabaseHosts(connectionString));

/** Opens one to a database of data tables, which refusals call `name`. */
export const openDataClient = (dataUrl: string, name = DATA_URL): Promise<Client> =>
  nameDatabase(openClient(dataUrl), name);

async function connect(hosts: DatabaseHosts, more: ClientConfig = {}): Promise<Client> {
  try {
    return await tryHosts(hosts, async () => {
      const client = new HostClient(hosts, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...more });
      await client.connect();
      await client.query(SESSION_STATEMENT);
      return client;
    });
  } catch (cause) {
    throw toStartError(cause);
  }
}

function toStartError(cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message || String(cause) : String(cause);
  return new StartError(`cannot connect to the database of DATABASE_URL: ${reason}`, { cause });
}

async function requireVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );
  const version = Number(rows[0]?.version);
  if (version >= OLDEST_VERSION) return;
  throw new StartError(`DATABASE_URL must name PostgreSQL 14 or newer, not ${Math.floor(version / 10_000)}`);
}

/** Requires UTF-8. Names and records have any characters: another encoding refuses some, and SQL_ASCII checks none. */
async function requireUtf8(client: Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string; name: string }>(
    "select getdatabaseencoding() as encoding, current_database() as name",
  );
  const [{ encoding, name } = { encoding: "", name: "" }] = rows;
  if (encoding === "UTF8") return;
  throw new StartError(
    `the database ${name} of DATABASE_URL has the encoding ${encoding}, Busbar needs UTF8: ` +
      "create another one with: create database busbar encoding 'UTF8' template template0",
  );
}

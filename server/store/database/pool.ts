/** Opens a pool of database connections that sets up each session and closes connections to servers that cannot serve. */
import {
  CamelCasePlugin,
  Kysely,
  PostgresDialect,
  sql,
  type PostgresCursor,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from "kysely";
import { Pool, type ClientConfig, type PoolClient } from "pg";
import { runOutsideWork } from "../../../ground/current-work.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import type { Log } from "../../../ground/log.ts";
import { openDatabaseHosts, HostClient, tryHosts, type DatabaseHosts } from "./database-hosts.ts";
import { READ_POSITION, type Copies } from "../sides/copies.ts";
import { mustConnectAgain, isDatabaseAway } from "./database-outage.ts";
import type { DB } from "./rows.gen.ts";
import { readWake, WakeUps } from "./wake-ups.ts";

/**
 * Planner settings for every session.
 *
 * `enable_bitmapscan`: rows of our queue tables come and go all the time, and index entries of deleted rows stay until the
 * next vacuum. A plain index scan marks such an entry once and skips it from then on; a bitmap scan reads all of them each
 * time: after 40,000 writes a claim of 128 took 5.6 ms instead of 2.4 (docs/decisions/0015).
 *
 * `jit`: our statements take milliseconds. With 4 million operations the planner compiled one that runs every second,
 * which took 123 ms instead of 1.3 ms.
 */
const PLANNER_SETTINGS = { enable_bitmapscan: "off", jit: "off" };

/**
 * Settings that our statements, and pg's parsing of answers, rely on. Each is PostgreSQL's own default, but a role or a
 * database may have another value: with `datestyle` "German" no time can be read, with isolation "serializable" every second
 * claim fails. A session that ends while it is idle releases the lock that shows others that its process is alive.
 */
const RELIED_ON = {
  array_nulls: "on",
  bytea_output: "hex",
  datestyle: "ISO, MDY",
  default_transaction_deferrable: "off",
  default_transaction_isolation: "read committed",
  extra_float_digits: "1",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  intervalstyle: "postgres",
  lock_timeout: "0",
  standard_conforming_strings: "on",
  timezone: "UTC",
  transform_null_equals: "off",
};

/**
 * Keep-alive settings for every session. PostgreSQL notices within 45 s that the machine of a process is gone, which closes no
 * connection. By default it takes two hours: so long that process would seem alive, and keep its claims and locks.
 */
const SERVER_KEEP_ALIVE = {
  tcp_keepalives_idle: "15",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
};

/** Timeout of a statement. A server that takes longer is taken for gone, for example because its host was switched off. */
const STATEMENT_TIMEOUT_MS = 15_000;

/**
 * How much earlier the server cancels a statement than we do: then it reports that nothing was done, instead of doing it
 * unobserved. Its timeout ends before the commit begins, so it never breaks off a commit that waits for a standby.
 */
const SERVER_GIVES_UP_MS = 2_000;

/** Timeout for a server to accept a connection, and for the pool to have a free one. */
export const CONNECT_TIMEOUT_MS = 10_000;

/**
 * How long a connection stays open without use. The dashboard's pages send requests every 30 s. On a machine without spare CPU
 * time, opening a connection may take longer than CONNECT_TIMEOUT_MS, so those of a page stay open.
 */
const IDLE_TIMEOUT_MS = 40_000;

/** Keep-alive settings of every connection: they detect a server that vanished while the connection was idle. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

interface QueryPool {
  /** Queries with rows and columns in camelCase; JSON in them is not converted. */
  readonly queries: Kysely<DB>;
  readonly pool: Pool;
}

/** Tables that other databases have copies of. */
export interface CopiedTables extends Pick<Copies, "applied"> {
  isChangedBy(statement: string): boolean;
}

/** Decides whether connections may be opened at the moment. */
interface ConnectionDoor {
  /** Throws if not. */
  pass(): void;
  /** Call it with the error of a connection that could not be opened. */
  noteFailure(error: unknown): void;
}

/** What happens after the commit of a statement that asks for it. */
interface OnCommit {
  wakeUps: WakeUps;
  copied: CopiedTables | undefined;
}

/**
 * Opens the pool, without a connection yet. `settings` are set in each session, in addition to the common ones. A
 * commit that changes `copied` tables is reported when the copies have it.
 */
export function openPool(options: {
  connectionString: string;
  applicationName: string;
  log: Log;
  size: number;
  settings?: Record<string, string>;
  statementTimeoutMs?: number;
  copied?: CopiedTables | undefined;
  door?: ConnectionDoor | undefined;
}): QueryPool {
  const { connectionString, applicationName, log, size, settings, door } = options;
  const hosts = openDatabaseHosts(connectionString);
  const timeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new Pool({
    Client: buildClient(hosts),
    max: size,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: timeoutMs,
    ...KEEP_ALIVE,
  });
  // A broken idle connection must not end the process; the next query opens another one.
  pool.on("error", (error) => {
    // A closing pool does not wait until its connections are closed: the embedded server ends the last ones when it stops.
    if (pool.ending) return;
    runOutsideWork(() => log.warn({ error: error.message }, "lost an idle database connection"));
  });
  // A pooler whose operator has switched off the reset of sessions passes on the prepared statements of earlier connections.
  const own = {
    ...SERVER_KEEP_ALIVE,
    ...PLANNER_SETTINGS,
    ...RELIED_ON,
    statement_timeout: String(Math.max(timeoutMs - SERVER_GIVES_UP_MS, timeoutMs / 2)),
    ...settings,
  };
  const setUp = `deallocate all; ${buildSettingsStatement(own)}`;
  const wakeUps = new WakeUps((payloads) =>
    sql`select pg_notify('busbar_changes', payload) from unnest(${payloads}::text[]) as payload`.execute(
      queries,
    ),
  );
  const connect = () => tryHosts(hosts, () => pool.connect(), mayRetry);
  // While others are open, one that cannot be opened means a limit, or a busy machine: connections of a server that is gone end.
  // The pool counts those that are being opened as well, and opens the next one before it reports a failure.
  const isLast = () => pool.totalCount <= hosts.connecting;
  const sessions = openSessions(pool, door ? () => passDoor(door, connect, isLast) : connect, setUp, {
    wakeUps,
    copied: options.copied,
  });
  const queries = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: sessions }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
  return { queries, pool };
}

const buildClient = (hosts: DatabaseHosts) =>
  class extends HostClient {
    constructor(options: ClientConfig = {}) {
      super(hosts, options);
    }
  };

/** Message of a busy pool, for which another host is no remedy. */
const BUSY = "timeout exceeded when trying to connect";

async function passDoor(
  door: ConnectionDoor,
  connect: () => Promise<PoolClient>,
  isLast: () => boolean,
): Promise<PoolClient> {
  door.pass();
  try {
    return await connect();
  } catch (error) {
    // Whoever waits while the only connections are being opened is told that the pool is busy.
    if (isDatabaseAway(error) && isLast()) door.noteFailure(error);
    throw error;
  }
}

const mayRetry = (error: unknown): boolean =>
  isDatabaseAway(error) && !(error instanceof Error && error.message === BUSY);

/**
 * Builds the statement with the settings. The connection's `options` could not be used: connection poolers do not pass them on.
 * PostgreSQL has had `transaction_timeout` since version 17. It would end long transactions, such as that of a backup.
 */
const buildSettingsStatement = (settings: Record<string, string>): string =>
  `select ${Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(", ")}; select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`;

/** Settings for a connection outside a pool, as a statement. */
export const SESSION_STATEMENT = buildSettingsStatement({
  ...SERVER_KEEP_ALIVE,
  ...RELIED_ON,
  statement_timeout: "0",
});

/**
 * Returns the pool for Kysely. A new connection is set up here, not by Kysely's `onCreateConnection`: if that fails, Kysely
 * keeps the connection, and the pool has one connection fewer for ever.
 */
function openSessions(pool: Pool, connect: () => Promise<PoolClient>, setUp: string, onCommit: OnCommit) {
  const lent = new WeakMap<PoolClient, LentConnection>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect(): Promise<PostgresPoolClient> {
      const client = await connect();
      const known = lent.get(client);
      if (known) {
        known.renewPlans();
        return known;
      }
      try {
        await client.query(setUp);
      } catch (error) {
        client.release(true);
        throw error;
      }
      const connection = new LentConnection(client as SessionClient, onCommit);
      lent.set(client, connection);
      return connection;
    },
  };
}

/**
 * Comment that makes a statement prepared: it is parsed once for each connection, and planned once in PLAN_LIFETIME_MS instead
 * of for each execution (docs/decisions/0035). The text of such a statement is always the same.
 */
const PREPARED = /^\s*\/\* prepare ([a-z-]+) \*\//;

/**
 * Maximum age of a plan when a connection is lent. A plan from a time when a queue was empty may read the whole table, and
 * PostgreSQL keeps it until it has analysed the table, which may take a minute.
 */
const PLAN_LIFETIME_MS = 1_000;

/** Kysely's type of a result, extended to every command. */
type Answer<R> = Omit<PostgresQueryResult<R>, "command"> & { command: string };

/** Part of pg's client that a lent connection uses. */
interface SessionClient {
  query<R>(statement: {
    name: string | undefined;
    text: string;
    values: readonly unknown[];
  }): Promise<Answer<R>>;
  query(text: string): Promise<unknown>;
  release(destroy: boolean): void;
}

/**
 * Connection on loan. It is closed on return if its server is a standby or did not answer in time (the next connection may
 * reach the new primary), or if it has an outdated prepared statement. It wakes workers when statements that name them in their
 * answer are committed.
 */
class LentConnection implements PostgresPoolClient {
  readonly #client: SessionClient;
  #isLost = false;
  /** Earliest time at which a plan of this connection may have been made; undefined if it has none. */
  #plannedMs: number | undefined;
  readonly #onCommit: OnCommit;
  /** Tables whose workers are to be woken. Those of a transaction wait for its commit. */
  readonly #woken = new Set<string>();
  #isInTransaction = false;
  /** Whether copied tables are changed. */
  #changesCopied = false;

  constructor(client: SessionClient, onCommit: OnCommit) {
    this.#client = client;
    this.#onCommit = onCommit;
  }

  /** Discards plans that are too old. Does not wait: the connection executes its statements one after the other. */
  renewPlans(): void {
    if (this.#plannedMs === undefined || elapsedMs() - this.#plannedMs < PLAN_LIFETIME_MS) return;
    this.#plannedMs = undefined;
    this.#client.query("discard plans").catch((error: unknown) => this.#noteLoss(error));
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    statement: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof statement !== "string")
      throw new Error("a cursor needs a connection that is not closed on its own");
    const name = PREPARED.exec(statement)?.[1];
    if (name !== undefined) this.#plannedMs ??= elapsedMs();
    return this.#client.query<R>({ name, text: statement, values: parameters }).then(
      (answer) => {
        this.#noteWork(answer);
        const copied = this.#onCommit.copied && this.#awaitCopies(this.#onCommit.copied, statement);
        return (copied ? copied.then(() => answer) : answer) as PostgresQueryResult<R>;
      },
      (error: unknown) => {
        this.#noteLoss(error);
        throw error;
      },
    );
  }

  #noteWork({ command, rows }: Answer<unknown>): void {
    const table = readWake(rows);
    if (table !== undefined) this.#woken.add(table);
    if (command === "BEGIN" || command === "START") this.#isInTransaction = true;
    // PostgreSQL answers "ROLLBACK" to the commit of a transaction that has failed.
    if (command === "ROLLBACK") {
      this.#woken.clear();
      this.#changesCopied = false;
    }
    if (command === "COMMIT" || command === "ROLLBACK") this.#isInTransaction = false;
    if (this.#isInTransaction || this.#woken.size === 0) return;
    this.#onCommit.wakeUps.add(this.#woken);
    this.#woken.clear();
  }

  /** Waits for the copies when a change is committed; undefined if there is nothing to wait for. */
  #awaitCopies(copied: CopiedTables, statement: string): Promise<unknown> | undefined {
    this.#changesCopied ||= copied.isChangedBy(statement);
    if (this.#isInTransaction || !this.#changesCopied) return undefined;
    this.#changesCopied = false;
    // An answer that breaks off says nothing about the commit.
    return this.#client
      .query<{ position: string }>({ name: undefined, text: READ_POSITION, values: [] })
      .then(({ rows }) => copied.applied(rows[0]?.position ?? ""))
      .catch((error: unknown) => this.#noteLoss(error));
  }

  #noteLoss(error: unknown): void {
    this.#isLost ||= mustConnectAgain(error);
  }

  release(): void {
    this.#woken.clear();
    this.#isInTransaction = false;
    this.#changesCopied = false;
    this.#client.release(this.#isLost);
  }
}

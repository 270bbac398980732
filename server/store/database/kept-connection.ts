/** Keeps a database connection for one purpose: reopens it when it breaks, and replaces it when its server hangs. */
import type { Client, QueryResult, QueryResultRow } from "pg";
import type { Log } from "../../../ground/log.ts";
import { openDatabaseHosts, HostClient, tryHosts, type DatabaseHosts } from "./database-hosts.ts";
import { CONNECT_TIMEOUT_MS, KEEP_ALIVE, SESSION_STATEMENT } from "./pool.ts";

interface KeptConnection {
  /** False from the loss of the connection until the next one. */
  readonly connected: boolean;
  /** Runs one statement at a time; throws while there is no connection. */
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>;
  close(): Promise<void>;
}

interface KeptConnectionOptions {
  connectionString: string;
  /** Name shown in `pg_stat_activity`. */
  applicationName: string;
  log: Log;
  retryMs: number;
  /** Called with every new connection before it is used. */
  prepare(client: Client): Promise<unknown>;
  /** Whether the first attempt may fail like a later one. */
  mayStartLate?: boolean;
  /** Called when a connection has replaced one that was lost, or has come late. */
  onReconnect?(): void;
  /** Returns the keep-alive query of an idle connection. */
  heartbeat?(): string;
  heartbeatMs?: number;
}

/** Timeout of a statement. The statements here are short: one that takes longer has lost its server. */
const ANSWER_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 15_000;

/** Opens the connection. Throws if the first attempt fails, unless it may start late; later it reconnects for ever. */
export async function keepConnection(options: KeptConnectionOptions): Promise<KeptConnection> {
  const { log, applicationName, retryMs } = options;
  const hosts = openDatabaseHosts(options.connectionString);
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  const connect = async (): Promise<void> => {
    const fresh = open(hosts, options);
    fresh.on("error", (error) => log.warn({ error: error.message, applicationName }, "lost a connection"));
    fresh.on("end", () => {
      if (client !== fresh) return;
      client = undefined;
      retryLater();
    });
    try {
      await fresh.connect();
      await fresh.query(SESSION_STATEMENT);
      await options.prepare(fresh);
      if (closed) throw new Error("Connection terminated: it was closed while it was opened again");
    } catch (error) {
      // The server may still answer when another connection is in use already.
      await fresh.end().catch(() => {});
      throw error;
    }
    client = fresh;
  };
  const retryLater = (): void => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      connect().then(options.onReconnect, retryLater);
    }, retryMs).unref();
  };
  const ask = async (text: string, values?: unknown[]): Promise<QueryResult> => {
    const asked = client;
    if (!asked) throw new Error("Connection terminated: it is being opened again");
    try {
      return await asked.query(text, values);
    } catch (error) {
      if (error instanceof Error && error.message === "Query read timeout") await asked.end().catch(() => {});
      throw error;
    }
  };
  const query = <Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>> => {
    const answer = last.then(() => ask(text, values));
    last = answer.catch(() => {});
    return answer;
  };

  await tryHosts(hosts, connect).catch((error: unknown) => {
    if (!options.mayStartLate) throw error;
    retryLater();
  });
  const beat = (): void => void query(options.heartbeat?.() ?? "select 1").catch(() => {});
  const heartbeat = setInterval(beat, options.heartbeatMs ?? HEARTBEAT_MS).unref();
  return {
    query,
    get connected() {
      return client !== undefined;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(heartbeat);
      await client?.end();
    },
  };
}

const open = (hosts: DatabaseHosts, { applicationName }: KeptConnectionOptions): Client =>
  new HostClient(hosts, {
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    ...KEEP_ALIVE,
  });

/** Listens for what other processes (and this one) changed, so that caches can forget it at once. */
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import type { Log } from "../ground/log.ts";

export interface Change {
  table: string;
  id: string;
}

export interface Changes {
  /** Called for every change, and with undefined when changes may have been missed: forget everything then. */
  subscribe(listener: (change: Change | undefined) => void): void;
  /** False while disconnected: what is cached may be old. */
  readonly connected: boolean;
  /**
   * Resolves when every change that was committed before the call has been told to the listeners here; after a second
   * at most, and at once while disconnected.
   */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;
const CATCH_UP_MS = 1_000;
/** Sent to ourselves: notifications arrive in the order of their commits, so what came before has then arrived. */
const MARK = "mark";

/** Opens one connection that only listens; reconnects for ever. */
export async function listenForChanges(connectionString: string, log: Log): Promise<Changes> {
  const listeners: ((change: Change | undefined) => void)[] = [];
  const tell = (change: Change | undefined) => listeners.forEach((listener) => listener(change));
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const connect = async (): Promise<void> => {
    const fresh = new Client({ connectionString, application_name: "busbar changes", keepAlive: true });
    fresh.on("notification", ({ payload }) => {
      if (payload !== MARK) tell(parse(payload));
    });
    fresh.on("error", (error) => log.warn({ error: error.message }, "lost the change listener"));
    fresh.on("end", () => {
      if (client === fresh) client = undefined;
      if (!closed) timer ??= setTimeout(reconnect, RECONNECT_MS).unref();
    });
    await fresh.connect();
    await fresh.query("listen busbar_changes");
    client = fresh;
  };
  const reconnect = (): void => {
    timer = undefined;
    connect().then(
      () => tell(undefined),
      () => {
        if (!closed) timer ??= setTimeout(reconnect, RECONNECT_MS).unref();
      },
    );
  };

  /** One mark at a time; who asks while one is on its way shares the one after it. */
  let marking: Promise<unknown> = Promise.resolve();
  let waiting: Promise<unknown> | undefined;
  const nextMark = (): Promise<unknown> =>
    (waiting ??= marking.then(() => {
      waiting = undefined;
      // PostgreSQL hands a session its notifications before it reports the end of the statement that caused the last.
      return (marking =
        client?.query(`notify busbar_changes, '${MARK}'`).catch(() => {}) ?? Promise.resolve());
    }));

  await connect();
  return {
    subscribe: (listener) => void listeners.push(listener),
    get connected() {
      return client !== undefined;
    },
    async caughtUp() {
      const timer = new AbortController();
      const late = wait(CATCH_UP_MS, undefined, { signal: timer.signal, ref: false }).catch(() => {});
      await Promise.race([nextMark(), late]).finally(() => timer.abort());
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}

function parse(payload: string | undefined): Change | undefined {
  const value: unknown = payload ? JSON.parse(payload) : undefined;
  if (typeof value !== "object" || value === null || !("table" in value) || !("id" in value))
    return undefined;
  return { table: String(value.table), id: String(value.id) };
}

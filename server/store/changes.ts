/** Listens for what other processes (and this one) changed, so that caches can forget it at once. */
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../ground/log.ts";
import { keepConnection } from "./kept-connection.ts";

export interface Change {
  table: string;
  id: string;
}

export interface Changes {
  /** Calls `listener` for every change, and with undefined when changes may have been missed: forget everything then. */
  subscribe(listener: (change: Change | undefined) => void): void;
  /** False while disconnected: what is cached may be old. */
  readonly connected: boolean;
  /**
   * Resolves when the listeners here have been called for every change that was committed before; after a second at
   * most, and at once while disconnected.
   */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;
const CATCH_UP_MS = 1_000;
/** Sent to ourselves: notifications arrive in the order of their commits, so earlier ones have then arrived. */
const PING = "ping";

/** Opens one connection that only listens; reconnects for ever. */
export async function listenForChanges(connectionString: string, log: Log): Promise<Changes> {
  const listeners: ((change: Change | undefined) => void)[] = [];
  const tell = (change: Change | undefined) => listeners.forEach((listener) => listener(change));
  const connection = await keepConnection({
    connectionString,
    applicationName: "busbar changes",
    log,
    retryMs: RECONNECT_MS,
    prepare(client) {
      client.on("notification", ({ payload }) => {
        if (payload !== PING) tell(parse(payload));
      });
      return client.query("listen busbar_changes");
    },
    onReconnect: () => tell(undefined),
  });

  /** One ping at a time; callers that ask while one is on its way share the one after it. */
  let pinging: Promise<unknown> = Promise.resolve();
  let waiting: Promise<unknown> | undefined;
  const nextPing = (): Promise<unknown> =>
    (waiting ??= pinging.then(() => {
      waiting = undefined;
      // PostgreSQL hands a session its notifications before it reports the end of the statement that caused the last.
      return (pinging = connection.query(`notify busbar_changes, '${PING}'`).catch(() => {}));
    }));

  return {
    subscribe: (listener) => void listeners.push(listener),
    get connected() {
      return connection.connected;
    },
    async caughtUp() {
      const timer = new AbortController();
      const late = wait(CATCH_UP_MS, undefined, { signal: timer.signal, ref: false }).catch(() => {});
      await Promise.race([nextPing(), late]).finally(() => timer.abort());
    },
    close: () => connection.close(),
  };
}

function parse(payload: string | undefined): Change | undefined {
  const value: unknown = payload ? JSON.parse(payload) : undefined;
  if (typeof value !== "object" || value === null || !("table" in value) || !("id" in value))
    return undefined;
  return { table: String(value.table), id: String(value.id) };
}

/** Listens for changes by this and other processes, so that caches forget changed rows at once. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { nowMs } from "../../../ground/clock.ts";
import type { Log } from "../../../ground/log.ts";
import { keepConnection } from "./kept-connection.ts";

export interface RowChange {
  table: string;
  id: string;
}

export interface Changes {
  /** Calls `listener` for every change, and with undefined when changes may have been missed: then everything must be forgotten. */
  subscribe(listener: (change: RowChange | undefined) => void): void;
  /** False while disconnected: cached values may be outdated. */
  readonly connected: boolean;
  /** Time up to which the listeners have been called for every committed change, in milliseconds since the epoch. */
  readonly heardMs: number;
  /**
   * Resolves when the listeners of this process have been called for every change that was committed before the call; after a
   * second at most, and at once while disconnected.
   */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;
const CATCH_UP_MS = 1_000;
/** Shows a stalled connection, which reports nothing. `row-cache.ts` trusts its values for a little longer than this. */
const HEARTBEAT_MS = 3_000;

/** Opens one connection that only listens; reconnects for ever. Throws if the first attempt fails, unless it may start late. */
export async function listenForChanges(
  connectionString: string,
  log: Log,
  { mayStartLate = false } = {},
): Promise<Changes> {
  const listeners: ((change: RowChange | undefined) => void)[] = [];
  const tell = (change: RowChange | undefined) => listeners.forEach((listener) => listener(change));
  /**
   * Notification to this process itself. Notifications arrive in the order of their commits, so all earlier ones have arrived
   * before it.
   */
  const ping = `ping ${randomUUID()} `;
  const notifyPing = (): string => `notify busbar_changes, '${ping}${nowMs()}'`;
  let heardMs = 0;
  const connection = await keepConnection({
    connectionString,
    applicationName: "busbar changes",
    log,
    retryMs: RECONNECT_MS,
    mayStartLate,
    prepare(client) {
      client.on("notification", ({ payload }) => {
        if (payload?.startsWith(ping)) heardMs = Math.max(heardMs, Number(payload.slice(ping.length)));
        else if (!payload?.startsWith("ping ")) tell(parse(payload));
      });
      return client.query("listen busbar_changes");
    },
    onReconnect: () => tell(undefined),
    heartbeat: notifyPing,
    heartbeatMs: HEARTBEAT_MS,
  });

  /** Ping on its way. There is one at a time; callers that come meanwhile share the next one. */
  let pinging: Promise<unknown> = Promise.resolve();
  let waiting: Promise<unknown> | undefined;
  const sendNextPing = (): Promise<unknown> =>
    (waiting ??= pinging.then(() => {
      waiting = undefined;
      // PostgreSQL delivers a session's notifications before it reports the end of the statement that caused the last one.
      return (pinging = connection.query(notifyPing()).catch(() => {}));
    }));

  return {
    subscribe: (listener) => void listeners.push(listener),
    get connected() {
      return connection.connected;
    },
    get heardMs() {
      return heardMs;
    },
    async caughtUp() {
      const timer = new AbortController();
      const late = wait(CATCH_UP_MS, undefined, { signal: timer.signal, ref: false }).catch(() => {});
      await Promise.race([sendNextPing(), late]).finally(() => timer.abort());
    },
    close: () => connection.close(),
  };
}

/** Listens to the database, and to that of the data tables if it is another one. */
export async function listenToDatabase(
  { connectionString, dataUrl }: { connectionString: string; dataUrl?: string },
  log: Log,
): Promise<Changes> {
  const control = await listenForChanges(connectionString, log);
  return dataUrl === undefined ? control : joinChanges([control, await listenForChanges(dataUrl, log)]);
}

/** Returns the changes of several databases as one. */
export const joinChanges = (all: Changes[]): Changes => ({
  subscribe: (listener) => all.forEach((one) => one.subscribe(listener)),
  get connected() {
    return all.every((one) => one.connected);
  },
  get heardMs() {
    return Math.min(...all.map((one) => one.heardMs));
  },
  caughtUp: async () => void (await Promise.all(all.map((one) => one.caughtUp()))),
  close: async () => void (await Promise.all(all.map((one) => one.close()))),
});

/** Returns the same changes without those of some tables. */
export function leaveOutTables(changes: Changes, tables: readonly string[]): Changes {
  const joined = joinChanges([changes]);
  const { subscribe } = joined;
  joined.subscribe = (listener) =>
    subscribe((change) => {
      if (!change || !tables.includes(change.table)) listener(change);
    });
  return joined;
}

function parse(payload: string | undefined): RowChange | undefined {
  const value: unknown = payload ? JSON.parse(payload) : undefined;
  if (typeof value !== "object" || value === null || !("table" in value) || !("id" in value))
    return undefined;
  return { table: String(value.table), id: String(value.id) };
}

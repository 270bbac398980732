/** Listens for what other processes (and this one) changed, so that caches can forget it at once. */
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
  /** Calls `listener` for every change, and with undefined when changes may have been missed: forget everything then. */
  subscribe(listener: (change: RowChange | undefined) => void): void;
  /** False while disconnected: what is cached may be old. */
  readonly connected: boolean;
  /** The listeners have been called for every change that was committed before this time, in milliseconds since the epoch. */
  readonly heardMs: number;
  /**
   * Resolves when the listeners here have been called for every change that was committed before; after a second at
   * most, and at once while disconnected.
   */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;
const CATCH_UP_MS = 1_000;
/** A connection that stalls without a sign is noticed by the silence: `row-cache.ts` trusts what it has for a little longer than this. */
const HEARTBEAT_MS = 3_000;

/** Opens one connection that only listens; reconnects for ever. */
export async function listenForChanges(connectionString: string, log: Log): Promise<Changes> {
  const listeners: ((change: RowChange | undefined) => void)[] = [];
  const tell = (change: RowChange | undefined) => listeners.forEach((listener) => listener(change));
  /** Sent to ourselves: notifications arrive in the order of their commits, so earlier ones have then arrived. */
  const ping = `ping ${randomUUID()} `;
  const notifyPing = (): string => `notify busbar_changes, '${ping}${nowMs()}'`;
  let heardMs = 0;
  const connection = await keepConnection({
    connectionString,
    applicationName: "busbar changes",
    log,
    retryMs: RECONNECT_MS,
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

  /** One ping at a time; callers that ask while one is on its way share the one after it. */
  let pinging: Promise<unknown> = Promise.resolve();
  let waiting: Promise<unknown> | undefined;
  const nextPing = (): Promise<unknown> =>
    (waiting ??= pinging.then(() => {
      waiting = undefined;
      // PostgreSQL hands a session its notifications before it reports the end of the statement that caused the last.
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
      await Promise.race([nextPing(), late]).finally(() => timer.abort());
    },
    close: () => connection.close(),
  };
}

function parse(payload: string | undefined): RowChange | undefined {
  const value: unknown = payload ? JSON.parse(payload) : undefined;
  if (typeof value !== "object" || value === null || !("table" in value) || !("id" in value))
    return undefined;
  return { table: String(value.table), id: String(value.id) };
}

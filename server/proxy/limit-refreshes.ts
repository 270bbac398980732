/** Limits how often the proxy refreshes the token of one connection. */
import { LRUCache } from "lru-cache";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import { nowMs } from "../ground/clock.ts";

/**
 * Some providers answer 401 whatever the token is (a missing scope, a blocked user). Without a limit, every call would
 * request a new token.
 */
const REFRESH_AT_MOST_EVERY_MS = 30_000;
const MOST_CONNECTIONS = 20_000;

/** Returns a function that refreshes a connection, or returns the same one if that was tried a moment ago. */
export function limitRefreshes(
  connections: Pick<LiveConnections, "refreshRejected">,
): (live: LiveConnection) => Promise<LiveConnection> {
  /** When a connection was last refreshed from here, in milliseconds since the epoch. */
  const times = new LRUCache<string, number>({ max: MOST_CONNECTIONS });
  /** Refreshes in progress: calls that were refused together wait for one. */
  const running = new Map<string, Promise<LiveConnection>>();
  return (live) => {
    const known = running.get(live.id);
    if (known) return known;
    if (nowMs() - (times.get(live.id) ?? 0) < REFRESH_AT_MOST_EVERY_MS) return Promise.resolve(live);
    times.set(live.id, nowMs());
    const started = connections.refreshRejected(live).finally(() => running.delete(live.id));
    running.set(live.id, started);
    return started;
  };
}

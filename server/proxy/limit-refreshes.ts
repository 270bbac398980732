/** Limits how often the proxy refreshes the token of one connection. */
import { LRUCache } from "lru-cache";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import { nowMs } from "../ground/clock.ts";

/**
 * Some providers answer 401 whatever the token is (a missing scope, a blocked user). Without a limit, every call would
 * request a new token. More than one, because a new token can be revoked at once as well.
 */
const MOST_REFRESHES = 3;
const WITHIN_MS = 30_000;
const MOST_CONNECTIONS = 20_000;

/**
 * Returns a function that refreshes a connection, or returns the same one if it has new tokens often enough already. A
 * refresh that failed does not count: the next call tries again.
 */
export function limitRefreshes(
  connections: Pick<LiveConnections, "refreshRejected">,
): (live: LiveConnection) => Promise<LiveConnection> {
  /** When a connection got new tokens from here, in milliseconds since the epoch. */
  const times = new LRUCache<string, number[]>({ max: MOST_CONNECTIONS });
  /** Refreshes in progress: calls that were refused together wait for one. */
  const running = new Map<string, Promise<LiveConnection>>();
  return (live) => {
    const known = running.get(live.id);
    if (known) return known;
    const recent = (times.get(live.id) ?? []).filter((timeMs) => nowMs() - timeMs < WITHIN_MS);
    if (recent.length >= MOST_REFRESHES) return Promise.resolve(live);
    const started = connections
      .refreshRejected(live)
      .then((refreshed) => {
        times.set(live.id, [...recent, nowMs()]);
        return refreshed;
      })
      .finally(() => running.delete(live.id));
    running.set(live.id, started);
    return started;
  };
}

/** Limits how often the proxy refreshes the token of one connection. */
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import { nowMs } from "../../ground/clock.ts";

/**
 * Some providers answer 401 whatever the token is (a missing scope, a blocked user). Without a limit, every call would
 * request a new token. The limit is more than one, because a provider can revoke a new token immediately, too.
 */
const MAX_REFRESHES = 3;
const WITHIN_MS = 30_000;
const MAX_CONNECTIONS = 20_000;

/**
 * Returns a function that refreshes a connection. It returns the connection unchanged if the limit is reached. A failed
 * refresh does not count, so the next call tries again.
 */
export function limitRefreshes(
  connections: Pick<LiveConnections, "refreshRejected">,
): (live: LiveConnection) => Promise<LiveConnection> {
  /** The times at which a connection got new tokens by this function, in milliseconds since the epoch. */
  const times = keepRecentlyUsed<number[]>(MAX_CONNECTIONS);
  /** Refreshes in progress: calls that were refused at the same time wait for the same refresh. */
  const running = new Map<string, Promise<LiveConnection>>();
  return (live) => {
    const known = running.get(live.id);
    if (known) return known;
    const recent = (times.get(live.id) ?? []).filter((timeMs) => nowMs() - timeMs < WITHIN_MS);
    if (recent.length >= MAX_REFRESHES) return Promise.resolve(live);
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

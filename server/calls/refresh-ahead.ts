/** Refreshes tokens before anybody needs them, so that callers never wait and idle connections stay alive. */
import type { Log } from "../ground/log.ts";
import type { Database } from "../store/database.ts";
import { claimDueRefreshes, deferRefresh } from "../store/token-refreshes.ts";
import type { LiveConnections } from "./live-connections.ts";

export interface RefreshAhead {
  /** Waits for the refreshes that have begun. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 15_000;
const MOST_AT_ONCE = 4;
/** Longer than a token endpoint may take; a process that dies meanwhile leaves the rest to others after it. */
const HOLD_SECONDS = 120;
const BACKOFF = { baseSeconds: 60, mostSeconds: 3_600 };

/** Looks now and then; any number of processes may, each connection is refreshed by one of them. */
export function startRefreshAhead(
  deps: { database: Database; connections: LiveConnections; log: Log },
  lookEveryMs = LOOK_EVERY_MS,
): RefreshAhead {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  const look = (): void => {
    round = refreshDue(deps, () => stopped)
      .catch((error: unknown) => deps.log.warn({ error: String(error) }, "refreshes were put off"))
      .finally(() => {
        if (!stopped) timer = setTimeout(look, lookEveryMs).unref();
      });
  };
  look();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}

async function refreshDue(
  deps: { database: Database; connections: LiveConnections; log: Log },
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped()) {
    const due = await claimDueRefreshes(deps.database.queries, MOST_AT_ONCE, HOLD_SECONDS);
    if (due.length === 0) return;
    await Promise.all(due.map((connection) => refreshOne(deps, connection)));
  }
}

async function refreshOne(
  deps: { database: Database; connections: LiveConnections; log: Log },
  connection: { id: string; projectId: string },
): Promise<void> {
  try {
    await deps.connections.forceRefresh(connection);
  } catch (error) {
    // What cannot pass has ended the refreshes itself; everything else is tried again later.
    deps.log.warn(
      { connectionId: connection.id, error: String(error) },
      "a token could not be refreshed ahead",
    );
    await deferRefresh(deps.database.queries, connection.id, BACKOFF);
  }
}

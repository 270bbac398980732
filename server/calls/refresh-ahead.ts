/** Refreshes tokens before they expire, so that calls need not wait and refresh tokens do not expire unused. */
import type { Log } from "../../ground/log.ts";
import { startWork, type WorkStart } from "../../ground/span.ts";
import type { Tracer } from "../../ground/tracer.ts";
import type { Database } from "../store/database/database.ts";
import { claimDueRefreshes, deferRefresh } from "../store/connections/token-refreshes.ts";
import type { LiveConnections } from "./live-connections.ts";

interface RefreshAhead {
  /** Waits for the refreshes that have begun. */
  stop(): Promise<void>;
}

interface Services {
  database: Database;
  connections: LiveConnections;
  log: Log;
  /** Refreshes of this kind under way at once. */
  maxConcurrent: number;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
}

const LOOK_EVERY_MS = 15_000;
/** Small, so that one claim cannot fill the queue of a slow token endpoint. */
const MAX_PER_CLAIM = 10;
/** Longer than a refresh may take; after the death of a process, others refresh its connections that much later. */
const HOLD_SECONDS = 120;
const BACKOFF = { baseSeconds: 60, maxSeconds: 3_600 };

/** Checks for due connections every 15 s. Every process may do so; each connection is refreshed by one of them. */
export function startRefreshAhead(deps: Services, checkEveryMs = LOOK_EVERY_MS): RefreshAhead {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  const running = new Set<Promise<void>>();
  const check = (): void => {
    round = refreshDue(deps, running, () => stopped)
      .catch((error: unknown) =>
        deps.log.warn({ error: String(error) }, "due refreshes could not be claimed"),
      )
      .finally(() => {
        if (!stopped) timer = setTimeout(check, checkEveryMs).unref();
      });
  };
  check();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
      await Promise.all(running);
    },
  };
}

/** Returns when nothing more is due; the last refreshes may still be in `running`. */
async function refreshDue(
  deps: Services,
  running: Set<Promise<void>>,
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped()) {
    const busy = deps.connections.waitingRefreshes();
    const max = Math.min(deps.maxConcurrent - running.size, MAX_PER_CLAIM);
    const due =
      max > 0 ? await claimDueRefreshes(deps.database.control, { max, holdSeconds: HOLD_SECONDS, busy }) : [];
    for (const connection of due) {
      const started: Promise<void> = refreshOne(deps, connection)
        .catch((error: unknown) => deps.log.warn({ error: String(error) }, "a refresh could not be put off"))
        .finally(() => running.delete(started));
      running.add(started);
    }
    if (due.length > 0 && running.size < deps.maxConcurrent) continue;
    if (running.size === 0 || (max > 0 && busy.length === 0)) return;
    await Promise.race(running);
  }
}

function refreshOne(deps: Services, connection: { id: string; projectId: string }): Promise<void> {
  const { id: connectionId, projectId } = connection;
  const work: WorkStart = {
    tracer: deps.tracer,
    caller: undefined,
    ids: { projectId, connectionId },
    name: "refresh token ahead of its expiry",
    kind: "internal",
    attributes: { "busbar.project.id": projectId, "busbar.connection.id": connectionId },
  };
  return startWork(work, async () => {
    try {
      await deps.connections.forceRefresh(connection);
    } catch (error) {
      // A final failure has ended the refreshes of the connection itself; the others are retried.
      deps.log.warn({ error: String(error) }, "a token could not be refreshed ahead of its expiry");
      await deferRefresh(deps.database.control, connectionId, BACKOFF);
    }
  });
}

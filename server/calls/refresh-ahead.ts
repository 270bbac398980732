/** Renews tokens before anybody needs them, so that callers never wait and idle connections stay alive. */
import type { Log } from "../ground/log.ts";
import type { Database } from "../store/database.ts";
import { claimDueRenewals, deferRenewal } from "../store/token-refreshes.ts";
import type { LiveConnections } from "./live-connections.ts";

export interface RenewAhead {
  /** Waits for the renewals that have begun. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 15_000;
const MOST_AT_ONCE = 4;
/** Longer than a token endpoint may take; a process that dies meanwhile leaves the rest to others after it. */
const HOLD_SECONDS = 120;
const BACKOFF = { baseSeconds: 60, mostSeconds: 3_600 };

/** Looks now and then; any number of processes may, each connection is renewed by one of them. */
export function startRenewAhead(
  on: { database: Database; connections: LiveConnections; log: Log },
  lookEveryMs = LOOK_EVERY_MS,
): RenewAhead {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  const look = (): void => {
    round = renewDue(on, () => stopped)
      .catch((error: unknown) => on.log.warn({ error: String(error) }, "renewals were put off"))
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

async function renewDue(
  on: { database: Database; connections: LiveConnections; log: Log },
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped()) {
    const due = await claimDueRenewals(on.database.queries, MOST_AT_ONCE, HOLD_SECONDS);
    if (due.length === 0) return;
    await Promise.all(due.map((connection) => renewOne(on, connection)));
  }
}

async function renewOne(
  on: { database: Database; connections: LiveConnections; log: Log },
  connection: { id: string; projectId: string },
): Promise<void> {
  try {
    await on.connections.refresh(connection);
  } catch (error) {
    // What cannot pass has ended the renewals itself; everything else is tried again later.
    on.log.warn({ connectionId: connection.id, error: String(error) }, "a token could not be renewed ahead");
    await deferRenewal(on.database.queries, connection.id, BACKOFF);
  }
}

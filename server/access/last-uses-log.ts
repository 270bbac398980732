/** Notes when API keys and sessions were last used: to the minute, in batches, off the path of requests. */
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import { nowMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import type { Database } from "../store/database/database.ts";
import type { ControlQueries } from "../store/database/sides.ts";
import { noteKeyUses, noteSessionUses } from "../store/access/last-uses.ts";

export interface LastUses {
  key(apiKeyId: string): void;
  session(sessionId: string): void;
  /** Stores what is not stored yet, as far as the database is available. */
  close(): Promise<void>;
}

const FLUSH_MS = 15_000;
const MINUTE_MS = 60_000;
const MAX_KNOWN = 20_000;

export function openLastUses(deps: { database: Database; log: Log }): LastUses {
  const keys = collect(noteKeyUses);
  const sessions = collect(noteSessionUses);
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const flush = async (): Promise<void> => {
    timer = undefined;
    for (const { store } of [keys, sessions]) {
      await store(deps.database.control).catch((error: unknown) =>
        deps.log.warn({ error: String(error) }, "last uses not stored"),
      );
    }
  };
  const later = (isNew: boolean): void => {
    if (isNew) timer ??= setTimeout(() => (running = flush()), FLUSH_MS).unref();
  };
  return {
    key: (id) => later(keys.add(id)),
    session: (id) => later(sessions.add(id)),
    async close() {
      clearTimeout(timer);
      await running;
      await flush();
    },
  };
}

/** Collects ids, each at most once a minute. A batch that could not be stored is dropped: the next use counts. */
function collect(note: (queries: ControlQueries, ids: string[]) => Promise<void>) {
  const noted = keepRecentlyUsed<number>(MAX_KNOWN);
  let waiting = new Set<string>();
  return {
    /** Returns whether the use is to be stored. */
    add(id: string): boolean {
      const minute = Math.floor(nowMs() / MINUTE_MS);
      if (noted.get(id) === minute) return false;
      noted.set(id, minute);
      waiting.add(id);
      return true;
    },
    async store(queries: ControlQueries): Promise<void> {
      const ids = [...waiting];
      waiting = new Set();
      if (ids.length > 0) await note(queries, ids);
    },
  };
}

/** Shares between all processes which connections are suspect, so that a success in one process clears them in all. */
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import { nowMs } from "../../ground/clock.ts";
import type { BackgroundWork } from "../jobs/background-work.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import {
  findSuspect,
  insertSuspect,
  listSuspects,
  removeSuspect,
} from "../store/connections/suspect-connections.ts";
import type { LiveConnection } from "./live-connection.ts";

interface SharedSuspects {
  /** Whether any process suspects any connection. */
  readonly any: boolean;
  has(id: string): boolean;
  add(live: LiveConnection): Promise<void>;
  /** Clears a suspicion in all processes. Returns the work to do in the background, undefined if there was none. */
  clear(id: string): (() => Promise<void>) | undefined;
  /** Returns whether the suspicion is so old that every process has had time to clear it. */
  isOld(live: LiveConnection, ageMs: number): Promise<boolean>;
  /** Stores the next refusal of these credentials at once. */
  reset(live: LiveConnection): void;
}

export const MAX_SUSPECTS = 10_000;
/** Where refusals and successes alternate, the database is written to at most this often. */
const STORE_INTERVAL_MS = 60_000;

/** `onCleared` is called when another process has cleared a connection. */
export function openSharedSuspects(
  deps: { database: Database; changes: Changes },
  background: BackgroundWork,
  onCleared: (id: string) => void,
): SharedSuspects {
  const { control } = deps.database;
  const suspects = new Set<string>();
  /** For each credential generation, the time until which a suspicion is not stored again, in milliseconds since the epoch. */
  const restingUntil = keepRecentlyUsed<number>(MAX_SUSPECTS);
  const failed = "the suspect connections of other processes could not be read";
  const readAll = async () => {
    for (const id of await listSuspects(control, MAX_SUSPECTS)) suspects.add(id);
  };
  deps.changes.subscribe((change) => {
    if (!change) return background.run({}, failed, readAll);
    const { table, id } = change;
    if (table !== "connection_doubts") return;
    background.run({ connectionId: id }, failed, async () => {
      if (await findSuspect(control, id)) return suspects.add(id);
      onCleared(id);
      return suspects.delete(id);
    });
  });
  background.run({}, failed, readAll);
  return {
    get any() {
      return suspects.size > 0;
    },
    has: (id) => suspects.has(id),
    clear: (id) => (suspects.delete(id) ? () => removeSuspect(control, id) : undefined),
    async add(live) {
      const generation = getCredentialGeneration(live);
      if ((restingUntil.get(generation) ?? 0) > nowMs()) return;
      restingUntil.set(generation, nowMs() + STORE_INTERVAL_MS);
      await insertSuspect(control, { connectionId: live.id, generation, since: new Date(nowMs()) });
    },
    async isOld(live, ageMs) {
      const suspect = await findSuspect(control, live.id);
      return (
        suspect?.generation === getCredentialGeneration(live) && nowMs() - suspect.since.getTime() >= ageMs
      );
    },
    reset: (live) => void restingUntil.delete(getCredentialGeneration(live)),
  };
}

/**
 * Differs between credentials and their successors, so that refusals of the old ones do not count against the new
 * ones. The sealed text ends in an authentication tag, which is unique.
 */
export const getCredentialGeneration = ({ sealed }: LiveConnection): string => sealed.slice(-24);

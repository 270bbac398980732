/** Caches values from the database until their rows change, and serves them while the database is away. */
import { setTimeout as wait } from "node:timers/promises";
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { RowChange, Changes } from "../database/changes.ts";
import { openDependents } from "./dependents.ts";

interface RowCache<Value> {
  /**
   * Returns a value from memory if possible, a promise if it has to be read. Missing values are not cached. Callers share a
   * running read unless their `scope` differs: a project whose read finds nothing must not answer for the project that owns the
   * row.
   */
  get(
    key: string,
    read: () => Promise<Value | undefined>,
    scope?: string,
  ): Value | undefined | Promise<Value | undefined>;
  put(key: string, value: Value): void;
}

interface CacheOptions<Value> {
  max: number;
  /** Tables from whose rows values are made; changes of others are ignored. */
  tables: readonly string[];
  /** Returns the ids of the rows that a value was made from. The name of a table stands for all of its rows. */
  listRowIds(value: Value): readonly string[];
}

interface Entry<Value> {
  value: Value;
  /** Time of the read or later: every change of its rows until then is known. In milliseconds since the epoch. */
  readMs: number;
  /** Whether a notification may have been missed since the read. */
  doubted: boolean;
  /** Earliest time of the next read after a failed one. */
  retryMs: number;
}

/** Read under way, with the changes meanwhile: it may have read its row before or after them. */
interface Read<Value> {
  value: Promise<Value | undefined>;
  /** Undefined stands for an unknown change of any row. */
  missed: (RowChange | undefined)[];
}

/** How long a value is served while no heartbeat confirms that all changes were received: two heartbeats (`changes.ts`). */
const FRESH_MS = 6_000;
/**
 * Maximum age of a value while the database is away: longer than a restart or failover takes, but a key that was revoked
 * meanwhile must not be accepted for ever.
 */
const OLDEST_MS = 15 * 60_000;
/** How long a caller waits for a read if there is an older value to serve. */
const PATIENCE_MS = 1_000;
const RETRY_MS = 1_000;

/**
 * Opens a cache. A fresh value is served at once. A doubted one, for which changes may have been missed, is read again, and
 * served only if that fails. A value with a changed row is removed. A value stays fresh as long as changes are heard.
 */
export function cacheUntilChanged<Value>(
  changes: Changes,
  { max, tables, listRowIds }: CacheOptions<Value>,
): RowCache<Value> {
  const dependents = openDependents();
  const entries = keepRecentlyUsed<Entry<Value>>(max, {
    dispose: ({ value }, key) => dependents.unlink(key, listRowIds(value)),
  });
  /** Reads that callers may share. */
  const reads = new Map<string, Read<Value>>();
  const running = new Set<Read<Value>>();
  const concerned = new Set(tables);
  /** Returns the time up to which every change of the entry's rows is known. */
  const knownMs = ({ readMs, doubted }: Entry<Value>): number =>
    doubted ? readMs : Math.max(readMs, changes.heardMs);

  changes.subscribe((change) => {
    if (change && !concerned.has(change.table)) return;
    for (const read of running) read.missed.push(change);
    // A running read may return the state before the change: new callers start another one.
    reads.clear();
    if (change) {
      for (const row of [change.id, change.table]) dependents.of(row).forEach((key) => entries.delete(key));
      return;
    }
    for (const entry of entries.values()) {
      entry.readMs = knownMs(entry);
      entry.doubted = true;
    }
  });

  const put = (key: string, value: Value): void => {
    entries.set(key, { value, readMs: nowMs(), doubted: false, retryMs: 0 });
    dependents.link(key, listRowIds(value));
  };

  const begin = (
    key: string,
    read: () => Promise<Value | undefined>,
    shared: string,
  ): Promise<Value | undefined> => {
    const known = reads.get(shared);
    if (known) return known.value;
    const missed: Read<Value>["missed"] = [];
    const value = read()
      .then((found) => {
        if (found === undefined) entries.delete(key);
        else if (!isConcerned(listRowIds(found), missed)) put(key, found);
        return found;
      })
      .finally(() => {
        running.delete(begun);
        if (reads.get(shared) === begun) reads.delete(shared);
      });
    const begun: Read<Value> = { value, missed };
    running.add(begun);
    reads.set(shared, begun);
    return value;
  };

  return {
    put,
    get(key, read, scope = "") {
      const entry = entries.get(key);
      const ageMs = entry ? nowMs() - knownMs(entry) : OLDEST_MS;
      if (entry && !entry.doubted && ageMs < FRESH_MS) return entry.value;
      if (entry && ageMs < OLDEST_MS && nowMs() < entry.retryMs) return entry.value;
      const newest = begin(key, read, `${scope}/${key}`);
      if (!entry || ageMs >= OLDEST_MS) return newest;
      return chooseNewest(newest, entry, changes.connected ? PATIENCE_MS : 0);
    },
  };
}

const isConcerned = (rows: readonly string[], changes: (RowChange | undefined)[]): boolean =>
  changes.some((change) => !change || rows.includes(change.id) || rows.includes(change.table));

/** Returns the newly read value, or the cached one if the database fails or takes too long. */
function chooseNewest<Value>(
  newest: Promise<Value | undefined>,
  entry: Entry<Value>,
  patienceMs: number,
): Value | undefined | Promise<Value | undefined> {
  const known = newest.catch(() => {
    entry.retryMs = nowMs() + RETRY_MS;
    return entry.value;
  });
  if (patienceMs === 0) return entry.value;
  const timer = new AbortController();
  const late = wait(patienceMs, entry.value, { signal: timer.signal, ref: false })
    // The next callers need not wait as well.
    .then((value) => {
      entry.retryMs = nowMs() + RETRY_MS;
      return value;
    })
    .catch(() => entry.value);
  return Promise.race([known, late]).finally(() => timer.abort());
}

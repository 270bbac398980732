/** Keeps what was read from the database until it changes, and serves it while the database is away. */
import { setTimeout as wait } from "node:timers/promises";
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { RowChange, Changes } from "../database/changes.ts";
import { openDependents } from "./dependents.ts";

export interface RowCache<Value> {
  /**
   * From memory where possible; a promise only when it has to be read. What does not exist is not remembered.
   * Callers share a running read unless their `scope` differs: a project whose read finds nothing must not answer for
   * the project that owns the row.
   */
  get(
    key: string,
    read: () => Promise<Value | undefined>,
    scope?: string,
  ): Value | undefined | Promise<Value | undefined>;
  put(key: string, value: Value): void;
}

export interface CacheOptions<Value> {
  max: number;
  /** The tables whose rows values are made from; changes of others are ignored. */
  tables: readonly string[];
  /** Returns the ids of the rows that a value was made from; the name of a table stands for all of its rows. */
  listRowIds(value: Value): readonly string[];
}

interface Entry<Value> {
  value: Value;
  /** When it was read, or later: every change of its rows up to then is known. In milliseconds since the epoch. */
  readMs: number;
  /** A notification may have been missed since it was read. */
  doubted: boolean;
  /** After a failed read: earliest time of the next one. */
  retryMs: number;
}

/** A read that is under way, and what changed meanwhile: its row may be from before or after that. */
interface Read<Value> {
  value: Promise<Value | undefined>;
  /** Undefined: any row may have changed. */
  missed: (RowChange | undefined)[];
}

/** How long a value is served without a sign that every change has been heard: two heartbeats (`changes.ts`). */
const FRESH_MS = 6_000;
/** Longer than a restart or failover of the database takes; later, a key that was revoked meanwhile must not be accepted. */
const OLDEST_MS = 15 * 60_000;
/** How long a caller waits for a read when there is something older to serve. */
const PATIENCE_MS = 1_000;
const RETRY_MS = 1_000;

/**
 * States of a value: fresh, served at once; doubted (changes may have been missed), read again and served only if that
 * fails; forgotten, because one of its rows was changed. A value stays fresh as long as changes are heard.
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
  /** The time up to which every change of the entry's rows is known. */
  const knownMs = ({ readMs, doubted }: Entry<Value>): number =>
    doubted ? readMs : Math.max(readMs, changes.heardMs);

  changes.subscribe((change) => {
    if (change && !concerned.has(change.table)) return;
    for (const read of running) read.missed.push(change);
    // A read may return what was there before the change: callers that come now start another one.
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
      return orKnown(newest, entry, changes.connected ? PATIENCE_MS : 0);
    },
  };
}

const isConcerned = (rows: readonly string[], changes: (RowChange | undefined)[]): boolean =>
  changes.some((change) => !change || rows.includes(change.id) || rows.includes(change.table));

/** Returns the newly read value, or the known one when the database fails or takes too long. */
function orKnown<Value>(
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
    // Those who come next need not wait as well.
    .then((value) => {
      entry.retryMs = nowMs() + RETRY_MS;
      return value;
    })
    .catch(() => entry.value);
  return Promise.race([known, late]).finally(() => timer.abort());
}

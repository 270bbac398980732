/** Keeps what was read from the database until it changes, and serves it while the database is away. */
import { setTimeout as wait } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { nowMs } from "../ground/clock.ts";
import type { Change, Changes } from "./changes.ts";

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

/** What a change invalidates: the value of one key, every value that fits, or nothing. */
export type Affected<Value> = string | ((value: Value) => boolean) | undefined;

interface Entry<Value> {
  value: Value;
  readMs: number;
  /** A notification may have been missed since it was read. */
  doubted: boolean;
  /** After a failed read: earliest time of the next one. */
  retryMs: number;
}

type Missed<Value> = Exclude<Affected<Value>, undefined>;

/** A read that is under way, and the changes that came meanwhile: its row may be from before or after them. */
interface Read<Value> {
  key: string;
  value: Promise<Value | undefined>;
  missed: Missed<Value>[];
}

const concerns = <Value>(affected: Missed<Value>, key: string, value: Value): boolean =>
  typeof affected === "string" ? affected === key : affected(value);

/** Limits the effect of a lost notification. */
const FRESH_MS = 60_000;
/** Longer than a restart or failover of the database takes; later, a key that was revoked meanwhile must not be accepted. */
const OLDEST_MS = 15 * 60_000;
/** How long a caller waits for a read when there is something older to serve. */
const PATIENCE_MS = 1_000;
const RETRY_MS = 1_000;

/**
 * States of a value: fresh, served at once; doubted (too long ago, or changes may have been missed), read again and
 * served only if that fails; forgotten, because a change named it.
 */
export function cacheUntilChanged<Value>(
  changes: Changes,
  options: { most: number; affected: (change: Change) => Affected<Value> },
): RowCache<Value> {
  const entries = new LRUCache<string, Entry<Value>>({ max: options.most });
  /** Reads that callers may share. */
  const reads = new Map<string, Read<Value>>();
  const running = new Set<Read<Value>>();

  changes.subscribe((change) => {
    const affected = change ? options.affected(change) : () => true;
    if (affected === undefined) return;
    for (const read of running) read.missed.push(affected);
    // A read may return what was there before the change: callers that come now start another one.
    for (const [shared, { key }] of reads) {
      if (typeof affected !== "string" || key === affected) reads.delete(shared);
    }
    if (typeof affected === "string") return void entries.delete(affected);
    for (const [key, entry] of entries.entries()) {
      if (!change) entry.doubted = true;
      else if (affected(entry.value)) entries.delete(key);
    }
  });

  const put = (key: string, value: Value): void =>
    void entries.set(key, { value, readMs: nowMs(), doubted: false, retryMs: 0 });

  const begin = (
    key: string,
    read: () => Promise<Value | undefined>,
    shared: string,
  ): Promise<Value | undefined> => {
    const known = reads.get(shared);
    if (known) return known.value;
    const missed: Missed<Value>[] = [];
    const value = read()
      .then((found) => {
        if (found === undefined) entries.delete(key);
        else if (!missed.some((affected) => concerns(affected, key, found))) put(key, found);
        return found;
      })
      .finally(() => {
        running.delete(begun);
        if (reads.get(shared) === begun) reads.delete(shared);
      });
    const begun: Read<Value> = { key, value, missed };
    running.add(begun);
    reads.set(shared, begun);
    return value;
  };

  return {
    put,
    get(key, read, scope = "") {
      const entry = entries.get(key);
      const ageMs = entry ? nowMs() - entry.readMs : OLDEST_MS;
      if (entry && !entry.doubted && ageMs < FRESH_MS) return entry.value;
      if (entry && ageMs < OLDEST_MS && nowMs() < entry.retryMs) return entry.value;
      const running = begin(key, read, `${scope}/${key}`);
      if (!entry || ageMs >= OLDEST_MS) return running;
      return orKnown(running, entry, changes.connected ? PATIENCE_MS : 0);
    },
  };
}

/** Returns the newly read value, or the known one when the database fails or takes too long. */
function orKnown<Value>(
  running: Promise<Value | undefined>,
  entry: Entry<Value>,
  patienceMs: number,
): Value | undefined | Promise<Value | undefined> {
  const known = running.catch(() => {
    entry.retryMs = nowMs() + RETRY_MS;
    return entry.value;
  });
  if (patienceMs === 0) return entry.value;
  const timer = new AbortController();
  const late = wait(patienceMs, entry.value, { signal: timer.signal, ref: false }).catch(() => entry.value);
  return Promise.race([known, late]).finally(() => timer.abort());
}

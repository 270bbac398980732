/** Combines items of callers that arrive together into one transaction; each caller waits for its commit. */
import { isTookTooLong } from "../store/database/database-outage.ts";

interface SharedCommit<T> {
  /** Settles when the item is committed; rejects with the reason it could not be. */
  add(item: T): Promise<void>;
}

interface SharedCommitOptions<T> {
  maxItems?: number;
  /** Returns how many items an item counts as. Default: 1. */
  measureSize?(item: T): number;
  /** Transactions under way at once; items that arrive meanwhile wait for the next one. */
  maxUnderWay?: number;
  /** Returns whether items may be tried alone after this failure of several; unless given, if it did not take too long. */
  mayRepeat?(error: unknown): boolean;
  /** For items without a waiting caller: fewer than `items` wait `ms` for more, unless they arrive one at a time. */
  gather?: { items: number; ms: number };
}

/**
 * `flush` writes all its items in one transaction. When it fails for several, each is tried alone, so that one bad item
 * does not fail the others. Without `gather` there is no delay: a single item is committed at once, and items gather only
 * while a commit is under way.
 */
export function openSharedCommit<T>(
  flush: (items: T[]) => Promise<void>,
  {
    maxItems = 200,
    measureSize = () => 1,
    maxUnderWay = 2,
    mayRepeat = (error) => !isTookTooLong(error),
    gather,
  }: SharedCommitOptions<T> = {},
): SharedCommit<T> {
  let waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let underWay = 0;
  let scheduled = false;
  let lastSize = 0;

  const run = async (): Promise<void> => {
    scheduled = false;
    if (underWay >= maxUnderWay || waiting.length === 0) return;
    let [count, size] = [0, 0];
    for (const { item } of waiting) {
      size += measureSize(item);
      if (count > 0 && size > maxItems) break;
      count += 1;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    lastSize = batch.length;
    underWay += 1;
    try {
      await flush(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1 || !mayRepeat(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await flush([one.item]).then(one.resolve, one.reject);
    } finally {
      underWay -= 1;
      schedule();
    }
  };
  const schedule = (): void => {
    if (scheduled || waiting.length === 0 || underWay >= maxUnderWay) return;
    scheduled = true;
    if (gather && lastSize > 1 && waiting.length < gather.items) setTimeout(run, gather.ms);
    // After the current round of I/O, so that requests that arrived together are gathered together.
    else setImmediate(run);
  };

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ item, resolve, reject });
      schedule();
      return promise;
    },
  };
}

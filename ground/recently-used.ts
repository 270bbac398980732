/** A map that keeps its most recently used entries. */
import { LRUCache } from "lru-cache";

interface RecentlyUsedOptions<Value> {
  /** Called with what was dropped or replaced. */
  dispose?: (value: Value, key: string) => void;
  /** How long an entry is kept at most. */
  ttl?: number;
}

/**
 * Returns an empty map for `max` entries, which grows with what it holds. With `max` instead of `maxSize`, the cache would
 * take room for all of its entries at once: 20 such maps took a tenth of a second and tens of megabytes of every start.
 */
export const keepRecentlyUsed = <Value extends {}>(
  max: number,
  options: RecentlyUsedOptions<Value> = {},
): RecentlyUsed<Value> => new LRUCache<string, Value>({ maxSize: max, sizeCalculation: () => 1, ...options });

export type RecentlyUsed<Value extends {}> = LRUCache<string, Value>;

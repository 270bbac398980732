/** Selects the due items whose keys have capacity. Pure. */
import type { CapacityFor } from "./claim-loop.ts";

/** An item that may be claimed for a connection. */
interface DueItem {
  connectionId: string;
  projectId: string;
}

/** Returns the first items for which there is capacity, at most `limit`. */
export function limitPerKey<Item extends DueItem>(
  due: readonly Item[],
  limit: number,
  capacity: CapacityFor,
): Item[] {
  const left = new Map<string, number>();
  const taken: Item[] = [];
  for (const item of due) {
    if (taken.length >= limit) break;
    const { connectionId, projectId } = item;
    const free = left.get(connectionId) ?? capacity(connectionId, projectId);
    left.set(connectionId, free - 1);
    if (free > 0) taken.push(item);
  }
  return taken;
}

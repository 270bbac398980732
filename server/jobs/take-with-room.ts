/** Takes items of a list of due ones as far as their keys have room. Pure. */
import type { RoomFor } from "./claim-loop.ts";

/** An item that may be claimed for a connection. */
export interface DueItem {
  connectionId: string;
  projectId: string;
}

/** Returns the first items for which there is room, at most `limit`. */
export function takeWithRoom<Item extends DueItem>(
  due: readonly Item[],
  limit: number,
  room: RoomFor,
): Item[] {
  const left = new Map<string, number>();
  const taken: Item[] = [];
  for (const item of due) {
    if (taken.length >= limit) break;
    const { connectionId, projectId } = item;
    const free = left.get(connectionId) ?? room(connectionId, projectId);
    left.set(connectionId, free - 1);
    if (free > 0) taken.push(item);
  }
  return taken;
}

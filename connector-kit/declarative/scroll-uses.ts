/**
 * Counts how often a scroll was asked to go on. The provider keeps its place: a page whose answer was lost, or was not stored, cannot be
 * asked for again, and the next request would leave it out.
 */
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import type { Checkpoint } from "../read-connector.ts";
import type { PagingRules } from "./rules/paging-rules.ts";

/** Scrolls that one process remembers; one of another process is taken to be where its checkpoint is. */
const MAX_SCROLLS = 1_000;

export interface ScrollUses {
  /** Returns whether the scroll is beyond the checkpoint; otherwise it counts as asked for the next page. */
  isBeyond(paging: PagingRules, checkpoint: Checkpoint | undefined): boolean;
}

export function countScrollUses(): ScrollUses {
  const uses = keepRecentlyUsed<number>(MAX_SCROLLS);
  return {
    isBeyond({ cursor }, checkpoint) {
      const { place, pages } = checkpoint ?? {};
      if (!cursor?.scroll || typeof place !== "string" || typeof pages !== "number") return false;
      const asked = uses.get(place);
      if (asked !== undefined && asked !== pages) return true;
      uses.set(place, pages + 1);
      return false;
    },
  };
}

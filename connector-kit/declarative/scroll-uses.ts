/**
 * Counts how often a scroll was asked to go on. The provider keeps its place: a page whose answer was lost, or was not stored, cannot be
 * asked for again, and the next request would leave it out.
 */
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import type { PagingRules } from "./rules/paging-rules.ts";
import type { ScanState } from "./scan-state.ts";

/** Scrolls that one process remembers; one of another process is taken to be where its checkpoint is. */
const MAX_SCROLLS = 1_000;

export interface ScrollUses {
  /** Returns whether the scroll is beyond the place of this scan; otherwise it counts as asked for the next page. */
  isBeyond(paging: PagingRules, state: ScanState): boolean;
}

export function countScrollUses(): ScrollUses {
  const uses = keepRecentlyUsed<number>(MAX_SCROLLS);
  return {
    isBeyond({ cursor }, { place, pages }) {
      if (!cursor?.scroll || typeof place !== "string" || pages === undefined) return false;
      const asked = uses.get(place);
      if (asked !== undefined && asked !== pages) return true;
      uses.set(place, pages + 1);
      return false;
    },
  };
}

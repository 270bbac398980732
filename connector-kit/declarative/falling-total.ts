/**
 * Numbered pages of one size cannot begin a little earlier. Where the total falls between two of them, records have moved to pages that were
 * read: the list goes back as far, and then on behind the page that it had come to.
 */
import type { ObjectPlan } from "./object-plan.ts";
import type { PagePlace, ScanState } from "./scan-state.ts";

interface Reach {
  /** Number of the next page. */
  place: number;
  goesBack: boolean;
  /** Returns how many records of the list were read, from its beginning, without a gap, of those that all pages had. */
  read(all: number | undefined): number;
  /** State for the next checkpoint. */
  remembered: Pick<ScanState, "reach">;
}

/** Returns how far the list was read with this page; undefined where its pages or its total do not tell. */
export function followTotal(
  { paging }: ObjectPlan,
  { place, reach }: ScanState,
  { pageSize: size, total }: { pageSize: number | undefined; total: number | undefined },
): Reach | undefined {
  const { page, newestFirst } = paging ?? {};
  if (!page || page.anySize || newestFirst || size === undefined || total === undefined) return undefined;
  const start = typeof place === "number" ? (place - page.first) * size : 0;
  const fallen = Math.max(0, (reach?.total ?? total) - total);
  let whole = Math.max(0, (reach?.whole ?? start) - fallen);
  // A part behind a gap: this page, or one that was read before the list went back.
  let [from, to] = [(reach?.from ?? 0) - fallen, (reach?.to ?? 0) - fallen];
  const end = start + size;
  const isGap = start > whole;
  if (isGap) [from, to] = [start, from <= end ? Math.max(end, to) : end];
  else {
    whole = Math.max(whole, end);
    if (from <= whole) whole = Math.max(whole, to);
  }
  return {
    place: page.first + Math.floor(whole / size),
    goesBack: isGap,
    // The provider may give smaller pages than those that were asked for.
    read: (all = whole) => Math.min(all, whole),
    remembered: { reach: { whole, from, to, total } },
  };
}

/** Returns the place of the next page: also where nothing follows this one, the list may have to go back. */
export const goOnBy = (reach: Reach | undefined, following: PagePlace | undefined): PagePlace | undefined =>
  reach && (reach.goesBack || following !== undefined) ? reach.place : following;

/**
 * Compares the pages of records that changed at one time with what they were, before a list goes on behind that time. Only such pages are
 * counted or continued from a place; a record that changes or is deleted meanwhile leaves them, and moves one that was not read yet to a page
 * that was. A page with the same records as before shows that none left it, or a page before it, since.
 */
import type { SourceRecord } from "../read-connector.ts";
import type { ChosenList } from "./chosen-list.ts";
import { hasFittedPages } from "./fitted-pages.ts";
import type { PagePlace, ScanState } from "./scan-state.ts";
import { digestRecords, MAX_DIGESTS, moveBound, readHere, type MovedBound } from "./since-bound.ts";

/**
 * Records of one time that are edited all the time, or come in ever another order, must not keep the list from what is behind them. A
 * record that is passed over then comes when it changes itself, and the read's log says so.
 */
const MAX_COMPARISONS = 20;

interface TimedPage {
  records: SourceRecord[];
  state: ScanState;
  /** Place of the page behind this one. */
  place: PagePlace | undefined;
}

/** Returns where the list goes on behind a page, undefined where it has ended. Throws `ProviderError` for a list out of order. */
export function moveOn(chosen: ChosenList, page: TimedPage): MovedBound | undefined {
  const { comparison } = page.state;
  return comparison ? compare(chosen, page, comparison) : readOnBehind(chosen, page);
}

/** Returns whether a page is compared, and has the records that it had. */
export const isUnmoved = (records: SourceRecord[], { comparison, here }: ScanState): boolean =>
  comparison !== undefined && here?.digests?.[comparison.index] === digestRecords(records);

/** Returns a warning where the list leaves a time whose pages have moved at each comparison. */
export function warnOfMoving(
  { rules, bound }: ChosenList,
  { records, state }: Pick<TimedPage, "records" | "state">,
  next: ScanState | undefined,
): string | undefined {
  const isSettled = countComparisons(state) < MAX_COMPARISONS || isUnmoved(records, state);
  if (!bound || isSettled || next?.after === state.after) return undefined;
  return `the records of ${rules.name} that changed at ${bound.toISOString()} move faster than they can be read, or are in no fixed order: some of them may be left out`;
}

const countComparisons = ({ here }: ScanState): number => here?.comparisons ?? 0;

/** Begins the comparison where the list would leave a time whose records were on several pages. */
function readOnBehind(chosen: ChosenList, { records, state, place }: TimedPage): MovedBound | undefined {
  const { rules, bound } = chosen;
  const moved = moveBound(chosen, records, state, place);
  const { pages, digests } = readHere(state);
  // Pages that overlap are joined by the records that they have in common. A scan of an earlier version has no digests.
  const areJoined = rules.paging?.offset !== undefined || hasFittedPages(rules);
  const isKnown = digests.length > 0 && digests.length === Math.min(pages, MAX_DIGESTS);
  if (moved?.place !== undefined || !bound || areJoined || !isKnown) return moved;
  const comparisons = countComparisons(state);
  if (comparisons >= MAX_COMPARISONS) return moved;
  const first = rules.paging?.page?.first;
  const index = first === undefined ? 0 : pages - 1;
  return {
    place: first === undefined ? undefined : first + index,
    after: bound.toISOString(),
    seen: state.seen ?? [],
    here: { ...readHere(state), comparisons: comparisons + 1 },
    comparison: { index, behind: moved ? { after: moved.after, seen: moved.seen } : null },
  };
}

/**
 * Numbered pages are compared from the last to the first: records move to smaller numbers only, so none is passed over. Others can be read
 * forwards only: from a page that has moved, they are read as if for the first time, and compared again behind the last one.
 */
function compare(
  chosen: ChosenList,
  page: TimedPage,
  { index, behind }: NonNullable<ScanState["comparison"]>,
): MovedBound | undefined {
  const { records, state, place } = page;
  const first = chosen.rules.paging?.page?.first;
  const here = readHere(state);
  if (first === undefined && !isUnmoved(records, state)) {
    const { comparison: _, ...remembered } = state;
    const share = here.pages === 0 ? 0 : index / here.pages;
    const before = {
      ...here,
      pages: index,
      records: Math.floor(here.records * share),
      digests: here.digests.slice(0, index),
    };
    return readOnBehind(chosen, { ...page, state: { ...remembered, here: before } });
  }
  const next = first === undefined ? index + 1 : index - 1;
  const isOver = first === undefined ? place === undefined || next >= here.digests.length : next < 0;
  if (isOver) return behind ? { place: undefined, ...behind } : undefined;
  return {
    place: first === undefined ? place : first + next,
    after: state.after ?? "",
    seen: state.seen ?? [],
    here,
    comparison: { index: next, behind },
  };
}

/**
 * Compares the pages of records that changed at one time with what they were, before a list goes on behind that time. Only such pages are
 * counted or continued from a place; a record that changes or is deleted meanwhile leaves them, and moves one that was not read yet to a page
 * that was. A page with the same records as before shows that none left it, or a page before it, since.
 */
import { isJsonObject } from "../../ground/json.ts";
import { textAt } from "../calls/text-at.ts";
import type { Checkpoint, SourceRecord } from "../read-connector.ts";
import type { ChosenList } from "./chosen-list.ts";
import { hasFittedPages } from "./fitted-pages.ts";
import type { PagePlace } from "./paging.ts";
import {
  digestRecords,
  MAX_DIGESTS,
  moveBound,
  readHere,
  readSeenIds,
  type MovedBound,
} from "./since-bound.ts";

/**
 * Records of one time that are edited all the time, or come in ever another order, must not keep the list from what is behind them. A
 * record that is passed over then comes when it changes itself, and the read's log says so.
 */
const MAX_COMPARISONS = 20;

/** A comparison that is under way: which page of that time is next, and where the list goes on behind it; null at its end. */
interface Comparison {
  index: number;
  behind: Pick<MovedBound, "after" | "seen"> | null;
}

interface TimedPage {
  records: SourceRecord[];
  checkpoint: Checkpoint | undefined;
  /** Place of the page behind this one. */
  place: PagePlace | undefined;
}

/** Returns where the list goes on behind a page, undefined where it has ended. Throws `ProviderError` for a list out of order. */
export function moveOn(chosen: ChosenList, page: TimedPage): MovedBound | undefined {
  const comparison = readComparison(page.checkpoint);
  return comparison ? compare(chosen, page, comparison) : readOnBehind(chosen, page);
}

/** Returns whether a page is compared, and has the records that it had. */
export function isUnmoved(records: SourceRecord[], checkpoint: Checkpoint | undefined): boolean {
  const comparison = readComparison(checkpoint);
  return (
    comparison !== undefined && readHere(checkpoint).digests[comparison.index] === digestRecords(records)
  );
}

/** Returns a warning where the list leaves a time whose pages have moved at each comparison. */
export function warnOfMoving(
  { rules, bound }: ChosenList,
  { records, checkpoint }: Pick<TimedPage, "records" | "checkpoint">,
  next: Checkpoint | undefined,
): string | undefined {
  const isSettled = countComparisons(checkpoint) < MAX_COMPARISONS || isUnmoved(records, checkpoint);
  if (!bound || isSettled || next?.["after"] === checkpoint?.["after"]) return undefined;
  return `the records of ${rules.name} that changed at ${bound.toISOString()} move faster than they can be read, or are in no fixed order: some of them may be left out`;
}

const countComparisons = (checkpoint: Checkpoint | undefined): number =>
  readHere(checkpoint).comparisons ?? 0;

/** Begins the comparison where the list would leave a time whose records were on several pages. */
function readOnBehind(chosen: ChosenList, { records, checkpoint, place }: TimedPage): MovedBound | undefined {
  const { rules, bound } = chosen;
  const moved = moveBound(chosen, records, checkpoint, place);
  const { pages, digests } = readHere(checkpoint);
  // Pages that overlap are joined by the records that they have in common. A scan of an earlier version has no digests.
  const areJoined = rules.paging?.offset !== undefined || hasFittedPages(rules);
  const isKnown = digests.length > 0 && digests.length === Math.min(pages, MAX_DIGESTS);
  if (moved?.place !== undefined || !bound || areJoined || !isKnown) return moved;
  const comparisons = countComparisons(checkpoint);
  if (comparisons >= MAX_COMPARISONS) return moved;
  const first = rules.paging?.page?.first;
  const index = first === undefined ? 0 : pages - 1;
  return {
    place: first === undefined ? undefined : first + index,
    after: bound.toISOString(),
    seen: [...readSeenIds(checkpoint)],
    here: { ...readHere(checkpoint), comparisons: comparisons + 1 },
    comparison: { index, behind: moved ? { after: moved.after, seen: moved.seen } : null },
  };
}

/**
 * Numbered pages are compared from the last to the first: records move to smaller numbers only, so none is passed over. Others can be read
 * forwards only: from a page that has moved, they are read as if for the first time, and compared again behind the last one.
 */
function compare(chosen: ChosenList, page: TimedPage, { index, behind }: Comparison): MovedBound | undefined {
  const { records, checkpoint, place } = page;
  const first = chosen.rules.paging?.page?.first;
  const here = readHere(checkpoint);
  if (first === undefined && !isUnmoved(records, checkpoint)) {
    const { comparison: _, ...remembered } = checkpoint ?? {};
    const share = here.pages === 0 ? 0 : index / here.pages;
    const before = {
      ...here,
      pages: index,
      records: Math.floor(here.records * share),
      digests: here.digests.slice(0, index),
    };
    return readOnBehind(chosen, { ...page, checkpoint: { ...remembered, here: before } });
  }
  const next = first === undefined ? index + 1 : index - 1;
  const isOver = first === undefined ? place === undefined || next >= here.digests.length : next < 0;
  if (isOver) return behind ? { place: undefined, ...behind } : undefined;
  return {
    place: first === undefined ? place : first + next,
    after: textAt(checkpoint ?? null, "after") ?? "",
    seen: [...readSeenIds(checkpoint)],
    here,
    comparison: { index: next, behind },
  };
}

function readComparison(checkpoint: Checkpoint | undefined): Comparison | undefined {
  const stored = checkpoint?.["comparison"];
  if (!isJsonObject(stored) || typeof stored["index"] !== "number") return undefined;
  const { index, behind } = stored;
  if (!isJsonObject(behind)) return { index, behind: null };
  return { index, behind: { after: String(behind["after"]), seen: [...readSeenIds(behind)] } };
}

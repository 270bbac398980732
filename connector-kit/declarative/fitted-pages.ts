/**
 * Pages by number, or by a multiple of their size, whose size can be chosen: the size is fitted so that a page begins with some records of the
 * one before. Behind the first hundred records, the second page of 97 begins with the last three of them.
 */
import type { ReadPlan } from "../read-connector.ts";
import type { ObjectPlan } from "./object-plan.ts";
import type { ScanState } from "./scan-state.ts";

/** The records of a page: so many, behind so many others. */
export interface FittedPage {
  before: number;
  size: number;
}

/** Returns whether places of the list are numbers of records that pages are fitted to. */
export const hasFittedPages = ({ paging, list }: Pick<ObjectPlan, "paging" | "list">): boolean =>
  list?.pageSize !== undefined && (paging?.page?.anySize ?? paging?.offset?.multiples) === true;

/** Returns the page that a scan is at; undefined where pages are not fitted. */
export function findFittedPage(
  rules: ObjectPlan,
  { pageSize }: ReadPlan,
  { place, across }: ScanState,
): FittedPage | undefined {
  const most = rules.list?.pageSize?.most;
  if (most === undefined || !hasFittedPages(rules)) return undefined;
  const first = rules.paging?.offset?.first ?? 0;
  const before = typeof place === "number" ? place - first : 0;
  const size = across?.size ?? chooseSize(most, pageSize);
  return fitPage(before, size, rules.paging?.depth?.pages);
}

/** Returns the number of pages before the one that a scan is at; undefined where pages are not fitted. */
export function countPagesBefore(rules: ObjectPlan, plan: ReadPlan, state: ScanState): number | undefined {
  const page = findFittedPage(rules, plan, state);
  return page && page.before / page.size;
}

/** Returns the size of pages that is asked for. */
export const chooseSize = (most: number, wanted: number | undefined): number =>
  Math.min(wanted ?? most, most);

/**
 * Returns the page that reaches furthest, among those that have the record behind so many others, are no larger than `most`, and are among
 * the first `pages`. Of two that reach as far, it is the one that begins later.
 */
export function fitPage(before: number, most: number, pages = Number.POSITIVE_INFINITY): FittedPage {
  const largest = fitToSize(before, most);
  let best = largest;
  for (let size = most - 1; size > 0; size -= 1) {
    const page = fitToSize(before, size);
    if (page.before / size < pages && page.before + size >= best.before + best.size) best = page;
  }
  return best;
}

/**
 * Returns the smallest page with records on both sides of a number of records, among the first `pages`; undefined where that is larger than
 * `most`. Behind 60 records, all pages of up to six would begin with the next one.
 */
export function fitAcross(
  end: number,
  most: number,
  pages = Number.POSITIVE_INFINITY,
): FittedPage | undefined {
  for (let size = 2; size <= most; size += 1)
    if (end % size !== 0 && Math.floor(end / size) < pages) return fitToSize(end, size);
  return undefined;
}

/** Returns where a list goes on without an overlap, because the larger page that would overlap is longer than may be read. */
export function goOnApart(state: ScanState): ScanState | undefined {
  const { across, tail: _, marks: __, ...remembered } = state;
  if (!across) return undefined;
  return { ...remembered, place: across.behind, apart: "next" };
}

const fitToSize = (before: number, size: number): FittedPage => ({ before: before - (before % size), size });

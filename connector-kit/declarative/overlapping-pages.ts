/**
 * Pages by the number of records before them overlap. A record that is deleted while the list is read moves those behind it to smaller
 * numbers: one that was not read yet would then be before the next page, and nobody would miss it. So each page begins with the last
 * records of the one before. Where a page has any record that was read, nothing between them is left out. Where it has none that is known,
 * many were deleted, and the list goes back until a page has one.
 */
import type { JsonObject } from "../../ground/json.ts";
import { buildBrokenPage } from "../calls/page-check.ts";
import type { ReadPlan } from "../read-connector.ts";
import { readRecordId, type ObjectPlan } from "./object-plan.ts";
import { chooseSize, findFittedPage, fitAcross, hasFittedPages, type FittedPage } from "./fitted-pages.ts";
import type { PagePlace, ScanState } from "./scan-state.ts";

/** More than one, because the last record itself may be deleted. */
const OVERLAP = 3;
/** Largest overlap, where the list had to go back: about as many are deleted between two pages as before. */
const WIDEST = 64;
/** Share of a wider overlap that is left at the next page. */
const NARROWER = 0.9;
/** Distances from the end of a page at which a record is known, too, for where all that overlap are deleted: few ids reach over a large page. */
const KNOWN_DISTANCES = [8, 32, 128, 512];
/** Number of pages that are known by their last record: new records in front of the list move what was read to later pages. */
const KNOWN_PAGES = 12;
/** How far a list goes back whose caller does not choose the size of a page. */
const USUAL_SIZE = 50;
/** Records that it goes back by first; four times as many each time that it was not enough. */
const LEAST_BACK = 8;
/** A list may go back so often wherever it is, for records that are deleted all the time. */
const MAX_BACK = 20;

/** Where the next page begins, and what it is compared with. */
type Overlap = Required<Pick<ScanState, "tail" | "marks">> &
  Pick<ScanState, "wide" | "across" | "apart"> & { place: PagePlace | undefined };

/** Returns the entries that the page before did not have; undefined where the list must go back, because the page has no record that is known. */
export function listFresh(
  entries: JsonObject[],
  rules: ObjectPlan,
  { place, tail = [], marks = [], lasts = [] }: ScanState,
): JsonObject[] | undefined {
  if (tail.length === 0) return entries;
  const known = new Set([...tail, ...marks, ...lasts]);
  const isJoined = entries.some((entry) => known.has(readRecordId(entry, rules) ?? ""));
  const isAtStart = place === getFirstPlace(rules);
  return isJoined || isAtStart
    ? entries.filter((entry) => !tail.includes(readRecordId(entry, rules) ?? ""))
    : undefined;
}

/** Returns whether a page comes no further than the one before: its last record was read. A list that went back may repeat others in front of it. */
export const endsAsBefore = (entries: JsonObject[], rules: ObjectPlan, { tail }: ScanState): boolean => {
  const last = entries.at(-1);
  return last !== undefined && readRecordId(last, rules) === tail?.at(-1);
};

/**
 * Returns a page without records, behind which the list goes on earlier: a little at first, because few records are repeated then, and four
 * times as far each time that it was not enough. Throws `ProviderError` where that was too often.
 */
export function goBack(
  rules: ObjectPlan,
  state: ScanState,
  { pageSize }: ReadPlan,
): { records: []; deleted: []; next: ScanState } {
  const { page: _, mark: __, empty: ___, across: ____, ...remembered } = state;
  const { place, read, inRow = 0, back = 0 } = remembered;
  const reached = typeof place === "number" ? place : getFirstPlace(rules);
  const size = chooseSize(rules.list?.pageSize?.most ?? USUAL_SIZE, pageSize);
  const furthest = Math.max(reached, state.furthest ?? 0);
  // A list that comes further each time comes to its end.
  const steps = reached > (state.furthest ?? 0) ? 1 : back + 1;
  // Enough to go back to the start twice.
  if (steps > MAX_BACK + (2 * furthest) / size)
    throw buildBrokenPage(
      `the pages of ${rules.name} do not join: their list is in no fixed order, or its records move faster than it can be read`,
    );
  const before = Math.max(getFirstPlace(rules), reached - Math.min(size, LEAST_BACK * 4 ** inRow));
  const next = {
    ...remembered,
    place: before,
    back: steps,
    furthest,
    inRow: inRow + 1,
    ...(read !== undefined && { read: Math.max(0, read - (reached - before)) }),
  };
  return { records: [], deleted: [], next };
}

/** Returns the place of the next page so much earlier that it overlaps this one, with the ids that it begins with. */
export function moveBack(
  rules: ObjectPlan,
  plan: ReadPlan,
  { place, state, entries }: { place: PagePlace | undefined; state: ScanState; entries: JsonObject[] },
): Overlap {
  const mayOverlap = rules.paging?.offset !== undefined || hasFittedPages(rules);
  if (typeof place !== "number" || !mayOverlap) return { place, tail: [], marks: [] };
  const wide = chooseWidth(state);
  const length = Math.min(wide, Math.floor(entries.length / 2));
  const fitted = findFittedPage(rules, plan, state);
  const end = getFirstPlace(rules) + (fitted ? fitted.before + fitted.size : 0);
  // A page may be short because the provider gives smaller ones than asked for: only one of the same size, right behind it, fits to it.
  const from = place < end ? end : place - length;
  const usual = fitted ? findEarlier(rules, plan, from, fitted) : from;
  const reported = chooseApart(state, entries);
  // Behind a short page, nobody knows where its records stand.
  const isFull = fitted !== undefined && entries.length >= fitted.size;
  const across = usual === place && isFull && !reported ? findAcross(rules, place) : undefined;
  const earlier = across?.place ?? usual;
  const ids = entries.map((entry) => readRecordId(entry, rules) ?? "");
  const tail = earlier < place ? ids.slice(Math.max(0, ids.length - (place - earlier))) : [];
  // An entry without an id cannot be found again.
  if (tail.length === 0 || tail.includes(""))
    return { place: Math.max(place, usual), tail: [], marks: [], apart: reported ?? "next" };
  const marks = KNOWN_DISTANCES.flatMap((distance) => ids.at(-distance) || []);
  return {
    place: earlier,
    tail,
    marks,
    wide,
    ...(across && { across: { size: across.size, behind: place } }),
    ...(reported && { apart: reported }),
  };
}

/** Returns what is to be remembered behind a page of one that did not overlap. */
function chooseApart({ apart }: ScanState, entries: JsonObject[]): ScanState["apart"] {
  if (apart === undefined) return undefined;
  return apart === "next" && entries.length === 0 ? "next" : "reported";
}

/** Returns a warning for people at the first page that has records and does not overlap the one before it. */
export const warnOfGap = (
  { name }: ObjectPlan,
  { apart }: ScanState,
  entries: JsonObject[],
): string | undefined =>
  apart === "next" && entries.length > 0
    ? `pages of ${name} are so small that one did not begin with records of the page before it: where a record was deleted meanwhile, ` +
      "another one may be left out. Another read of the whole object has it, unless a record is deleted then, too"
    : undefined;

/** Returns the place and size of the smallest page with records on both sides of a place. */
function findAcross(rules: ObjectPlan, place: number): { place: number; size: number } | undefined {
  const first = getFirstPlace(rules);
  const page = fitAcross(place - first, rules.list?.pageSize?.most ?? 0, rules.paging?.depth?.pages);
  return page && { place: first + page.before, size: page.size };
}

/** Returns by how many records the next page is to overlap. */
function chooseWidth({ inRow = 0, wide = 0 }: ScanState): number {
  const gone = inRow === 0 ? 0 : Math.min(WIDEST, LEAST_BACK * 4 ** (inRow - 1));
  return Math.max(OVERLAP, gone, Math.floor(wide * NARROWER));
}

/** Returns the place of a fitted page that begins with the record at a place, or a few before; behind the page where none would reach further. */
function findEarlier(rules: ObjectPlan, plan: ReadPlan, place: number, { before, size }: FittedPage): number {
  const end = before + size;
  const [earlier, behind] = [place, getFirstPlace(rules) + end].map((one) =>
    findFittedPage(rules, plan, { place: one }),
  );
  const next = earlier && earlier.before + earlier.size > end ? earlier : behind;
  return getFirstPlace(rules) + (next?.before ?? end);
}

/** Returns what the scan remembers of the overlap. */
export const rememberOverlap = (
  { tail, marks, wide = 0, across, apart }: Omit<Overlap, "place">,
  { lasts = [], back, furthest }: ScanState,
): ScanState => ({
  ...(across && { across }),
  ...(apart && { apart }),
  ...(tail.length > 0 && {
    tail,
    marks,
    ...(wide > OVERLAP && { wide }),
    lasts: [...lasts, ...tail.slice(-1)].slice(-KNOWN_PAGES),
  }),
  ...(back !== undefined && { back }),
  ...(furthest !== undefined && { furthest }),
});

const getFirstPlace = ({ paging }: ObjectPlan): number => paging?.offset?.first ?? 0;

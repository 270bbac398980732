/**
 * Pages by the number of records before them overlap. A record that is deleted while the list is read moves those behind it to smaller
 * numbers: one that was not read yet would then be before the next page, and nobody would miss it. So each page begins with the last
 * records of the one before. Where a page has any record that was read, nothing between them is left out. Where it has none that is known,
 * many were deleted, and the list goes back until a page has one.
 */
import type { JsonObject } from "../../ground/json.ts";
import { brokenPage } from "../calls/page-check.ts";
import type { Checkpoint, ReadPlan } from "../read-connector.ts";
import { readRecordId, type ObjectPlan } from "./object-plan.ts";
import type { PagePlace } from "./paging.ts";
import {
  chooseSize,
  findFittedPage,
  fitAcross,
  hasFittedPages,
  type Across,
  type FittedPage,
} from "./fitted-pages.ts";

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

/** Ids that the next page is compared with. */
interface Overlap {
  place: PagePlace | undefined;
  /** The next page begins with these. */
  tail: string[];
  /** Known records of this page at other distances from its end. */
  marks: string[];
  /** Records by which it is to overlap. */
  wide?: number;
  /** The next page is larger than the others, because no smaller one overlaps. */
  across?: Across;
  /** Whether the next page is the first one that does not overlap, or one has been reported in the log. */
  apart?: "next" | "reported";
}

/** Returns the entries that the page before did not have; undefined where the list must go back, because the page has no record that is known. */
export function listFresh(
  entries: JsonObject[],
  rules: ObjectPlan,
  checkpoint: Checkpoint | undefined,
): JsonObject[] | undefined {
  const tail = readIds(checkpoint, "tail");
  if (tail.length === 0) return entries;
  const known = new Set([...tail, ...readIds(checkpoint, "marks"), ...readIds(checkpoint, "lasts")]);
  const isJoined = entries.some((entry) => known.has(readRecordId(entry, rules) ?? ""));
  const isAtStart = checkpoint?.["place"] === firstPlace(rules);
  return isJoined || isAtStart
    ? entries.filter((entry) => !tail.includes(readRecordId(entry, rules) ?? ""))
    : undefined;
}

/** Returns whether a page comes no further than the one before: its last record was read. A list that went back may repeat others in front of it. */
export const endsAsBefore = (
  entries: JsonObject[],
  rules: ObjectPlan,
  checkpoint: Checkpoint | undefined,
): boolean => {
  const last = entries.at(-1);
  return last !== undefined && readRecordId(last, rules) === readIds(checkpoint, "tail").at(-1);
};

/**
 * Returns a page without records, behind which the list goes on earlier: a little at first, because few records are repeated then, and four
 * times as far each time that it was not enough. Throws `ProviderError` where that was too often.
 */
export function goBack(
  rules: ObjectPlan,
  checkpoint: Checkpoint = {},
  { pageSize }: ReadPlan,
): { records: []; deleted: []; next: Checkpoint } {
  const { place, read } = checkpoint;
  const reached = typeof place === "number" ? place : firstPlace(rules);
  const size = chooseSize(rules.list?.pageSize?.most ?? USUAL_SIZE, pageSize);
  const furthest = Math.max(reached, readCount(checkpoint, "furthest"));
  // A list that comes further each time comes to its end.
  const steps = reached > readCount(checkpoint, "furthest") ? 1 : readCount(checkpoint, "back") + 1;
  // Enough to go back to the start twice.
  if (steps > MAX_BACK + (2 * furthest) / size)
    throw brokenPage(
      `the pages of ${rules.name} do not join: their list is in no fixed order, or its records move faster than it can be read`,
    );
  const inRow = readCount(checkpoint, "inRow");
  const before = Math.max(firstPlace(rules), reached - Math.min(size, LEAST_BACK * 4 ** inRow));
  const { page: _, mark: __, empty: ___, across: ____, ...remembered } = checkpoint;
  const next = {
    ...remembered,
    place: before,
    back: steps,
    furthest,
    inRow: inRow + 1,
    ...(typeof read === "number" && { read: Math.max(0, read - (reached - before)) }),
  };
  return { records: [], deleted: [], next };
}

/** Returns the place of the next page so much earlier that it overlaps this one, with the ids that it begins with. */
export function overlap(
  rules: ObjectPlan,
  plan: ReadPlan,
  {
    place,
    checkpoint,
    entries,
  }: { place: PagePlace | undefined; checkpoint: Checkpoint | undefined; entries: JsonObject[] },
): Overlap {
  const mayOverlap = rules.paging?.offset !== undefined || hasFittedPages(rules);
  if (typeof place !== "number" || !mayOverlap) return { place, tail: [], marks: [] };
  const wide = chooseWidth(checkpoint);
  const length = Math.min(wide, Math.floor(entries.length / 2));
  const fitted = findFittedPage(rules, plan, checkpoint);
  const end = firstPlace(rules) + (fitted ? fitted.before + fitted.size : 0);
  // A page may be short because the provider gives smaller ones than asked for: only one of the same size, right behind it, fits to it.
  const from = place < end ? end : place - length;
  const usual = fitted ? findEarlier(rules, plan, from, fitted) : from;
  const reported = readApart(checkpoint, entries);
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
function readApart(checkpoint: Checkpoint | undefined, entries: JsonObject[]): Overlap["apart"] {
  const apart = checkpoint?.["apart"];
  if (apart === undefined) return undefined;
  return apart === "next" && entries.length === 0 ? "next" : "reported";
}

/** Returns a warning for people at the first page that has records and does not overlap the one before it. */
export const warnOfGap = (
  { name }: ObjectPlan,
  checkpoint: Checkpoint | undefined,
  entries: JsonObject[],
): string | undefined =>
  checkpoint?.["apart"] === "next" && entries.length > 0
    ? `pages of ${name} are so small that one did not begin with records of the page before it: where a record was deleted meanwhile, ` +
      "another one may be left out. Another read of the whole object has it, unless a record is deleted then, too"
    : undefined;

/** Returns the place and size of the smallest page with records on both sides of a place. */
function findAcross(rules: ObjectPlan, place: number): { place: number; size: number } | undefined {
  const first = firstPlace(rules);
  const page = fitAcross(place - first, rules.list?.pageSize?.most ?? 0);
  return page && { place: first + page.before, size: page.size };
}

/** Returns by how many records the next page is to overlap. */
function chooseWidth(checkpoint: Checkpoint = {}): number {
  const back = readCount(checkpoint, "inRow");
  const gone = back === 0 ? 0 : Math.min(WIDEST, LEAST_BACK * 4 ** (back - 1));
  return Math.max(OVERLAP, gone, Math.floor(readCount(checkpoint, "wide") * NARROWER));
}

/** Returns the place of a fitted page that begins with the record at a place, or a few before; behind the page where none would reach further. */
function findEarlier(rules: ObjectPlan, plan: ReadPlan, place: number, { before, size }: FittedPage): number {
  const end = before + size;
  const [earlier, behind] = [place, firstPlace(rules) + end].map((one) =>
    findFittedPage(rules, plan, { place: one }),
  );
  const next = earlier && earlier.before + earlier.size > end ? earlier : behind;
  return firstPlace(rules) + (next?.before ?? end);
}

/** Returns what the next checkpoint remembers of the overlap. */
export const rememberOverlap = (
  { tail, marks, wide = 0, across, apart }: Omit<Overlap, "place">,
  checkpoint: Checkpoint | undefined,
): Checkpoint => ({
  ...(across && { across: { ...across } }),
  ...(apart && { apart }),
  ...(tail.length > 0 && {
    tail,
    marks,
    ...(wide > OVERLAP && { wide }),
    lasts: [...readIds(checkpoint, "lasts"), ...tail.slice(-1)].slice(-KNOWN_PAGES),
  }),
  ...(checkpoint?.["back"] !== undefined && {
    back: checkpoint["back"],
    furthest: readCount(checkpoint, "furthest"),
  }),
});

/** Returns the ids that a checkpoint has; those of an earlier version have fewer. */
function readIds(checkpoint: Checkpoint | undefined, name: "tail" | "marks" | "lasts"): string[] {
  const ids = checkpoint?.[name];
  return Array.isArray(ids) ? ids.map(String) : [];
}

const firstPlace = ({ paging }: ObjectPlan): number => paging?.offset?.first ?? 0;

function readCount(checkpoint: Checkpoint, name: "back" | "furthest" | "inRow" | "wide"): number {
  const count = checkpoint[name];
  return typeof count === "number" ? count : 0;
}

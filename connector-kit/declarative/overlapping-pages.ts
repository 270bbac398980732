/**
 * Pages by the number of records before them overlap. A record that is deleted while the list is read moves those behind it to smaller
 * numbers: one that was not read yet would then be before the next page, and nobody would miss it. So each page begins with the last
 * records of the one before. Where none of them is there, so many were deleted that the list goes back by a page.
 */
import type { JsonObject } from "../../ground/json.ts";
import { brokenPage } from "../calls/page-check.ts";
import type { Checkpoint, ReadPlan } from "../read-connector.ts";
import { readRecordId, type ObjectPlan } from "./object-plan.ts";
import type { PagePlace } from "./paging.ts";
import { chooseSize } from "./smaller-pages.ts";

/** More than one, because the last record itself may be deleted. */
const OVERLAP = 3;
/** How far a list goes back whose caller does not choose the size of a page. */
const USUAL_SIZE = 50;

/** Returns the entries that the page before did not have; undefined where the list must go back, because it has none of those that it should begin with. */
export function listFresh(
  entries: JsonObject[],
  rules: ObjectPlan,
  checkpoint: Checkpoint | undefined,
): JsonObject[] | undefined {
  const tail = readTail(checkpoint);
  if (tail.length === 0) return entries;
  const fresh = entries.filter((entry) => !tail.includes(readRecordId(entry, rules) ?? ""));
  const isAtStart = checkpoint?.["place"] === firstPlace(rules);
  return fresh.length < entries.length || isAtStart ? fresh : undefined;
}

/** Returns a page without records, behind which the list goes on a page earlier. Throws `ProviderError` where that was too often. */
export function goBack(
  rules: ObjectPlan,
  checkpoint: Checkpoint = {},
  { pageSize }: ReadPlan,
): { records: []; deleted: []; next: Checkpoint } {
  const { place, read, pages, back } = checkpoint;
  const reached = typeof place === "number" ? place : firstPlace(rules);
  const steps = countSteps(back) + 1;
  // Also a vendor whose lists are in no order at all comes to this end.
  if (steps > 20 + countSteps(pages) / 4)
    throw brokenPage(`the records of ${rules.name} move faster than their list can be read`);
  const before = Math.max(
    firstPlace(rules),
    reached - chooseSize(rules.list?.pageSize?.most ?? USUAL_SIZE, pageSize),
  );
  const { page: _, mark: __, empty: ___, ...remembered } = checkpoint;
  const next = {
    ...remembered,
    place: before,
    back: steps,
    ...(typeof read === "number" && { read: Math.max(0, read - (reached - before)) }),
  };
  return { records: [], deleted: [], next };
}

/** Returns the place of the next page so much earlier that it overlaps this one, with the ids that it begins with. */
export function overlap(
  rules: ObjectPlan,
  place: PagePlace | undefined,
  entries: JsonObject[],
): { place: PagePlace | undefined; tail: string[] } {
  const { paging } = rules;
  const length = Math.min(OVERLAP, Math.floor(entries.length / 2));
  const tail = entries.slice(entries.length - length).map((entry) => readRecordId(entry, rules) ?? "");
  // An entry without an id cannot be found again.
  const mayOverlap = paging?.offset && !paging.offset.multiples && !paging.newestFirst;
  const isKnown = mayOverlap && tail.every((id) => id !== "");
  if (typeof place !== "number" || !isKnown || length === 0) return { place, tail: [] };
  return { place: place - length, tail };
}

/** Returns what the next checkpoint remembers of the overlap. */
export const rememberOverlap = (tail: string[], checkpoint: Checkpoint | undefined): Checkpoint => ({
  ...(tail.length > 0 && { tail }),
  ...(checkpoint?.["back"] !== undefined && { back: checkpoint["back"] }),
});

function readTail(checkpoint: Checkpoint | undefined): string[] {
  const tail = checkpoint?.["tail"];
  return Array.isArray(tail) ? tail.map(String) : [];
}

const firstPlace = ({ paging }: ObjectPlan): number => paging?.offset?.first ?? 0;

const countSteps = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Chooses the list that a page belongs to: one of the object's, with or without a bound. */
import { nowMs } from "../../ground/clock.ts";
import type { SourceRecord } from "../read-connector.ts";
import type { Json } from "../../ground/json.ts";
import { getTextAt } from "../calls/get-text-at.ts";
import { hasMark } from "./deleted-mark.ts";
import type { ObjectPlan } from "./object-plan.ts";
import type { ScanState } from "./scan-state.ts";

type FurtherList = NonNullable<ObjectPlan["furtherLists"]>[number];

/** What is read from the lists: the records, or the deletions that the provider reports. */
export type Wanted = "records" | "deletions";

export interface ChosenList {
  /** The rules of the object; `list`, `records`, `each` and `paging` are those of this list. */
  rules: ObjectPlan;
  /** Lower bound that the provider is asked for. */
  bound: Date | undefined;
  /** Its position among the lists of the object. */
  position: number;
  /** All its records are deleted ones, or those with this mark. */
  allDeleted: boolean;
  where: FurtherList["where"];
  /** A record from before the period ends it. */
  newestFirst: boolean;
  /** Not every account may read it. */
  mayBeForbidden: boolean;
  /** Its deleted records may have been created anew, under the same id. */
  mayBeBack: boolean;
  /** Where the end of the period goes. */
  untilTo: string | undefined;
  /** Maximum number of records of a list that has one answer, without pages. */
  most: number | undefined;
  /** The position of the list after it. */
  following: number | undefined;
}

export function chooseList(
  object: ObjectPlan,
  since: Date | undefined,
  { list: given, after }: ScanState,
  wanted: Wanted = "records",
): ChosenList {
  const positions = choosePositions(object, wanted);
  const position = given ?? positions[0] ?? 0;
  const further = object.furtherLists?.[position - 1];
  const firstBound = further?.since ? limitBound(further, since) : pickUsableBound(object, since);
  const bound = after === undefined ? firstBound : new Date(after);
  const { since: sinceRules } = object;
  const rules: ObjectPlan = { ...object };
  if (bound && sinceRules) {
    const { path, list, records, each, paging } = sinceRules;
    if (list) rules.list = list;
    if (path !== undefined) rules.list = { ...rules.list, path };
    if (records !== undefined) rules.records = records;
    if (each !== undefined) rules.each = each;
    if (paging) rules.paging = paging;
  }
  if (further?.list) takeOwnList(rules, further);
  else if (further && rules.list) {
    const query = { ...rules.list.query, ...further.query };
    const body = { ...rules.list.body, ...further.body };
    rules.list = {
      ...rules.list,
      ...(further.path !== undefined && { path: further.path }),
      query,
      ...(Object.keys(body).length > 0 && { body }),
    };
    if (further.records !== undefined) rules.records = further.records;
  }
  return {
    rules,
    bound,
    position,
    allDeleted: further?.deleted ?? false,
    where: further?.where,
    newestFirst: further?.newestFirst ?? false,
    mayBeForbidden: further?.mayBeForbidden ?? false,
    mayBeBack: further?.mayBeBack ?? false,
    untilTo: further?.since?.until,
    most: further?.most,
    following: positions[positions.indexOf(position) + 1],
  };
}

/** A further list with a request of its own. It selects no fields, and is read by its pages, not on from the last time of change. */
function takeOwnList(
  rules: ObjectPlan,
  { list, records, paging, idPath, changedPath, since }: FurtherList,
): void {
  rules.list = list;
  delete rules.select;
  // Its body has a document of its own, if any.
  delete rules.graphql;
  if (since) {
    const { until: _, oldestDays: __, ...own } = since;
    rules.since = own;
  } else if (rules.since) rules.since = { ...rules.since, keyset: false };
  if (records !== undefined) rules.records = records;
  if (paging) rules.paging = paging;
  if (idPath !== undefined) {
    rules.idPath = idPath;
    delete rules.each;
    delete rules.readEach;
  }
  if (changedPath !== undefined) rules.changedPath = changedPath;
}

/**
 * Lists of deleted records are read for deletions only; the others for deletions where their records tell it and no list has the deleted
 * ones alone.
 */
function choosePositions({ furtherLists = [], deleted }: ObjectPlan, wanted: Wanted): number[] {
  const all = [undefined, ...furtherLists].map((further, position) => ({
    position,
    isOfDeleted: further?.deleted ?? false,
  }));
  const areMarked = deleted !== undefined && !all.some(({ isOfDeleted }) => isOfDeleted);
  return all
    .filter(({ isOfDeleted }) => (wanted === "records" ? !isOfDeleted : isOfDeleted || areMarked))
    .map(({ position }) => position);
}

/** Returns whether the provider's lists report deleted records. */
export const reportsDeletions = (object: ObjectPlan): boolean =>
  choosePositions(object, "deletions").length > 0;

/** Returns where the scan goes on behind this list and its last answer: at the beginning of the object's next one, if that has records. */
export function findNextList({ following, rules }: ChosenList, answer?: Json): { next?: ScanState } {
  if (following === undefined) return {};
  const [path = "", wanted] = rules.furtherLists?.[following - 1]?.when?.split("=") ?? [];
  const isEmpty = wanted !== undefined && answer !== undefined && getTextAt(answer, path) !== wanted;
  return isEmpty ? {} : { next: { list: following } };
}

const DAY_MS = 86_400_000;

/** Returns the bound, or the earliest that the provider accepts: a day is left for the way there. */
function limitBound({ since: rules }: FurtherList, since: Date | undefined): Date | undefined {
  if (!since || rules?.oldestDays === undefined) return since;
  return new Date(Math.max(since.getTime(), nowMs() - (rules.oldestDays - 1) * DAY_MS));
}

/** Returns a warning for people where a list of deletions does not have all of them. */
export function warnOfMissingDeletions(
  { rules: { name }, bound, allDeleted, most }: ChosenList,
  since: Date | undefined,
  count: number,
): string | undefined {
  if (most !== undefined && count >= most)
    return `the provider reports ${most} changes of ${name} at once: deletions since ${bound?.toISOString()} may be missing`;
  if (allDeleted && bound && since && bound > since)
    return `deletions of ${name} before ${bound.toISOString()} are not reported by the provider any more`;
  return undefined;
}

/** Returns the warning of entries of a list of deleted records that do not say which record was deleted. */
export const warnOfUnnamed = ({ rules: { name, idPath } }: ChosenList, count: number): string | undefined =>
  count > 0
    ? `${count} reported deletions may be of ${name}, but do not name the record: \`${idPath}\` is missing or empty`
    : undefined;

/** Returns the bound that the provider is asked for: none where it would refuse one so old. */
function pickUsableBound({ since: rules }: ObjectPlan, since: Date | undefined): Date | undefined {
  const bound = since ?? (rules?.full === undefined ? undefined : new Date(rules.full));
  const isTooOld =
    bound && rules?.oldestDays !== undefined && nowMs() - bound.getTime() > rules.oldestDays * DAY_MS;
  return isTooOld ? undefined : bound;
}

/** Tells deleted records from others, and leaves out what is none of the list. */
export function divide(
  records: SourceRecord[],
  { allDeleted, where, rules }: ChosenList,
): { records: SourceRecord[]; deleted: SourceRecord[] } {
  const own = where ? records.filter(({ raw }) => hasMark(raw, { deleted: where })) : records;
  const isDeleted = ({ raw }: SourceRecord): boolean => allDeleted || hasMark(raw, rules);
  return { records: own.filter((record) => !isDeleted(record)), deleted: own.filter(isDeleted) };
}

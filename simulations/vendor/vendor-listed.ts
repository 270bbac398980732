/** Selects the records of a simulated list: by their state, and by a bound. */
import type { Facts, ListFact } from "../../connector-kit/facts/facts.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import { nowMs } from "../../ground/clock.ts";
import { hasValues } from "./vendor-checks.ts";
import { showRecord, type VendorRecord } from "./vendor-records.ts";
import { extractPart, readText, type VendorRequest } from "./vendor-request.ts";
import { readTime, TIME_FORMS } from "./vendor-times.ts";
import type { ListRoute } from "./vendor-routes.ts";

/** Returns whether the state of a record belongs to this list. */
export function isListed(
  { fact, hidden: only, isWhole }: ListRoute,
  request: VendorRequest,
  record: VendorRecord,
): boolean {
  if (isWhole) return true;
  if (only !== undefined) return record.hidden === only;
  if (fact.deleted?.only && fact.deleted.shownBy && hasValues(fact, request, fact.deleted.shownBy))
    return record.deleted === true;
  const isAlone = (fact.hidden ?? []).findIndex(
    (entry) => entry.only && entry.shownBy && hasValues(fact, request, entry.shownBy),
  );
  if (isAlone !== -1) return record.hidden === isAlone;
  if (record.deleted) {
    const { shownBy, alsoAt } = fact.deleted ?? {};
    if (alsoAt !== undefined) return false;
    return fact.deleted !== undefined && (shownBy === undefined || hasValues(fact, request, shownBy));
  }
  const { leftOutBy } = fact.foreign?.[record.foreign ?? -1] ?? {};
  if (leftOutBy) return !isLeftOut(fact, request, leftOutBy);
  if (record.hidden === undefined) return true;
  const { shownBy } = fact.hidden?.[record.hidden] ?? {};
  return shownBy !== undefined && hasValues(fact, request, shownBy);
}

const isLeftOut = (fact: ListFact, request: VendorRequest, leftOutBy: Record<string, string>): boolean =>
  Object.entries(leftOutBy).every(([target, value]) =>
    value === "*" ? readText(request, target) !== undefined : hasValues(fact, request, { [target]: value }),
  );

/** Returns whether a record changed, or was created, since a bound. */
export function isWithin(
  { since }: ListFact,
  { created }: Facts["objects"][string],
  record: VendorRecord,
  boundMs: number,
): boolean {
  const isOfCreation = since?.field !== undefined && since.field === created?.path;
  const ms = isOfCreation ? record.createdMs : record.changedMs;
  const compared = since?.format === "date" ? Math.floor(ms / 86_400_000) * 86_400_000 : ms;
  return since?.inclusive === false ? compared > boundMs : compared >= boundMs;
}

/** Returns the bound in milliseconds, or why the vendor refuses it. */
export function readBound(
  { since }: ListFact,
  request: VendorRequest,
  seen: { namesBound?: boolean; boundMs?: number },
): number | string | undefined {
  const text = since && readText(request, since.to);
  if (!since || text === undefined || text === "") return undefined;
  seen.namesBound = true;
  const bound =
    since.template === undefined
      ? text
      : extractPart(text, since.template, "since", TIME_FORMS[since.format]);
  if (bound === undefined) return undefined;
  const ms = readTime(bound, since.format, since.zone);
  if (ms === undefined)
    return `${since.to}: ${JSON.stringify(bound)} is not a time of the form ${since.format}`;
  seen.boundMs = ms;
  const oldest = since.oldestDays === undefined ? 0 : nowMs() - since.oldestDays * 86_400_000;
  return ms < oldest ? `${since.to}: older than ${since.oldestDays} days` : ms;
}

/** Returns the value of `{parent}` in the lists below a record. */
export function readParentValue(
  object: Facts["objects"][string],
  record: VendorRecord,
  by: string | undefined,
): string {
  if (by === undefined) return record.id;
  const value = getValueAt(showRecord(object, record), by);
  return value === undefined ? record.id : String(value);
}

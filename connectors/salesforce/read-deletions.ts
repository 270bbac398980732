/**
 * Reads deleted Salesforce records: first the recycle bin, by a query, then the log of deletions, which also has records
 * that are gone for good. Neither alone has all: the log loses entries when it is large, and not every object has both.
 */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import {
  buildBrokenPage,
  checkRising,
  isTooLarge,
  listOrBroken,
  requireObject,
} from "../../connector-kit/calls/page-check.ts";
import type { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type {
  Checkpoint,
  DeletedRecord,
  DeletionPage,
  ReadConnector,
} from "../../connector-kit/read-connector.ts";
import { send, toPassing } from "../../connector-kit/calls/send-request.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { classify } from "./classify.ts";
import { findIdFault, toLongId } from "./id.ts";
import { readQueryPage, requireCounted } from "./query-page.ts";
import { sendQuery } from "./query-request.ts";
import { DATA, findObjectFault } from "./request.ts";
import { writeTimeLiteral } from "./soql-time.ts";
import { recordId, readTime } from "./source-record.ts";

type Period = Parameters<ReadConnector["readDeletions"]>[0];

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The log reaches back 15 days; an earlier start is refused. */
const LOG_MS = 15 * DAY_MS - 10 * MINUTE_MS;

/** Records of a page, and ids of one query. */
const PAGE = 2_000;
const MAX_IDS = 400;

export const readDeletions: ReadConnector["readDeletions"] = async (period, checkpoint, fetch) => {
  const fault = findObjectFault(period.objectName);
  if (fault) throw fault;
  const from = checkpoint && getTextAt(checkpoint, "logFrom");
  if (checkpoint && from !== undefined) return readLog(period, readPlace(checkpoint, from), fetch);
  return readBin(period, checkpoint && getTextAt(checkpoint, "lastId"), fetch);
};

/** Deleting a record moves `SystemModstamp`. */
async function readBin(
  period: Period,
  lastId: string | undefined,
  fetch: ProviderFetch,
): Promise<DeletionPage> {
  const { objectName, since, until } = period;
  const tests = [
    ...(lastId === undefined ? [] : [`Id > '${requireId(lastId)}'`]),
    "IsDeleted = true",
    `SystemModstamp >= ${writeTimeLiteral(since)}`,
    `SystemModstamp <= ${writeTimeLiteral(until)}`,
  ];
  const soql = `SELECT Id,IsDeleted,SystemModstamp FROM ${objectName} WHERE ${tests.join(" AND ")} ORDER BY Id LIMIT ${PAGE}`;
  const answer = await sendQuery({ soql, withDeleted: true }, fetch);
  // Some objects have no recycle bin.
  if (answer.error?.code === "INVALID_FIELD") return { records: [], ...toLog(period, true) };
  if (answer.error) throw answer.error;
  const page = readQueryPage(answer.body);
  const records = page.records.map(toDeleted);
  checkRising(records, lastId, (id, other) => id > other);
  const last = records.at(-1)?.id;
  // An answer may have fewer records than the query asks for; the query finds the others behind the last one.
  const isCut = (page.total ?? 0) > records.length;
  if (last === undefined) requireCounted(page, 0);
  const goesOn = last !== undefined && (records.length === PAGE || page.locator !== undefined || isCut);
  return { records, ...(goesOn ? { next: { lastId: last } } : toLog(period, false)) };
}

/** Goes on with the log from its begin, and says what is too long ago for it. */
function toLog(period: Period, withoutBin: boolean): Pick<DeletionPage, "next" | "warning"> {
  const { objectName, since, until } = period;
  const next = logFrom(period, { from: since, withoutBin, covered: undefined });
  const begin = readTime(next?.logFrom);
  const isBehind = begin !== undefined && since.getTime() < until.getTime() - LOG_MS;
  return {
    ...(next && { next }),
    ...(isBehind && { warning: describeOutOfReach(objectName, since, begin) }),
  };
}

/** Where the log goes on. */
interface LogPlace {
  from: Date;
  withoutBin: boolean;
  /** The earliest time until which an answer of before had all deletions, if that was not its end. */
  covered: Date | undefined;
}

const readPlace = (checkpoint: Checkpoint, from: string): LogPlace => ({
  from: new Date(from),
  withoutBin: checkpoint.withoutBin === true,
  covered: readTime(checkpoint.covered),
});

/** Returns where the log is read from, if the period has a whole minute; Salesforce cuts seconds off. */
function logFrom({ until }: Period, { from, withoutBin, covered }: LogPlace): Checkpoint | undefined {
  const start = Math.max(from.getTime(), until.getTime() - LOG_MS);
  if (floorToMinute(start) >= floorToMinute(until.getTime())) return undefined;
  const begin = new Date(floorToMinute(start)).toISOString();
  return { logFrom: begin, withoutBin, ...(covered && { covered: covered.toISOString() }) };
}

/**
 * An answer says until when it is complete: deletions behind that time were not yet committed, and "you must use this value for the startDate of
 * your next call" (SOAP API Developer Guide, GetDeletedResult, `latestDateCovered`).
 */
async function readLog(period: Period, place: LogPlace, fetch: ProviderFetch): Promise<DeletionPage> {
  const { objectName, until } = period;
  const { withoutBin } = place;
  const end = floorToMinute(until.getTime());
  let { from } = place;
  let length = Math.min(end - from.getTime(), DAY_MS);
  let warning: string | undefined;
  const page = (to: Date, covered: Date | undefined, records: DeletedRecord[]): DeletionPage => {
    const next = to.getTime() < end ? logFrom(period, { from: to, withoutBin, covered }) : undefined;
    const last = covered && !next ? { coveredUntil: covered } : {};
    return { records, ...(next && { next }), ...last, ...(warning !== undefined && { warning }) };
  };
  for (;;) {
    const to = new Date(from.getTime() + length);
    const answer = await send(logRequest(objectName, from, to), fetch, classify).catch(catchTooLarge);
    if (answer && !answer.error) {
      const records = await keepGone(period, readLogAnswer(answer.body, from), withoutBin, fetch);
      return page(to, chooseEarliest(place.covered, readCoveredEnd(answer.body, to)), records);
    }
    const isTooLong = !answer || answer.error.code === "EXCEEDED_ID_LIMIT";
    if (isTooLong && length > MINUTE_MS) length = Math.max(MINUTE_MS, floorToMinute(length / 2));
    else if (isTooLong) {
      warning = describeOverfull(objectName, from, to);
      return page(to, place.covered, []);
    } else if (answer.error.code === DATE_REFUSED) {
      const kept = await findEarliestKept(objectName, from, to, fetch);
      warning = describePurged(objectName, from, kept ?? to);
      if (!kept) return page(to, place.covered, []);
      from = kept;
      length = to.getTime() - kept.getTime();
    } else if (answer.error.kind === "not_found" && answer.error.code === undefined) {
      throw toPassing(answer.error);
    } else if (withoutBin || !hasNoLog(answer.error)) throw answer.error;
    else return { records: [] };
  }
}

/** Returns until when the answer is complete, if that is not the end of its span. */
function readCoveredEnd(body: Json | undefined, to: Date): Date | undefined {
  const covered = isJsonObject(body) ? readTime(body.latestDateCovered) : undefined;
  return covered && covered < to ? covered : undefined;
}

const chooseEarliest = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one < other ? one : other) : (one ?? other);

/** The log does not reach back so far: an administrator has emptied the recycle bin since (REST API Developer Guide, sObject Get Deleted). */
const DATE_REFUSED = "INVALID_REPLICATION_DATE";

const describePurged = (objectName: string, from: Date, to: Date): string =>
  `Salesforce has no log of deleted ${objectName} records between ${from.toISOString()} and ${to.toISOString()}, as after an administrator ` +
  "emptied the recycle bin: what was deleted in that time cannot be found out";

const describeOutOfReach = (objectName: string, from: Date, to: Date): string =>
  `Salesforce keeps deletions for 15 days: what was deleted of its ${objectName} records between ${from.toISOString()} and ${to.toISOString()}, ` +
  "and is not in the recycle bin any more, cannot be found out";

/** Otherwise the same minute would fail each read, until the log has lost it. */
const describeOverfull = (objectName: string, from: Date, to: Date): string =>
  `Salesforce's log has more deleted ${objectName} records between ${from.toISOString()} and ${to.toISOString()} than it can tell at once: ` +
  "those that are not in the recycle bin cannot be found out";

/** Returns the earliest start of a span to `to` that the log still has; undefined if there is none. */
async function findEarliestKept(
  objectName: string,
  refused: Date,
  to: Date,
  fetch: ProviderFetch,
): Promise<Date | undefined> {
  const isKept = async (start: number): Promise<boolean> => {
    const answer = await send(logRequest(objectName, new Date(start), to), fetch, classify).catch(
      catchTooLarge,
    );
    if (answer?.error && ![DATE_REFUSED, "EXCEEDED_ID_LIMIT"].includes(answer.error.code ?? ""))
      throw answer.error;
    return answer?.error?.code !== DATE_REFUSED;
  };
  let low = refused.getTime();
  let high = to.getTime() - SHORTEST_MS;
  if (high <= low || !(await isKept(high))) return undefined;
  while (high - low > MINUTE_MS) {
    const middle = floorToMinute((low + high) / 2);
    if (await isKept(middle)) high = middle;
    else low = middle;
  }
  return new Date(high);
}

/** Catches an answer that was too long to be read. */
function catchTooLarge(error: unknown): undefined {
  if (!isTooLarge(error)) throw error;
  return undefined;
}

/** Not every object's deletions are logged. */
const hasNoLog = ({ kind }: ProviderError): boolean => kind === "invalid" || kind === "not_found";

/** A shorter period is refused. */
const SHORTEST_MS = 2 * MINUTE_MS;

/** A period that is too short begins earlier. */
function logRequest(objectName: string, from: Date, to: Date): ProviderRequest {
  const start = new Date(Math.min(from.getTime(), to.getTime() - SHORTEST_MS));
  const text = (time: Date) => encodeURIComponent(writeTimeLiteral(time).replace("Z", "+00:00"));
  const path = `${DATA}/sobjects/${objectName}/deleted/?start=${text(start)}&end=${text(to)}`;
  return { method: "GET", path, repeatable: true };
}

function readLogAnswer(body: Json | undefined, from: Date): DeletedRecord[] {
  const { deletedRecords } = requireObject(body, "the log of deletions");
  return listOrBroken(deletedRecords, "`deletedRecords`").flatMap((entry): DeletedRecord[] => {
    const raw = requireObject(entry, "a deleted record");
    const deletedTime = readTime(raw.deletedDate);
    if (deletedTime && deletedTime < from) return [];
    return [{ id: toLongId(requireId(getTextAt(raw, "id"))), ...(deletedTime && { deletedTime }), raw }];
  });
}

/** Leaves out records that exist again, and those that the recycle bin's pages had. */
async function keepGone(
  period: Period,
  logged: DeletedRecord[],
  withoutBin: boolean,
  fetch: ProviderFetch,
): Promise<DeletedRecord[]> {
  const known = new Set<string>();
  for (let start = 0; start < logged.length; start += MAX_IDS) {
    let ids = logged.slice(start, start + MAX_IDS).map(({ id }) => id);
    while (ids.length > 0) {
      const page = await readStates(period.objectName, ids, withoutBin, fetch);
      for (const record of page.records)
        if (record.IsDeleted !== true || isWithin(readTime(record.SystemModstamp), period))
          known.add(recordId(record));
      ids = page.left;
    }
  }
  return logged.filter(({ id }) => !known.has(id));
}

/** Returns records with these ids that still are there or in the bin, and the ids of which nothing is known yet. */
async function readStates(
  objectName: string,
  ids: string[],
  withoutBin: boolean,
  fetch: ProviderFetch,
): Promise<{ records: JsonObject[]; left: string[] }> {
  const columns = withoutBin ? "Id" : "Id,IsDeleted,SystemModstamp";
  const wanted = ids.map((id) => `'${id}'`).join(",");
  const soql = `SELECT ${columns} FROM ${objectName} WHERE Id IN (${wanted}) LIMIT ${MAX_IDS}`;
  const answer = await sendQuery({ soql, withDeleted: !withoutBin }, fetch);
  if (answer.error) throw answer.error;
  const page = readQueryPage(answer.body);
  const records = page.records.map((raw) => requireObject(raw, "a record"));
  requireCounted(page, records.length);
  if (page.locator === undefined) return { records, left: [] };
  const seen = new Set(records.map((record) => toLongId(recordId(record))));
  const left = ids.filter((id) => !seen.has(id));
  if (left.length < ids.length) return { records, left };
  throw buildBrokenPage("Salesforce's query does not advance: a page without records names a next page");
}

const isWithin = (time: Date | undefined, { since, until }: Period): boolean =>
  time !== undefined && time >= floorToSecond(since) && time <= until;

function toDeleted(value: Json): DeletedRecord {
  const raw = requireObject(value, "a record");
  const deletedTime = readTime(raw.SystemModstamp);
  return { id: recordId(raw), ...(deletedTime && { deletedTime }), raw };
}

function requireId(id: string | undefined): string {
  if (id !== undefined && !findIdFault(id)) return id;
  throw buildBrokenPage("Salesforce's answer is broken: a deleted record has no id");
}

const floorToMinute = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
const floorToSecond = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000);

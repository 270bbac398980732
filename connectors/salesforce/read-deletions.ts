/**
 * Reads deleted Salesforce records: first the recycle bin, by a query, then the log of deletions, which also has records
 * that are gone for good. Neither alone has all: the log loses entries when it is large, and not every object has both.
 */
import type { Json } from "../../ground/json.ts";
import {
  brokenPage,
  checkRising,
  isTooLarge,
  listOrBroken,
  objectOrBroken,
} from "../../connector-kit/calls/page-check.ts";
import type { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { DeletedRecord, DeletionPage, ReadConnector } from "../../connector-kit/read-connector.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { textAt } from "../../connector-kit/calls/text-at.ts";
import { classify } from "./classify.ts";
import { idFault, longId } from "./id.ts";
import { readQueryPage } from "./query-page.ts";
import { sendQuery } from "./query-request.ts";
import { DATA, objectFault } from "./request.ts";
import { timeLiteral } from "./soql-time.ts";
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
  const fault = objectFault(period.objectName);
  if (fault) throw fault;
  const from = checkpoint && textAt(checkpoint, "logFrom");
  if (from !== undefined) return readLog(period, new Date(from), checkpoint?.withoutBin === true, fetch);
  return readBin(period, checkpoint && textAt(checkpoint, "lastId"), fetch);
};

/** Deleting a record moves `SystemModstamp`. */
async function readBin(
  period: Period,
  lastId: string | undefined,
  fetch: ProviderFetch,
): Promise<DeletionPage> {
  const { objectName, since, until } = period;
  const tests = [
    ...(lastId === undefined ? [] : [`Id > '${validId(lastId)}'`]),
    "IsDeleted = true",
    `SystemModstamp >= ${timeLiteral(since)}`,
    `SystemModstamp <= ${timeLiteral(until)}`,
  ];
  const soql = `SELECT Id,IsDeleted,SystemModstamp FROM ${objectName} WHERE ${tests.join(" AND ")} ORDER BY Id LIMIT ${PAGE}`;
  const answer = await sendQuery({ soql, withDeleted: true }, fetch);
  // Some objects have no recycle bin.
  if (answer.error?.code === "INVALID_FIELD") return { records: [], next: logFrom(period, since, true) };
  if (answer.error) throw answer.error;
  const records = readQueryPage(answer.body).records.map(toDeleted);
  checkRising(records, lastId, (id, other) => id > other);
  const last = records.at(-1)?.id;
  return {
    records,
    next: last !== undefined && records.length === PAGE ? { lastId: last } : logFrom(period, since),
  };
}

/** Returns where the log is read from, if the period has a whole minute; Salesforce cuts seconds off. */
function logFrom({ until }: Period, from: Date, withoutBin = false): DeletionPage["next"] {
  const start = Math.max(from.getTime(), until.getTime() - LOG_MS);
  if (minute(start) >= minute(until.getTime())) return undefined;
  return { logFrom: new Date(minute(start)).toISOString(), withoutBin };
}

async function readLog(
  period: Period,
  from: Date,
  withoutBin: boolean,
  fetch: ProviderFetch,
): Promise<DeletionPage> {
  const end = minute(period.until.getTime());
  let length = Math.min(end - from.getTime(), DAY_MS);
  for (;;) {
    const to = new Date(from.getTime() + length);
    const answer = await send(logRequest(period.objectName, from, to), fetch, classify).catch(tooLarge);
    if (answer && !answer.error) {
      const records = await onlyGone(period, readLogAnswer(answer.body, from), withoutBin, fetch);
      return { records, ...(to.getTime() < end && { next: logFrom(period, to, withoutBin) }) };
    }
    const isTooLong = !answer || answer.error.code === "EXCEEDED_ID_LIMIT";
    if (isTooLong && length > MINUTE_MS) length = Math.max(MINUTE_MS, minute(length / 2));
    else if (!answer) throw brokenPage("Salesforce's log of deletions is too long, even for one minute");
    else if (withoutBin || !hasNoLog(answer.error)) throw answer.error;
    else return { records: [] };
  }
}

/** Catches an answer that was too long to be read. */
function tooLarge(error: unknown): undefined {
  if (!isTooLarge(error)) throw error;
  return undefined;
}

/** Not every object's deletions are logged. */
const hasNoLog = ({ kind, code = "" }: ProviderError): boolean =>
  (kind === "invalid" || kind === "not_found") &&
  !["EXCEEDED_ID_LIMIT", "INVALID_REPLICATION_DATE"].includes(code);

/** A period of less than two minutes is refused, so it begins earlier. */
function logRequest(objectName: string, from: Date, to: Date): ProviderRequest {
  const start = new Date(Math.min(from.getTime(), to.getTime() - 2 * MINUTE_MS));
  const text = (time: Date) => encodeURIComponent(timeLiteral(time).replace("Z", "+00:00"));
  const path = `${DATA}/sobjects/${objectName}/deleted/?start=${text(start)}&end=${text(to)}`;
  return { method: "GET", path, repeatable: true };
}

function readLogAnswer(body: Json | undefined, from: Date): DeletedRecord[] {
  const { deletedRecords } = objectOrBroken(body, "the log of deletions");
  return listOrBroken(deletedRecords, "`deletedRecords`").flatMap((entry): DeletedRecord[] => {
    const raw = objectOrBroken(entry, "a deleted record");
    const deletedTime = readTime(raw.deletedDate);
    if (deletedTime && deletedTime < from) return [];
    return [{ id: longId(validId(textAt(raw, "id"))), ...(deletedTime && { deletedTime }), raw }];
  });
}

/** Leaves out records that exist again, and those that the recycle bin's pages had. */
async function onlyGone(
  period: Period,
  logged: DeletedRecord[],
  withoutBin: boolean,
  fetch: ProviderFetch,
): Promise<DeletedRecord[]> {
  const known = new Set<string>();
  for (let start = 0; start < logged.length; start += MAX_IDS) {
    const ids = logged.slice(start, start + MAX_IDS).map(({ id }) => `'${id}'`);
    const columns = withoutBin ? "Id" : "Id,IsDeleted,SystemModstamp";
    const soql = `SELECT ${columns} FROM ${period.objectName} WHERE Id IN (${ids.join(",")}) LIMIT ${MAX_IDS}`;
    const answer = await sendQuery({ soql, withDeleted: !withoutBin }, fetch);
    if (answer.error) throw answer.error;
    for (const raw of readQueryPage(answer.body).records) {
      const record = objectOrBroken(raw, "a record");
      if (record.IsDeleted !== true || isWithin(readTime(record.SystemModstamp), period))
        known.add(recordId(record));
    }
  }
  return logged.filter(({ id }) => !known.has(id));
}

const isWithin = (time: Date | undefined, { since, until }: Period): boolean =>
  time !== undefined && time >= second(since) && time <= until;

function toDeleted(value: Json): DeletedRecord {
  const raw = objectOrBroken(value, "a record");
  const deletedTime = readTime(raw.SystemModstamp);
  return { id: recordId(raw), ...(deletedTime && { deletedTime }), raw };
}

function validId(id: string | undefined): string {
  if (id !== undefined && !idFault(id)) return id;
  throw brokenPage("Salesforce's answer is broken: a deleted record has no id");
}

const minute = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
const second = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000);

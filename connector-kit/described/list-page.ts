/** Reads one page of a list by a description, and compares its records with bounds and filters. */
import { parseFieldPath } from "../../server/ground/field-path.ts";
import { nowMs } from "../../server/ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../server/ground/json.ts";
import type { Connector } from "../connector.ts";
import { brokenPage, listOrBroken, objectOrBroken } from "../page-check.ts";
import type { ProviderFetch, ProviderRequest, ProviderResponse } from "../provider-fetch.ts";
import { ProviderError } from "../provider-error.ts";
import type { Checkpoint, ReadPage, ReadPlan, SourceRecord } from "../read-connector.ts";
import { parseBody, send, unreadable } from "../send-request.ts";
import { textAt } from "../text-at.ts";
import { watchHeaders } from "../watch-headers.ts";
import { bodyOf } from "./body-members.ts";
import { firstCheckpoint, startRequest } from "./first-cursor.ts";
import { filledNames, fillPath, fillText } from "./fill-path.ts";
import { getOne } from "./get-record.ts";
import { withDocument } from "./graphql-plan.ts";
import { at, idOf, valuesOf, type ObjectPlan } from "./object-plan.ts";
import { nextPlace, putPlace } from "./paging.ts";
import type { PagingRules } from "./paging-rules.ts";
import { nested, put, timeText, withQuery, type RequestParts } from "./request-parts.ts";
import { putSelected } from "./selected-fields.ts";

type Classify = NonNullable<Connector["classify"]>;

/** The page at a checkpoint of a URL is requested by that URL. */
export function pageRequest(
  rules: ObjectPlan,
  { since: wanted, pageSize, fields, filters }: ReadPlan,
  checkpoint: Checkpoint | undefined,
): ProviderRequest {
  const { list } = rules;
  const since = boundOf(rules, wanted);
  const paging = pagingOf(rules, since);
  if (!list) throw new ProviderError({ kind: "invalid", message: `${rules.name} cannot be listed` });
  const start = startRequest(rules, paging, since, checkpoint);
  if (start) return start;
  const method = list.method ?? "GET";
  const place = checkpoint?.["place"];
  const parts: RequestParts = {
    query: [],
    body: bodyOf(rules, list.body),
    ...(list.headers && { headers: list.headers }),
  };
  if (list.pageSize) put(parts, list.pageSize.to, sizeOf(list.pageSize.most, pageSize));
  if (since) putSince(parts, rules, since);
  const named = [...fields, ...filters.map(({ fieldName }) => fieldName)];
  putSelected(parts, rules, named);
  putPlace(parts, paging, checkpoint);
  const { headers } = parts;
  parts.query.unshift(...filledQuery(rules, parts));
  // The URL of a next page has the query, but not the headers.
  if ((paging.nextUrl ?? paging.link) && typeof place === "string")
    return { method, path: place, ...(headers && { headers }), repeatable: true };
  return {
    method,
    path: withQuery(listPathOf(rules, since), parts.query),
    ...(headers && { headers }),
    ...(method !== "GET" && { body: withDocument(rules, "read", parts.body, named) }),
    repeatable: true,
  };
}

/** Placeholders for places that this request has not, such as a bound, are empty. */
function filledQuery(rules: ObjectPlan, { filled }: RequestParts): RequestParts["query"] {
  const empty = Object.fromEntries(filledNames(rules).map((name) => [name, ""]));
  return Object.entries(rules.list?.query ?? {}).map(([name, value]) => [
    name,
    fillText(value, rules, { ...empty, ...filled }),
  ]);
}

const DAY_MS = 86_400_000;

/** Returns the bound that the provider is asked for: none where it would refuse one so old. */
const boundOf = ({ since: rules }: ObjectPlan, since: Date | undefined): Date | undefined =>
  since && rules?.oldestDays !== undefined && nowMs() - since.getTime() > rules.oldestDays * DAY_MS
    ? undefined
    : since;

/** A list with a bound may have another path. */
const listPathOf = (rules: ObjectPlan, bound: Date | undefined): string =>
  fillPath((bound && rules.since?.path) ?? rules.list?.path ?? "", rules);

/** A list with a bound may go on in its own way. */
const pagingOf = ({ since, paging = {} }: ObjectPlan, bound: Date | undefined): PagingRules =>
  (bound && since?.paging) ?? paging;

const sizeOf = (most: number, wanted: number | undefined): number => Math.min(wanted ?? most, most);

function putSince(parts: RequestParts, plan: ObjectPlan, since: Date): void {
  const { since: rules } = plan;
  if (rules?.to === undefined) return;
  const bound = timeText(since, rules.format);
  put(parts, rules.to, rules.template === undefined ? bound : rules.template.replace("{since}", bound));
  for (const [name, value] of Object.entries(rules.query ?? {})) parts.query.push([name, value]);
  parts.body = bodyOf(plan, rules.body, parts.body);
}

interface ListReading {
  rules: ObjectPlan;
  classify: Classify;
  fetch: ProviderFetch;
}

/** No content, or nothing that has changed since the time in the header. */
const isEmptyAnswer = ({ status, text }: ProviderResponse): boolean =>
  (status === 204 || status === 304) && text.trim() === "";

/** Reads one page of a list. Throws `ProviderError`. */
export async function readListPage(
  { rules, classify, fetch }: ListReading,
  plan: ReadPlan,
  reached: Checkpoint | undefined,
): Promise<ReadPage> {
  const watched = watchHeaders(fetch);
  const bound = boundOf(rules, plan.since);
  const start = startRequest(rules, pagingOf(rules, bound), bound, reached);
  const checkpoint = start
    ? await firstCheckpoint(start, pagingOf(rules, bound), { fetch: watched.fetch, classify })
    : reached;
  let response: ProviderResponse | undefined;
  const kept: ProviderFetch = async (request) => (response = await watched.fetch(request));
  const { error } = await send(pageRequest(rules, plan, checkpoint), kept, classify, plan.account);
  if (error && rules.emptyWhen !== undefined && error.message.includes(rules.emptyWhen))
    return { records: [] };
  if (error) throw error;
  if (!response) throw brokenPage("there is no answer");
  if (isEmptyAnswer(response)) return { records: [] };
  const body = parseBody(response.text);
  if (body === undefined) throw unreadable(response);
  const listed = listOrBroken(listIn(body, rules), "the list of records");
  const each = rules.each === undefined ? undefined : fillPath(rules.each, rules);
  const entries = listed.map((entry) => objectOrBroken(at(entry, each), "a record"));
  const whole = rules.readEach
    ? await wholeRecords(entries, { rules, classify, fetch: watched.fetch }, plan)
    : entries;
  const records = whole.map((entry) => sourceRecord(entry, rules));
  const most = rules.list?.pageSize?.most;
  const pageSize = most === undefined ? undefined : sizeOf(most, plan.pageSize);
  const next = nextPlace(pagingOf(rules, bound), checkpoint, {
    response,
    body,
    count: listed.length,
    lastId: records.at(-1)?.id,
    listPath: listPathOf(rules, bound),
    pageSize,
  });
  const total = rules.total === undefined ? undefined : at(body, rules.total);
  const providerTime = watched.providerTime();
  return {
    records: records.filter((record) => matches(record, plan)),
    ...(next && { next }),
    ...(typeof total === "number" && { total }),
    ...(providerTime && { providerTime }),
  };
}

/** Returns the records of the entries, read one by one. A record that is gone by now is left out. */
async function wholeRecords(
  entries: JsonObject[],
  { rules, classify, fetch }: ListReading,
  { fields }: ReadPlan,
): Promise<JsonObject[]> {
  const whole: JsonObject[] = [];
  for (const entry of entries) {
    const id = idOf(entry, rules);
    if (id === undefined) throw brokenPage(`an entry of ${rules.name} has no id at ${rules.idPath}`);
    const record = await getOne({ plan: rules, fetch, classify }, id, fields);
    if (record) whole.push(record);
  }
  return whole;
}

function listIn(body: Json, { records, absentWhenEmpty, keyed, ...rules }: ObjectPlan): Json | undefined {
  const path = records === undefined ? "" : fillPath(records, rules);
  const list = at(body, path);
  if (keyed && list !== undefined && isJsonObject(list)) return membersOf(list, keyed);
  if (list !== undefined || !absentWhenEmpty) return list;
  const [okPath, okValue] = rules.okWhen?.split("=") ?? [];
  if (okPath !== undefined && textAt(body, okPath) !== okValue) return undefined;
  const around = at(body, path.slice(0, Math.max(0, path.lastIndexOf("."))));
  return around !== undefined && isJsonObject(around) ? [] : undefined;
}

const membersOf = (list: JsonObject, { name, type }: NonNullable<ObjectPlan["keyed"]>): JsonObject[] =>
  Object.entries(list).map(([key, value]) =>
    isJsonObject(value) ? nested(name, key, value) : nested(type, value, nested(name, key)),
  );

export function sourceRecord(raw: JsonObject, rules: ObjectPlan): SourceRecord {
  const id = idOf(raw, rules);
  if (id === undefined) throw brokenPage(`a record of ${rules.name} has no id at ${rules.idPath}`);
  const changeTime = timeAt(raw, rules.changedPath);
  const { parent, parentValue } = rules;
  const below = parent?.to === undefined || parentValue === undefined ? {} : { [parent.to]: parentValue };
  const values = { ...valuesOf(raw, rules), ...below };
  return { id, ...(changeTime && { changeTime }), raw, values };
}

/** Reads RFC 3339, seconds or milliseconds since 1970, also as text, and `/Date(…)/`, whose offset is only for people. */
function timeAt(record: Json, path: string | undefined): Date | undefined {
  const found = path === undefined ? undefined : at(record, path);
  const jsonDate = typeof found === "string" ? /^\/Date\((\d{1,16})(?:[+-]\d{4})?\)\/$/.exec(found) : null;
  const digits =
    jsonDate?.[1] ?? (typeof found === "string" && /^\d{10,16}$/.test(found) ? found : undefined);
  const value = digits === undefined ? found : Number(digits);
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value)) {
    const time = new Date(
      /\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(value)
        ? `${value.replace(" ", "T")}Z`
        : // Some providers name the zone twice.
          value.replace(/Z\+0000$/, "Z"),
    );
    return Number.isNaN(time.getTime()) ? undefined : time;
  }
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return undefined;
  return new Date(value < 1e11 ? value * 1000 : value);
}

/** Bounds and filters hold here as well: not every list knows them. */
function matches({ changeTime, values }: SourceRecord, { since, until, filters }: ReadPlan): boolean {
  if (changeTime && since && changeTime < since) return false;
  if (changeTime && until && changeTime > until) return false;
  return filters.every(({ fieldName, value }) => isEqual(valueOf(values, fieldName), value));
}

/** Custom fields within a member are named by a path. */
function valueOf(values: JsonObject, fieldName: string): Json | undefined {
  const path = parseFieldPath(fieldName);
  if (!("steps" in path)) return values[fieldName];
  return path.steps.reduce<Json | undefined>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    values,
  );
}

const isEqual = (value: Json | undefined, wanted: string | number | boolean): boolean =>
  value === wanted ||
  (value !== null && value !== undefined && !isJsonObject(value) && String(value) === String(wanted));

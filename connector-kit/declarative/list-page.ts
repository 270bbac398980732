/** Reads one page of a list by a description, and compares its records with bounds and filters. */
import type { Json, JsonObject } from "../../ground/json.ts";
import type { Connector } from "../connector.ts";
import { isBareAbsence } from "../calls/judge-refusal.ts";
import { buildBrokenPage, isTooLarge } from "../calls/page-check.ts";
import type { ProviderFetch, ProviderRequest, ProviderResponse } from "../calls/provider-fetch.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type { Checkpoint, ReadPage, ReadPlan, SourceRecord } from "../read-connector.ts";
import { parseBody, send, buildUnreadable } from "../calls/send-request.ts";
import { getTextAt } from "../calls/get-text-at.ts";
import { watchHeaders } from "../calls/watch-headers.ts";
import { buildBody } from "./write/body-members.ts";
import { chooseList, divide, findNextList, type ChosenList, type Wanted } from "./chosen-list.ts";
import { requestFirstPlace, buildFirstCursorRequest, findNextPlace, putPlace } from "./paging.ts";
import { rememberEarlier } from "./earlier-keys.ts";
import { listFilledNames, fillPath, fillText } from "./fill-path.ts";
import { followTotal, goOnBy } from "./falling-total.ts";
import { chooseSize, countPagesBefore, findFittedPage } from "./fitted-pages.ts";
import { withFurtherFields } from "./further-fields.ts";
import { getOne } from "./get-record.ts";
import { listEntries } from "./list-entries.ts";
import { findWarning } from "./list-warnings.ts";
import { withDocument } from "./plan-graphql.ts";
import { readRecordId, flattenValues, type ObjectPlan } from "./object-plan.ts";
import { goOnBehind, mayBeDeadPlace } from "./refused-place.ts";
import { isKnown, readOn } from "./newest-first.ts";
import { endsAsBefore, goBack, listFresh, moveBack, rememberOverlap } from "./overlapping-pages.ts";
import { matchesPlan } from "./record-filter.ts";
import { formatTime, withQuery, type RequestParts } from "./request-parts.ts";
import { readTimeAt } from "./record-time.ts";
import type { ScrollUses } from "./scroll-uses.ts";
import { setEmptyToNull, putSelected } from "./selected-fields.ts";
import {
  putSize,
  readSlowWords,
  rememberPlace,
  restartElsewhere,
  restartWithHalf,
  withKnownSize,
} from "./smaller-pages.ts";
import { isUnmoved, moveOn } from "./same-time.ts";
import { putSince, rememberBound } from "./since-bound.ts";
import { readScanState, type ScanState } from "./scan-state.ts";
import {
  trackProgress,
  countBefore,
  requireComplete,
  requireWhole,
  restartBehindLoss,
} from "./scan-progress.ts";

type Classify = NonNullable<Connector["classify"]>;

/** A page whose place is an address is requested by that address. */
export function buildPageRequest(
  object: ObjectPlan,
  plan: ReadPlan,
  state: ScanState,
  chosen: ChosenList = chooseList(object, plan.since, state),
): ProviderRequest {
  const { rules, bound } = chosen;
  const { list, paging = {} } = rules;
  if (!list) throw new ProviderError({ kind: "invalid", message: `${rules.name} cannot be listed` });
  const start = buildFirstCursorRequest(rules, paging, bound, state);
  if (start) return start;
  const method = list.method ?? "GET";
  const { place } = state;
  const parts: RequestParts = {
    query: [],
    body: buildBody(rules, list.body),
    ...(list.headers && { headers: list.headers }),
  };
  const fitted = findFittedPage(rules, plan, state);
  if (list.pageSize) putSize(parts, list.pageSize, fitted?.size ?? plan.pageSize);
  putSince(parts, chosen, plan);
  const named = listFields(rules, plan);
  putSelected(parts, rules, named);
  putPlace(parts, paging, state, fitted);
  parts.query.unshift(...fillQuery(rules, parts));
  // The URL of a next page has the query, but not the headers.
  if ((paging.nextUrl ?? paging.link) && typeof place === "string")
    return { method, path: place, ...(parts.headers && { headers: parts.headers }), repeatable: true };
  return {
    method,
    path: withQuery(fillPath(list.path, rules), parts.query),
    ...(parts.headers && { headers: parts.headers }),
    ...(method !== "GET" && { body: withDocument(rules, "read", parts.body, named) }),
    repeatable: true,
  };
}

/** Lists the fields to request, with the mark of deleted records; none requests all fields. */
function listFields({ deleted }: ObjectPlan, { fields, filters }: ReadPlan): string[] {
  const named = [...fields, ...filters.map(({ fieldName }) => fieldName)];
  const [mark] = deleted?.at.split(".") ?? [];
  return mark === undefined || named.length === 0 ? named : [...named, mark];
}

/** Placeholders for places that this request has not, such as a bound, are empty. */
function fillQuery(rules: ObjectPlan, { filled, query }: RequestParts): RequestParts["query"] {
  const empty = Object.fromEntries(listFilledNames(rules).map((name) => [name, ""]));
  // A parameter that goes with the bound takes the place of the list's own.
  const own = new Set(query.map(([name]) => name));
  return Object.entries(rules.list?.query ?? {})
    .filter(([name]) => !own.has(name))
    .map(([name, value]) => [name, fillText(value, rules, { ...empty, ...filled })]);
}

export interface ListReading {
  rules: ObjectPlan;
  classify: Classify;
  fetch: ProviderFetch;
  /** Absent where no list is a scroll. */
  scrolls?: ScrollUses;
}

type Asked = Pick<ChosenList, "rules" | "bound">;

/** Returns whether nothing has changed since the time in the header. Without that condition, 304 is not the provider's (RFC 9110, 15.4.5). */
const isUnchanged = ({ rules: { since }, bound }: Asked, response: ProviderResponse | undefined): boolean =>
  response?.status === 304 && bound !== undefined && since?.to?.startsWith("header.") === true;

/** Returns whether there is no content, no change, or a refusal that means so. */
function isEmptyAnswer(
  asked: Asked,
  error: ProviderError | undefined,
  response: ProviderResponse | undefined,
): boolean {
  const { emptyWhen } = asked.rules;
  if (error) return emptyWhen !== undefined && error.message.includes(emptyWhen);
  return (response?.status === 204 || isUnchanged(asked, response)) && response?.text.trim() === "";
}

/** A page with all its records, and those among them that the provider tells as deleted. */
export type ListPage = Omit<ReadPage, "records" | "next"> & {
  next?: ScanState;
  records: SourceRecord[];
  deleted: SourceRecord[];
};

/** Reads one page of the records of a list. Throws `ProviderError`. */
export async function readListPage(
  reading: ListReading,
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
): Promise<ReadPage> {
  const state = readScanState(checkpoint);
  const { deleted: _, ...page } = await readPageFrom(reading, plan, state, "records");
  const { rules } = reading;
  // That another page of the whole list has a field is news for changes only.
  const named = { fields: plan.fields, known: state.knownFields };
  const { records, known } = await setEmptyToNull(rules, named, page.records, async () =>
    plan.since ? readFirstPage(reading, plan) : [],
  );
  return {
    ...page,
    records: records.filter((record) => matchesPlan(record, plan)),
    ...(page.next && known && { next: { ...page.next, knownFields: [...known] } }),
  };
}

/** Returns the first records of the whole list, with all that they have. Throws `ProviderError`. */
export async function readFirstPage(
  reading: ListReading,
  { objectName, account }: Pick<ReadPlan, "objectName" | "account">,
): Promise<SourceRecord[]> {
  const plan = { objectName, fields: [], filters: [], associations: [], ...(account && { account }) };
  return (await readListPage(reading, plan, undefined)).records;
}

/** Reads one page of a list. Throws `ProviderError`. */
export async function readPageFrom(
  reading: ListReading,
  given: ReadPlan,
  reached: ScanState,
  wanted: Wanted,
): Promise<ListPage> {
  const plan = withKnownSize(given, reached);
  const { rules: object, classify, fetch, scrolls } = reading;
  const watched = watchHeaders(fetch);
  const chosen = chooseList(object, plan.since, reached, wanted);
  const { rules, bound } = chosen;
  const readAgain = async (from: ScanState): Promise<ListPage> => ({
    ...(await readPageFrom(reading, plan, from, wanted)),
    restarted: true,
  });
  const readAt = (from: ScanState) => readPageFrom(reading, given, from, wanted);
  const scan = { paging: rules.paging ?? {}, state: reached, failures: given.failures, readAt, readAgain };
  const anew = scrolls?.isBeyond(rules.paging ?? {}, reached)
    ? restartBehindLoss(rules.paging ?? {}, reached)
    : restartElsewhere(chosen, plan, reached);
  if (anew) return readAgain(anew);
  const start = buildFirstCursorRequest(rules, rules.paging ?? {}, bound, reached);
  const state = start
    ? await requestFirstPlace(start, rules.paging ?? {}, { fetch: watched.fetch, classify })
    : reached;
  let response: ProviderResponse | undefined;
  const kept: ProviderFetch = async (request) => (response = await watched.fetch(request));
  const request = buildPageRequest(object, plan, state, chosen);
  const smaller = restartWithHalf(rules, plan, reached);
  const sent = await send(request, kept, classify, plan.account).catch((thrown: unknown) => {
    if (smaller && isTooLarge(thrown, readSlowWords(rules, given, plan), response?.text)) return undefined;
    if (isUnchanged(chosen, response)) return { body: undefined };
    if (mayBeDeadPlace(thrown, scan)) return { body: undefined, error: thrown };
    throw thrown;
  });
  if (!sent && smaller)
    return smaller.place !== undefined || reached.place === undefined
      ? readPageFrom(reading, given, smaller, wanted)
      : readAgain(smaller);
  const isEmpty = isEmptyAnswer(chosen, sent?.error, response);
  const refusal = isEmpty ? undefined : sent?.error;
  const isBare = refusal !== undefined && rules.parent === undefined && isBareAbsence(refusal, response);
  if (refusal) return goOnBehind(refusal, { ...scan, isBare });
  if (!response) throw buildBrokenPage("there is no answer");
  const body = isEmpty ? null : parseBody(response.text);
  if (body === undefined) throw buildUnreadable(response);
  const all = isEmpty ? [] : listEntries(body, rules);
  const entries = listFresh(all, rules, state);
  if (!entries) return goBack(rules, state, plan);
  const whole = rules.readEach
    ? await readWholeRecords(entries, { rules, classify, fetch: watched.fetch }, plan)
    : await withFurtherFields({ rules, classify, fetch: watched.fetch }, entries, listFields(rules, plan));
  const { records, ids } = toRecords(whole, entries, chosen);
  const total = readTotal(body, rules);
  const answered = { plan, response, body, records, entries, ids, all, total };
  const next = findNextState(chosen, state, answered);
  const providerTime = watched.providerTime();
  const unnamed = whole.length - records.length;
  const warning = findWarning(chosen, plan, { state, body, records, all, unnamed, next });
  return {
    ...divide(leaveOutSeen(records, chosen, state), chosen),
    ...(warning !== undefined && { warning }),
    ...(next && { next }),
    ...(total !== undefined && { total }),
    ...(providerTime && { providerTime }),
  };
}

/** Leaves out the records that pages before had. */
function leaveOutSeen(
  records: SourceRecord[],
  { rules, bound }: ChosenList,
  state: ScanState,
): SourceRecord[] {
  const seen = new Set(state.seen);
  if (isUnmoved(records, state)) return [];
  return records.filter((record) => {
    const { id, changeTime } = record;
    if (isKnown(record, state)) return false;
    if (isAt(changeTime, bound, rules)) return !seen.has(id);
    // A bound that moves was reached: what is earlier was read with the pages before.
    return state.after === undefined || !changeTime || !bound || changeTime > bound;
  });
}

/** Returns the records of a page, and an id for each of its entries, empty where an entry has none. */
function toRecords(
  whole: JsonObject[],
  entries: JsonObject[],
  { allDeleted, rules }: ChosenList,
): { records: SourceRecord[]; ids: string[] } {
  // A log also has entries about what has no id, and of records that may not be named.
  const named = allDeleted ? whole.filter((entry) => readRecordId(entry, rules) !== undefined) : whole;
  const records = named.map((entry) => readSourceRecord(entry, rules));
  const ids =
    named === entries
      ? records.map(({ id }) => id)
      : entries.map((entry) => readRecordId(entry, rules) ?? "");
  return { records, ids };
}

interface AnsweredPage {
  plan: ReadPlan;
  response: ProviderResponse;
  body: Json;
  records: SourceRecord[];
  entries: JsonObject[];
  ids: string[];
  /** The entries with those that the page before had. */
  all: JsonObject[];
  total: number | undefined;
}

/** Returns where the scan goes on: in the list, else in the object's next list. Throws `ProviderError` for a broken scan. */
function findNextState(
  chosen: ChosenList,
  state: ScanState,
  { plan, response, body, records, entries, ids, all, total }: AnsweredPage,
): ScanState | undefined {
  const { rules, position, bound } = chosen;
  const paging = rules.paging ?? {};
  const most = rules.list?.pageSize?.most;
  const fitted = findFittedPage(rules, plan, state);
  const pageSize = most === undefined ? undefined : (fitted?.size ?? chooseSize(most, plan.pageSize));
  const { from } = paging.keyset ?? {};
  const keys = from === undefined ? ids : entries.map((entry) => getTextAt(entry, from));
  const before = countBefore(state);
  const read = before === undefined ? undefined : before + ids.length;
  const moves = rules.since?.keyset === true && bound !== undefined;
  const reach = followTotal(rules, state, { pageSize, total: moves ? undefined : total });
  const following = findNextPlace(paging, state.place, {
    response,
    body,
    count: all.length,
    fresh: endsAsBefore(all, rules, state) ? 0 : ids.length,
    // A total is that of the bound, which moves.
    ...(moves ? { read: undefined, total: undefined } : { read: reach?.read(read) ?? read, total }),
    lastId: keys.at(-1),
    listPath: fillPath(rules.list?.path ?? "", rules),
    pageSize,
    fitted,
  });
  const goesOn = isBehindPeriod(chosen, records) ? undefined : goOnBy(reach, following);
  const overlapped = moveBack(rules, plan, { place: goesOn, state, entries: all });
  const { place } = overlapped;
  const joint = rememberOverlap(overlapped, state);
  const moved = moves ? moveOn(chosen, { records, state, place }) : undefined;
  const reading = paging.newestFirst ? readOn(chosen, state, records, place) : undefined;
  const isOver = reading?.isOver ?? (moves ? moved : place) === undefined;
  if (isOver) {
    if (!moves && place === undefined) requireWhole({ read, total });
    requireComplete(paging, body);
    return reading?.next
      ? { ...(position > 0 && { list: position }), ...reading.next }
      : findNextList(chosen, body).next;
  }
  const pagesBefore = countPagesBefore(rules, plan, { ...(place !== undefined && { place }), ...joint });
  const step = {
    place: moved ? moved.place : place,
    after: moved?.after,
    // What changed behind the reader's back may fill the next page with records that this one had.
    ids: moves ? records.map(({ id, changeTime }) => `${id} ${changeTime?.getTime()}`) : ids,
    read,
    pagesBefore,
    goesBack: reach?.goesBack ?? (moved?.comparison ?? overlapped.across) !== undefined,
  };
  // When the bound has moved, the list is read from its beginning: pages and depth are counted from zero again.
  const remembered = trackProgress(state, moved ? {} : paging, step);
  return {
    ...rememberPlace(chosen, step.place, state, pageSize),
    ...(moved && rememberBound(moved)),
    ...(step.place !== undefined && joint),
    ...rememberEarlier(paging, keys, state),
    ...(position > 0 && { list: position }),
    ...reading?.next,
    ...reach?.remembered,
    ...remembered,
  };
}

/** Returns whether the list has come to records from before the period, which only older ones follow. */
function isBehindPeriod({ newestFirst, bound }: ChosenList, records: SourceRecord[]): boolean {
  const time = records.at(-1)?.changeTime;
  return newestFirst && time !== undefined && bound !== undefined && time < bound;
}

function readTotal(body: Json, { total }: ObjectPlan): number | undefined {
  const value = total === undefined ? undefined : Number(getTextAt(body, total) ?? Number.NaN);
  return value !== undefined && Number.isInteger(value) ? value : undefined;
}

const isAt = (time: Date | undefined, bound: Date | undefined, { since }: ObjectPlan): boolean =>
  time === undefined ||
  bound === undefined ||
  formatTime(time, since?.format) === formatTime(bound, since?.format);

/** Returns the records of the entries, read one by one. A record that is gone by now is left out. */
async function readWholeRecords(
  entries: JsonObject[],
  { rules, classify, fetch }: ListReading,
  { fields }: ReadPlan,
): Promise<JsonObject[]> {
  const whole: JsonObject[] = [];
  for (const entry of entries) {
    const id = readRecordId(entry, rules);
    if (id === undefined)
      throw buildBrokenPage(`an entry of ${rules.name} has no id: \`${rules.idPath}\` is missing or empty`);
    const record = await getOne({ plan: rules, fetch, classify }, id, fields);
    if (record) whole.push(record);
  }
  return whole;
}

export function readSourceRecord(raw: JsonObject, rules: ObjectPlan): SourceRecord {
  const id = readRecordId(raw, rules);
  if (id === undefined)
    throw buildBrokenPage(`a record of ${rules.name} has no id: \`${rules.idPath}\` is missing or empty`);
  const changeTime = readTimeAt(raw, rules.changedPath);
  const { parent, parentValue } = rules;
  const below = parent?.to === undefined || parentValue === undefined ? {} : { [parent.to]: parentValue };
  const values = { ...flattenValues(raw, rules), ...below };
  return { id, ...(changeTime && { changeTime }), raw, values };
}

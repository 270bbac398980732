/**
 * Reads one page of a CRM object. A scan over all records lists them, which reads HubSpot's store. A scan with a time
 * or filters searches, which reads an index that is late by seconds, sometimes minutes: the caller begins a while before.
 */
import { isJsonObject } from "../../ground/json.ts";
import { checkRising, isTooLarge } from "../../connector-kit/calls/page-check.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { Checkpoint, ReadPage, ReadPlan } from "../../connector-kit/read-connector.ts";
import { withRefusedField } from "../../connector-kit/calls/build-refused-field.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { classify } from "./classify.ts";
import {
  advance,
  parseListPosition,
  readListing,
  restart,
  buildSameCursorError,
  type ListPlace,
} from "./list-scan.ts";
import { isAfter, findReadingFault } from "./read-object.ts";
import {
  isTooLong,
  LIST_LIMIT,
  listPage,
  MAX_SCAN_FILTERS,
  chooseProperties,
  SEARCH_LIMIT,
  searchPage,
} from "./read-request.ts";
import { readRecords } from "./read-records.ts";
import { filterTest, createTimeTest } from "./record-test.ts";

/** Where a page begins; a search begins behind the last id, and has a cursor only behind an empty page. */
interface Place extends ListPlace {
  way: "list" | "search";
  /** The properties are too long for an address: ids are listed, then read. */
  isWide?: boolean;
  /** Where larger pages were too large to be read. */
  limit?: number;
}

const SMALL_PAGE = 10;

export type CrmPage = Pick<ReadPage, "records" | "next" | "total">;

export function prepareCrmPage(plan: ReadPlan, checkpoint?: Checkpoint): ProviderRequest {
  const fault = findReadingFault(plan.objectName);
  if (fault) throw fault;
  const place = readPosition(plan, checkpoint);
  return place.way === "list" ? listRequest(plan, place) : searchRequest(plan, place);
}

export async function readCrmPage(
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
  fetch: ProviderFetch,
): Promise<CrmPage> {
  const fault = findReadingFault(plan.objectName);
  if (fault) throw fault;
  const place = readPosition(plan, checkpoint);
  return readAt(plan, place, fetch).catch((error: unknown) => {
    if (!isTooLarge(error) || place.limit !== undefined) throw error;
    return readAt(plan, { ...place, limit: SMALL_PAGE }, fetch);
  });
}

const readAt = (plan: ReadPlan, place: Place, fetch: ProviderFetch): Promise<CrmPage> =>
  place.way === "list" ? readList(plan, place, fetch) : readSearch(plan, place, fetch);

async function readList(plan: ReadPlan, place: Place, fetch: ProviderFetch): Promise<CrmPage> {
  const request = listRequest(plan, place);
  const answer = await send(request, fetch, classify, plan.account);
  if (answer.error) {
    if (isAddressTooLong(answer.error) && !place.isWide)
      return readList(plan, { ...place, isWide: true }, fetch);
    if (place.after !== undefined && answer.error.kind === "invalid") {
      const { skipTo: lastId } = restart(place, answer.error);
      return readSearch(plan, { way: "search", lastId, limit: place.limit }, fetch);
    }
    throw answer.error;
  }
  const { fresh, next } = advance(readListing(answer.body, plan.objectName), place);
  const isWide = place.isWide === true || isTooLong(listProperties(plan));
  const records = isWide ? await readRecords(plan, fresh, listProperties(plan), fetch) : fresh;
  return {
    records: records.filter(createTimeTest(plan)).filter(filterTest(plan.filters, plan)),
    ...(next && { next: toCheckpoint({ ...place, ...next }) }),
  };
}

/** Goes on behind the last id, also after HubSpot refused the list's cursor. */
async function readSearch(plan: ReadPlan, place: Place, fetch: ProviderFetch): Promise<CrmPage> {
  const answer = await send(searchRequest(plan, place), fetch, classify, plan.account);
  if (answer.error) {
    if (lacksSearch(answer.error)) {
      return readList(plan, { way: "list", skipTo: place.lastId, limit: place.limit }, fetch);
    }
    throw withRefusedField(
      answer.error,
      plan.filters.map(({ fieldName }) => fieldName),
    );
  }
  const { listed, after } = readListing(answer.body, plan.objectName);
  checkRising(listed, place.lastId, isAfter);
  const lastId = listed.at(-1)?.id;
  const total = isJsonObject(answer.body) ? answer.body.total : undefined;
  const next = placeBehind(place, lastId, after, typeof total === "number" ? total - listed.length : 0);
  return {
    records: listed.filter(filterTest(plan.filters.slice(MAX_SCAN_FILTERS), plan)),
    ...(next && { next: toCheckpoint(next) }),
    ...(place.lastId === undefined && typeof total === "number" && { total }),
  };
}

/**
 * Returns where the next page of a search begins; undefined if this was the last one. Behind a page with records this is their last id, also
 * if the page names no next one and its own count says that more match. Behind an empty page it is the cursor. Throws `ProviderError` where a
 * page has neither records nor a next one, and counts some: the index may be ahead of the store, so that this is tried again.
 *
 * @param missing how many more records the page counts than it has; the count is of the same answer, so changes between pages do not matter
 */
export function placeBehind<At extends ListPlace>(
  place: At,
  lastId: string | undefined,
  after: string | undefined,
  missing: number,
): At | undefined {
  if (lastId !== undefined) {
    return after !== undefined || missing > 0 ? { ...place, lastId, after: undefined } : undefined;
  }
  if (after !== undefined) {
    if (after === place.after) throw buildSameCursorError("search");
    return { ...place, after };
  }
  if (missing <= 0) return undefined;
  const message = `HubSpot's search counts ${missing} more records, and gives 0 of them and no next page`;
  throw new ProviderError({ kind: "unavailable", message, status: 200 });
}

const listProperties = (plan: ReadPlan): string[] => chooseProperties(plan, plan.filters);

function listRequest(plan: ReadPlan, { after, isWide, limit }: Place): ProviderRequest {
  const properties = listProperties(plan);
  return listPage({
    objectName: plan.objectName,
    properties: isWide || isTooLong(properties) ? ["hs_object_id"] : properties,
    limit: choosePageSize(plan, limit ?? LIST_LIMIT),
    after,
  });
}

const searchRequest = (plan: ReadPlan, { lastId, after, limit }: Place): ProviderRequest =>
  searchPage({
    plan,
    filters: plan.filters.slice(0, MAX_SCAN_FILTERS),
    properties: chooseProperties(plan, plan.filters.slice(MAX_SCAN_FILTERS)),
    limit: choosePageSize(plan, limit ?? SEARCH_LIMIT),
    afterId: lastId,
    after,
  });

const choosePageSize = ({ pageSize: asked }: ReadPlan, most: number): number =>
  Math.max(1, Math.min(asked ?? most, most));

const isAddressTooLong = ({ status }: ProviderError): boolean => status === 414 || status === 431;

/** Returns whether HubSpot cannot search an object, but list it. If there is no such object, the list says so. */
const lacksSearch = ({ status, message }: ProviderError): boolean =>
  status === 404 ||
  status === 405 ||
  (status === 400 &&
    /search/i.test(message) &&
    /not (be |been )?(supported|searchable|enabled)|unsupported/i.test(message));

function readPosition({ since, filters }: ReadPlan, checkpoint: Checkpoint | undefined): Place {
  if (!checkpoint) return { way: since === undefined && filters.length === 0 ? "list" : "search" };
  return {
    ...parseListPosition(checkpoint),
    way: checkpoint.way === "list" ? "list" : "search",
    isWide: checkpoint.isWide === true,
    limit: typeof checkpoint.limit === "number" ? checkpoint.limit : undefined,
  };
}

const toCheckpoint = ({ way, after, lastId, skipTo, isWide, limit }: Place): Checkpoint => ({
  way,
  ...(after !== undefined && { after }),
  ...(lastId !== undefined && { lastId }),
  ...(skipTo !== undefined && { skipTo }),
  ...(isWide && { isWide }),
  ...(limit !== undefined && { limit }),
});

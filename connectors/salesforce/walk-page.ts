/**
 * Reads one page of a walk through Salesforce records. A query's next page is behind a locator, which other
 * integrations of the same user can use up at any time; then the same query goes on behind the last id.
 */
import { brokenPage, checkRising } from "../../connector-kit/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/provider-fetch.ts";
import type { Checkpoint, ReadPage, ReadPlan } from "../../connector-kit/read-connector.ts";
import { textAt } from "../../connector-kit/text-at.ts";
import { changeColumn } from "./change-column.ts";
import { idFault } from "./id.ts";
import {
  isLocatorGone,
  locatorOf,
  locatorRequest,
  queryRequest,
  sendLocator,
  sendQuery,
} from "./query-request.ts";
import { queryRefusal, readQueryPage, type QueryPage } from "./query-page.ts";
import { addAssociations } from "./read-associations.ts";
import { readingFault, walkQuery } from "./soql.ts";
import { toSourceRecord } from "./source-record.ts";

/** Where a page begins. */
interface Place {
  /** The last id of the pages before. */
  lastId?: string;
  locator?: string;
}

/** Smaller pages than Salesforce gives are limited by the query, and go on by id. */
const SMALLEST_PAGE = 200;

export function prepareWalkPage(plan: ReadPlan, checkpoint?: Checkpoint): ProviderRequest {
  const fault = readingFault(plan);
  if (fault) throw fault;
  const place = placeOf(checkpoint);
  if (place.locator !== undefined) return locatorRequest(place.locator, plan.pageSize);
  return queryRequest({ soql: soqlOf(plan, place), pageSize: plan.pageSize });
}

export async function readWalkPage(
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
  fetch: ProviderFetch,
): Promise<Pick<ReadPage, "records" | "next" | "total">> {
  const fault = readingFault(plan);
  if (fault) throw fault;
  const place = placeOf(checkpoint);
  const page = await fetchPage(plan, place, fetch);
  const column = changeColumn(plan.objectName, plan.metadata);
  const records = page.records.map((raw) => toSourceRecord(raw, column));
  checkRising(records, place.lastId, (id, other) => id > other);
  await addAssociations(plan, records, fetch);
  const next = nextPlace(plan, place, page, records.at(-1)?.id);
  return {
    records,
    ...(next && { next: { ...next } }),
    ...(!checkpoint && plan.pageSize === undefined && page.total !== undefined && { total: page.total }),
  };
}

async function fetchPage(plan: ReadPlan, place: Place, fetch: ProviderFetch): Promise<QueryPage> {
  if (place.locator !== undefined) {
    const answer = await sendLocator(place.locator, fetch, plan.pageSize);
    if (!answer.error) return readQueryPage(answer.body);
    if (!isLocatorGone(answer)) throw answer.error;
  }
  const answer = await sendQuery({ soql: soqlOf(plan, place), pageSize: plan.pageSize }, fetch);
  if (answer.error) throw queryRefusal(answer.error, plan);
  return readQueryPage(answer.body);
}

const soqlOf = (plan: ReadPlan, { lastId }: Place): string => walkQuery(plan, lastId, limitOf(plan));

const limitOf = ({ pageSize }: ReadPlan): number | undefined =>
  pageSize !== undefined && pageSize < SMALLEST_PAGE ? Math.max(1, pageSize) : undefined;

/** Returns where the next page begins as JSON; undefined if there is none. */
function nextPlace(
  plan: ReadPlan,
  place: Place,
  { records, locator }: QueryPage,
  lastId: string | undefined,
): { lastId: string; locator?: string } | undefined {
  const limit = limitOf(plan);
  if (locator === undefined) {
    return limit !== undefined && records.length >= limit && lastId !== undefined ? { lastId } : undefined;
  }
  if (lastId !== undefined) return locator === place.locator ? { lastId } : { lastId, locator };
  // All records of this page were deleted meanwhile. The query itself finds those that follow.
  if (place.locator !== undefined && place.lastId !== undefined) return { lastId: place.lastId };
  throw brokenPage("Salesforce's query does not advance: a page without records names a next page");
}

/** Checks what was stored: both parts go into requests. */
function placeOf(checkpoint: Checkpoint | undefined): Place {
  if (!checkpoint) return {};
  const lastId = textAt(checkpoint, "lastId");
  const locator = textAt(checkpoint, "locator");
  const fault = idFault(lastId);
  if (fault) throw fault;
  return { lastId, ...(locator !== undefined && { locator: locatorOf(locator) }) };
}

/**
 * Reads one page of a scan through Salesforce records. A query's next page is behind a locator, which other
 * integrations of the same user can use up at any time; then the same query goes on behind the last id.
 */
import { checkRising, isTooLarge } from "../../connector-kit/calls/page-check.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { Checkpoint, ReadPage, ReadPlan } from "../../connector-kit/read-connector.ts";
import type { ProviderAnswer } from "../../connector-kit/calls/send-request.ts";
import { changeColumn } from "./change-column.ts";
import { isLocatorGone, buildLocatorRequest, queryRequest, sendLocator, sendQuery } from "./query-request.ts";
import { queryRefusal, readQueryPage, type QueryPage } from "./query-page.ts";
import { addAssociations } from "./read-associations.ts";
import { findReadingFault, recordQuery, scanQuery } from "./soql.ts";
import { toSourceRecord } from "./source-record.ts";
import {
  findLimit,
  findNextPlace,
  parsePosition,
  planAt,
  toCheckpoint,
  withHalfTheTime,
  withSmallerPages,
  type Place,
} from "./scan-position.ts";

export function prepareScanPage(plan: ReadPlan, checkpoint?: Checkpoint): ProviderRequest {
  const fault = findReadingFault(plan);
  if (fault) throw fault;
  const place = parsePosition(checkpoint);
  const asked = planAt(plan, place);
  if (place.locator !== undefined) return buildLocatorRequest(place.locator, asked.pageSize);
  return queryRequest(queryAt(asked, place));
}

export async function readScanPage(
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
  fetch: ProviderFetch,
): Promise<Pick<ReadPage, "records" | "next" | "total">> {
  const fault = findReadingFault(plan);
  if (fault) throw fault;
  const { page, place } = await fetchPage(plan, parsePosition(checkpoint), fetch);
  const column = changeColumn(plan.objectName, plan.metadata);
  const records = page.records.map((raw) => toSourceRecord(raw, column));
  checkRising(records, place.lastId, (id, other) => id > other);
  await addAssociations(plan, records, fetch);
  const next = findNextPlace(plan, place, page, records.at(-1)?.id);
  const isWhole = !checkpoint && place.to === undefined && findLimit(planAt(plan, place)) === undefined;
  return {
    records,
    ...(next && { next: toCheckpoint(next) }),
    ...(isWhole && page.total !== undefined && { total: page.total }),
  };
}

/** Asks for less where Salesforce takes too long, or answers with more than can be read. */
async function fetchPage(
  plan: ReadPlan,
  place: Place,
  fetch: ProviderFetch,
): Promise<{ page: QueryPage; place: Place }> {
  const asked = planAt(plan, place);
  if (place.locator !== undefined) {
    const behind = await sendLocator(place.locator, fetch, asked.pageSize).catch(catchTooMuch);
    if (behind instanceof ProviderError || !isLocatorGone(behind)) return settle(plan, place, behind, fetch);
    const byId = behind.error?.kind === "unauthorized" && place.lastId !== undefined;
    return fetchPage(plan, { ...place, locator: undefined, ...(byId && { byId }) }, fetch);
  }
  const answer = await sendQuery(queryAt(asked, place), fetch).catch(catchTooMuch);
  return settle(plan, place, answer, fetch);
}

function catchTooMuch(error: unknown): ProviderError | ProviderAnswer {
  if (isTooLarge(error)) return error;
  if (error instanceof ProviderError && TOO_MUCH.has(error.code ?? "")) return { body: undefined, error };
  throw error;
}

async function settle(
  plan: ReadPlan,
  place: Place,
  answer: ProviderAnswer | ProviderError,
  fetch: ProviderFetch,
): Promise<{ page: QueryPage; place: Place }> {
  if (answer instanceof ProviderError) {
    const smaller = withSmallerPages(plan, place);
    if (smaller) return fetchPage(plan, smaller, fetch);
    throw answer;
  }
  if (!answer.error) return { page: readQueryPage(answer.body), place };
  // A read of all records has no time to halve: fewer records by id take less time, too.
  const shorter = TOO_MUCH.has(answer.error.code ?? "")
    ? (withHalfTheTime(plan, place) ?? withSmallerPages(plan, place))
    : undefined;
  if (shorter) return fetchPage(plan, shorter, fetch);
  throw queryRefusal(answer.error, plan);
}

const queryAt = (asked: ReadPlan, place: Place) => ({
  ...recordQuery(asked, scanQuery(asked, place.lastId, findLimit(asked, place))),
  pageSize: asked.pageSize,
});

/** The query ran too long, or found more than Salesforce can hold. */
const TOO_MUCH = new Set(["QUERY_TIMEOUT", "REQUEST_RUNNING_TOO_LONG", "OPERATION_TOO_LARGE"]);

/** Answers questions about Salesforce records that need no scan: counts, samples, records by id, searches. */
import { isJsonObject } from "../../ground/json.ts";
import { buildBrokenPage } from "../../connector-kit/calls/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { ReadConnector, ReadPlan, SourceRecord } from "../../connector-kit/read-connector.ts";
import { addAssociations } from "./read-associations.ts";
import { changeColumn } from "./change-column.ts";
import { findIdFault, toLongId } from "./id.ts";
import { queryRefusal, readQueryPage, requireCounted } from "./query-page.ts";
import { isLocatorGone, queryRequest, sendLocator, sendQuery } from "./query-request.ts";
import { byIdsQuery, countQuery, findReadingFault, recordQuery, sampleQuery, scanQuery } from "./soql.ts";
import { toSourceRecord } from "./source-record.ts";

/** Ids of one query, so that it stays short enough for an address. */
const MAX_IDS = 400;

export function prepareRecordCount(plan: ReadPlan): ProviderRequest {
  const fault = findReadingFault(plan);
  if (fault) throw fault;
  return queryRequest(recordQuery(plan, countQuery(plan)));
}

export async function countRecords(plan: ReadPlan, fetch: ProviderFetch): Promise<number> {
  const fault = findReadingFault(plan);
  if (fault) throw fault;
  const answer = await sendQuery(recordQuery(plan, countQuery(plan)), fetch);
  if (answer.error) throw queryRefusal(answer.error, plan);
  const total = isJsonObject(answer.body) ? answer.body.totalSize : undefined;
  if (typeof total !== "number")
    throw buildBrokenPage("Salesforce's answer is broken: `totalSize` is not a number");
  return total;
}

export async function readRecordSample(
  plan: ReadPlan,
  fetch: ProviderFetch,
): Promise<SourceRecord | undefined> {
  const fault = findReadingFault(plan);
  if (fault) throw fault;
  const answer = await sendQuery(recordQuery(plan, sampleQuery(plan)), fetch);
  if (answer.error) throw queryRefusal(answer.error, plan);
  const [raw] = readQueryPage(answer.body).records;
  return raw === undefined ? undefined : toSourceRecord(raw, changeColumn(plan.objectName, plan.metadata));
}

export const readRecordsByIds: ReadConnector["readByIds"] = async (plan, ids, fetch) => {
  const fault = findReadingFault(plan);
  if (fault) throw fault;
  const distinct = [...new Set(ids.filter((id) => !findIdFault(id)).map(toLongId))];
  const column = changeColumn(plan.objectName, plan.metadata);
  const found: SourceRecord[] = [];
  for (let start = 0; start < distinct.length; start += MAX_IDS) {
    const wanted = distinct.slice(start, start + MAX_IDS);
    const answer = await sendQuery(recordQuery(plan, byIdsQuery(plan, wanted)), fetch);
    if (answer.error) throw queryRefusal(answer.error, plan);
    let page = readQueryPage(answer.body);
    let before = found.length;
    // Wide records come in small pages, at least one record each.
    for (let pages = 1; pages <= wanted.length; pages++) {
      const records = page.records.map((raw) => toSourceRecord(raw, column));
      await addAssociations(plan, records, fetch);
      found.push(...records);
      requireCounted(page, found.length - before);
      if (page.locator === undefined) break;
      const next = await sendLocator(page.locator, fetch);
      if (next.error && !isLocatorGone(next)) throw next.error;
      // A locator that is gone is replaced by a query for the ids that are left.
      const seen = new Set(found.map(({ id }) => id));
      const left = wanted.filter((id) => !seen.has(id));
      const rest = next.error ? await sendQuery(recordQuery(plan, byIdsQuery(plan, left)), fetch) : next;
      if (rest.error) throw queryRefusal(rest.error, plan);
      if (next.error) before = found.length;
      page = readQueryPage(rest.body);
    }
  }
  return found;
};

export const searchRecords: ReadConnector["search"] = async (plan, fetch) => {
  const fault = findReadingFault(plan);
  if (fault) throw fault;
  const answer = await sendQuery(recordQuery(plan, scanQuery(plan, undefined, plan.pageSize)), fetch);
  if (answer.error) throw queryRefusal(answer.error, plan);
  const { records: raws, locator } = readQueryPage(answer.body);
  const column = changeColumn(plan.objectName, plan.metadata);
  const records = raws.map((raw) => toSourceRecord(raw, column));
  await addAssociations(plan, records, fetch);
  return { records, truncated: locator !== undefined || records.length === plan.pageSize };
};

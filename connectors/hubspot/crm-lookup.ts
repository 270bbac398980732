/** Answers questions about CRM records that need no scan: counts, samples, records by id, searches. */
import { isJsonObject } from "../../ground/json.ts";
import { buildBrokenPage, checkRising } from "../../connector-kit/calls/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ReadConnector, ReadPlan, SourceRecord } from "../../connector-kit/read-connector.ts";
import { buildRefusedField, withRefusedField } from "../../connector-kit/calls/build-refused-field.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { classify } from "./classify.ts";
import { readCrmPage } from "./crm-page.ts";
import { readListing } from "./list-scan.ts";
import { addAssociations } from "./read-associations.ts";
import { isAfter, findReadingFault } from "./read-object.ts";
import {
  isTopLevel,
  MAX_SEARCH_FILTERS,
  chooseProperties,
  SEARCH_LIMIT,
  searchPage,
} from "./read-request.ts";
import { readRecords } from "./read-records.ts";
import { findIdFault } from "./request.ts";

export function prepareCrmCount(plan: ReadPlan): ProviderRequest {
  const fault = findReadingFault(plan.objectName);
  if (fault) throw fault;
  // The time takes one filter. More would be refused, so the count is too high then.
  const filters = plan.filters.slice(0, MAX_SEARCH_FILTERS - 1);
  return searchPage({ plan, filters, properties: [], limit: 1 });
}

export async function countCrm(plan: ReadPlan, fetch: ProviderFetch): Promise<number> {
  const answer = await send(prepareCrmCount(plan), fetch, classify, plan.account);
  if (answer.error) throw answer.error;
  const total = isJsonObject(answer.body) ? answer.body.total : undefined;
  if (typeof total !== "number") throw buildBrokenPage("HubSpot's answer is broken: `total` is not a number");
  return total;
}

/** HubSpot ignores unknown properties, so the fields are compared with the metadata. */
export async function readCrmSample(plan: ReadPlan, fetch: ProviderFetch): Promise<SourceRecord | undefined> {
  const { metadata } = plan;
  const unknown = metadata ? plan.fields.filter((field) => !isKnown(field, metadata.fields)) : [];
  const [first] = unknown;
  if (first !== undefined) {
    const names = unknown.map((name) => `\`${name}\``).join(", ");
    throw buildRefusedField(first, `HubSpot's ${plan.objectName} have no property ${names} in this account`);
  }
  const page = await readCrmPage(
    { ...plan, since: undefined, until: undefined, pageSize: 1 },
    undefined,
    fetch,
  );
  await addAssociations(plan, page.records, fetch);
  return page.records[0];
}

const isKnown = (name: string, fields: object): boolean =>
  isTopLevel(name) || Object.hasOwn(fields, name) || Object.hasOwn(fields, name.toLowerCase());

export const readCrmByIds: ReadConnector["readByIds"] = async (plan, ids, fetch) => {
  const fault = findReadingFault(plan.objectName);
  if (fault) throw fault;
  const wanted = [...new Set(ids)].filter((id) => !findIdFault(id)).map((id) => ({ id }));
  const records = await readRecords(plan, wanted, chooseProperties(plan, []), fetch);
  await addAssociations(plan, records, fetch);
  return records;
};

export const searchCrm: ReadConnector["search"] = async (plan, fetch) => {
  const fault = findReadingFault(plan.objectName) ?? refuseTooManyFilters(plan);
  if (fault) throw fault;
  const { filters, account } = plan;
  const properties = chooseProperties(plan, []);
  const limit = Math.min(plan.pageSize ?? SEARCH_LIMIT, SEARCH_LIMIT);
  const answer = await send(searchPage({ plan, filters, properties, limit }), fetch, classify, account);
  if (answer.error) {
    throw withRefusedField(
      answer.error,
      filters.map(({ fieldName }) => fieldName),
    );
  }
  const { listed, after } = readListing(answer.body, plan.objectName);
  checkRising(listed, undefined, isAfter);
  await addAssociations(plan, listed, fetch);
  return { records: listed, truncated: after !== undefined };
};

function refuseTooManyFilters({ since, until, filters }: ReadPlan): ProviderError | undefined {
  const count = filters.length + (since || until ? 1 : 0);
  if (count <= MAX_SEARCH_FILTERS) return undefined;
  const message = `HubSpot compares at most ${MAX_SEARCH_FILTERS} fields in one search, and this one has ${count}`;
  return new ProviderError({ kind: "invalid", message });
}

// CRM search: filter groups, one sort, paging up to 10,000 results.

import { asData, asList, asText, type SandboxAnswer, type Data } from "../exchange.ts";
import type { Selection } from "../records/record-table.ts";
import type { Router } from "../router.ts";
import type { TypeStore } from "./account.ts";
import { readTexts } from "./batch.ts";
import { refuseInvalid } from "./errors.ts";
import type { AccountSource } from "./objects.ts";
import { parseObject, buildPresenter } from "./record-writes.ts";
import { compareValues, buildFilterTest, type Bounds, type RecordTest } from "./search-filter.ts";
import type { StoredRecord } from "./stored-record.ts";

const MAX_RESULTS = 10_000;
const MAX_PER_PAGE = 200;
const MAX_QUERY_CHARACTERS = 3000;

export function addSearchRoutes(router: Router, account: AccountSource): void {
  router.add("POST", "/crm/v3/objects/:type/search", (exchange) =>
    search(account().get(exchange.params["type"] ?? ""), parseObject(exchange.body)),
  );
}

function search(store: TypeStore, body: Data): SandboxAnswer {
  const limit = body["limit"] === undefined ? 10 : Number(body["limit"]);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PER_PAGE) {
    throw refuseInvalid(`limit must be between 1 and ${MAX_PER_PAGE}`);
  }
  const after = asText(body["after"]) ?? "0";
  if (after !== "" && !/^\d+$/.test(after)) {
    throw refuseInvalid(`Cannot deserialize value of type int from String "${after}"`);
  }
  const start = Number(after);
  if (start + limit > MAX_RESULTS) throw refuseInvalid("Paging through results is limited to 10000 results");
  const selection = buildSelection(store, body);
  const names = readTexts(body["properties"]);
  const show = buildPresenter(store, names.length === 0 ? undefined : names);
  const total = store.table.count(selection);
  const page = total === 0 ? [] : sortPage(store, selection, asList(body["sorts"])[0], start, limit);
  const next = start + page.length;
  const paging = next < total && page.length > 0 ? { paging: { next: { after: String(next) } } } : {};
  return { status: 200, body: { total, results: page.map((record) => show(record)), ...paging } };
}

/** Sorts a page. Without a sort, the results are in the order of their ids. */
function sortPage(
  store: TypeStore,
  selection: Selection<StoredRecord>,
  sort: unknown,
  start: number,
  limit: number,
): StoredRecord[] {
  const order = sort === undefined ? undefined : chooseOrder(store, sort);
  if (order !== undefined) {
    return [...store.table.select(selection)].toSorted(order).slice(start, start + limit);
  }
  const page: StoredRecord[] = [];
  let passed = 0;
  for (const record of store.table.select(selection)) {
    if (passed++ >= start) page.push(record);
    if (page.length === limit) break;
  }
  return page;
}

/** Chooses the order; undefined for that which the records have anyway. */
function chooseOrder(
  store: TypeStore,
  sort: unknown,
): ((a: StoredRecord, b: StoredRecord) => number) | undefined {
  const name = (asText(asData(sort)["propertyName"]) ?? asText(sort) ?? "").toLowerCase();
  const property = store.properties.get(name);
  if (property === undefined)
    throw refuseInvalid(`There was a problem with the request: property ${name} does not exist`);
  const sign = asText(asData(sort)["direction"]) === "DESCENDING" ? -1 : 1;
  if (name === "hs_object_id" && sign === 1) return undefined;
  return (a, b) => {
    const [one, other] = [a.properties[property.name], b.properties[property.name]];
    if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? 1 : -1;
    return sign * compareValues(property, one, other) || a.key - b.key;
  };
}

function buildSelection(store: TypeStore, body: Data): Selection<StoredRecord> {
  const groups = asList(body["filterGroups"]).map((group) => asList(asData(group)["filters"]));
  if (groups.length > 5) throw refuseInvalid("The maximum number of filterGroups is 5");
  if (groups.some((filters) => filters.length > 6) || groups.flat().length > 18) {
    throw refuseInvalid("Too many filters: at most 6 per group and 18 in all");
  }
  // Filters without a group form one group.
  if (groups.length === 0 && Array.isArray(body["filters"])) groups.push(asList(body["filters"]));
  const tests = groups.map((filters) => filters.map((filter) => buildFilterTest(store, asData(filter))));
  const query = (asText(body["query"]) ?? "").trim().toLowerCase();
  if (query.length > MAX_QUERY_CHARACTERS) throw refuseInvalid("The query is limited to 3000 characters");
  const view = store.index.view();
  const [group] = tests;
  if (group !== undefined && tests.length === 1 && query === "") return { ...findBounds(group), view };
  if (tests.length === 0 && query === "") return { view };
  const passes = (record: StoredRecord): boolean =>
    (tests.length === 0 || tests.some((one) => one.every((test) => test.passes(record)))) &&
    (query === "" || mentionsQuery(record, query));
  return { test: { name: JSON.stringify([groups, query]), passes }, view };
}

function mentionsQuery(record: StoredRecord, query: string): boolean {
  for (const name in record.properties) {
    if (record.properties[name]?.toLowerCase().includes(query) === true) return true;
  }
  return false;
}

/** Separates the bounds of id and change time, which the table applies, from the other filters, which become one test. */
function findBounds(tests: RecordTest[]): Selection<StoredRecord> {
  const selection: Selection<StoredRecord> = {};
  for (const { bounds } of tests) if (bounds !== undefined) narrow(selection, bounds);
  const others = tests.filter((test) => test.bounds === undefined || !test.exact);
  if (others.length === 0) return selection;
  const passes = (record: StoredRecord): boolean => others.every((test) => test.passes(record));
  // Within bounds of ids there are few generated records to test, so caching is not worth it.
  const few = selection.throughKey !== undefined;
  const name = few ? {} : { name: others.map((test) => test.name).join("&") };
  return { ...selection, test: { ...name, passes } };
}

function narrow(selection: Selection<StoredRecord>, bounds: Bounds): void {
  for (const name of ["afterKey", "changedFrom"] as const) {
    const value = bounds[name];
    if (value !== undefined) selection[name] = Math.max(selection[name] ?? value, value);
  }
  for (const name of ["throughKey", "changedTo"] as const) {
    const value = bounds[name];
    if (value !== undefined) selection[name] = Math.min(selection[name] ?? value, value);
  }
}

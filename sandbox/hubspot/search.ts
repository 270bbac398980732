// CRM search: filter groups, one sort, paging up to 10,000 results.

import { asData, asList, asText, type SandboxAnswer, type Data } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { StoredRecord, TypeStore } from "./account.ts";
import { textsOf } from "./batch.ts";
import { invalid } from "./errors.ts";
import type { AccountSource } from "./objects.ts";
import type { Property } from "./property-definitions.ts";
import { objectBody, presentNamed } from "./record-writes.ts";

type Test = (record: StoredRecord) => boolean;

const MOST_RESULTS = 10_000;
const MOST_PER_PAGE = 200;

export function addSearchRoutes(router: Router, account: AccountSource): void {
  router.add("POST", "/crm/v3/objects/:type/search", (exchange) =>
    search(account().get(exchange.params["type"] ?? ""), objectBody(exchange.body)),
  );
}

function search(store: TypeStore, body: Data): SandboxAnswer {
  const limit = body["limit"] === undefined ? 10 : Number(body["limit"]);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_PER_PAGE) {
    throw invalid(`limit must be between 1 and ${MOST_PER_PAGE}`);
  }
  const after = asText(body["after"]) ?? "0";
  if (after !== "" && !/^\d+$/.test(after)) {
    throw invalid(`Cannot deserialize value of type int from String "${after}"`);
  }
  const start = Number(after);
  if (start + limit > MOST_RESULTS) throw invalid("Paging through results is limited to 10000 results");
  const test = testOf(store, body);
  const found: StoredRecord[] = [];
  for (const record of store.records.values()) if (!record.archived && test(record)) found.push(record);
  sortBy(store, found, asList(body["sorts"])[0]);
  const names = textsOf(body["properties"]);
  const page = found.slice(start, start + limit);
  const results = page.map((record) => presentNamed(store, record, names.length === 0 ? undefined : names));
  const next = start + page.length;
  const paging = next < found.length && page.length > 0 ? { paging: { next: { after: String(next) } } } : {};
  return { status: 200, body: { total: found.length, results, ...paging } };
}

function testOf(store: TypeStore, body: Data): Test {
  const groups = asList(body["filterGroups"]).map((group) => asList(asData(group)["filters"]));
  if (groups.length > 5) throw invalid("The maximum number of filterGroups is 5");
  if (groups.some((filters) => filters.length > 6) || groups.flat().length > 18) {
    throw invalid("Too many filters: at most 6 per group and 18 in all");
  }
  // Filters without a group are one group.
  if (groups.length === 0 && Array.isArray(body["filters"])) groups.push(asList(body["filters"]));
  const tests = groups.map((filters) => filters.map((filter) => filterTest(store, asData(filter))));
  const query = (asText(body["query"]) ?? "").trim().toLowerCase();
  return (record) =>
    (tests.length === 0 || tests.some((group) => group.every((test) => test(record)))) &&
    (query === "" || Object.values(record.properties).some((value) => value.toLowerCase().includes(query)));
}

function filterTest(store: TypeStore, filter: Data): Test {
  const name = (asText(filter["propertyName"]) ?? "").toLowerCase();
  const property = store.properties.get(name);
  if (property === undefined) {
    throw invalid(`There was a problem with the request: property ${name} does not exist`);
  }
  const operator = asText(filter["operator"]) ?? "";
  const value = asText(filter["value"]) ?? "";
  const values = textsOf(filter["values"]);
  const of = (record: StoredRecord): string | undefined => record.properties[property.name];
  const order = (record: StoredRecord, other: string): number | undefined => {
    const own = of(record);
    return own === undefined ? undefined : compare(property, own, other);
  };
  if (needsValue(operator) && asText(filter["value"]) === undefined)
    throw invalid(`operator ${operator} requires a value`);
  switch (operator) {
    case "EQ":
      return (record) => order(record, value) === 0;
    case "NEQ":
      return (record) => order(record, value) !== 0;
    case "LT":
      return (record) => (order(record, value) ?? 0) < 0;
    case "LTE":
      return (record) => (order(record, value) ?? 1) <= 0;
    case "GT":
      return (record) => (order(record, value) ?? 0) > 0;
    case "GTE":
      return (record) => (order(record, value) ?? -1) >= 0;
    case "BETWEEN": {
      const high = asText(filter["highValue"]) ?? "";
      return (record) => (order(record, value) ?? -1) >= 0 && (order(record, high) ?? 1) <= 0;
    }
    case "IN":
      return (record) => values.some((one) => order(record, one) === 0);
    case "NOT_IN":
      return (record) => of(record) !== undefined && !values.some((one) => order(record, one) === 0);
    case "HAS_PROPERTY":
      return (record) => of(record) !== undefined;
    case "NOT_HAS_PROPERTY":
      return (record) => of(record) === undefined;
    case "CONTAINS_TOKEN":
      return (record) => containsToken(of(record), value);
    case "NOT_CONTAINS_TOKEN":
      return (record) => !containsToken(of(record), value);
    default:
      throw invalid(`Invalid input JSON: operator ${operator} is not one of the allowed operators`);
  }
}

function needsValue(operator: string): boolean {
  return ["EQ", "NEQ", "LT", "LTE", "GT", "GTE", "BETWEEN", "CONTAINS_TOKEN", "NOT_CONTAINS_TOKEN"].includes(
    operator,
  );
}

/** Compares numbers by size, times as ISO or epoch milliseconds, text case-insensitively. */
function compare(property: Property, own: string, other: string): number {
  if (property.type === "number") return Number(own) - Number(other);
  if (property.type === "datetime" || property.type === "date") return instant(own) - instant(other);
  const [a, b] = [own.toLowerCase(), other.toLowerCase()];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function instant(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Date.parse(text);
}

/** Matches whole words, with `*` for any characters. */
function containsToken(own: string | undefined, wanted: string): boolean {
  if (own === undefined) return false;
  const pattern = wanted
    .toLowerCase()
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "\\S*");
  return new RegExp(`(^|[\\s@.,;-])${pattern}($|[\\s@.,;-])`).test(own.toLowerCase());
}

function sortBy(store: TypeStore, records: StoredRecord[], sort: unknown): void {
  // Without a sort, newest first.
  if (sort === undefined) {
    records.reverse();
    return;
  }
  const name = (asText(asData(sort)["propertyName"]) ?? asText(sort) ?? "").toLowerCase();
  const property = store.properties.get(name);
  if (property === undefined)
    throw invalid(`There was a problem with the request: property ${name} does not exist`);
  const sign = asText(asData(sort)["direction"]) === "DESCENDING" ? -1 : 1;
  records.sort((a, b) => {
    const [one, other] = [a.properties[property.name], b.properties[property.name]];
    if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? 1 : -1;
    return sign * compare(property, one, other);
  });
}

// Filters of a CRM search: the test of each, and the bounds that the record table can apply itself.

import { asText, type Data } from "../exchange.ts";
import type { TypeStore } from "./account.ts";
import { readTexts } from "./batch.ts";
import { refuseInvalid } from "./errors.ts";
import type { Property } from "./property-definitions.ts";
import { parseInstant } from "./values.ts";
import type { StoredRecord } from "./stored-record.ts";

/** Bounds of the id and the change time, which the record table applies itself. */
export type Bounds = { afterKey?: number; throughKey?: number; changedFrom?: number; changedTo?: number };

/** Test of a record with bounds that hold for every passing record; `exact` bounds make the test unnecessary. */
export type RecordTest = {
  name: string;
  passes(record: StoredRecord): boolean;
  bounds?: Bounds;
  exact: boolean;
};

/** Builds the test of a filter. Throws HubSpot's refusal of an unknown property, operator or value. */
export function buildFilterTest(store: TypeStore, filter: Data): RecordTest {
  const { property, operator, value, passes } = readFilter(store, filter);
  const high = asText(filter["highValue"]) ?? "";
  const name = JSON.stringify(filter);
  if (property.name === "hs_object_id") {
    const bounds = buildIdBounds(operator, value, high, readTexts(filter["values"]));
    return { name, passes, ...(bounds === undefined ? {} : { bounds }), exact: operator !== "IN" };
  }
  const bounds =
    property.name === store.type.modifiedProperty ? buildTimeBounds(operator, value, high) : undefined;
  return { name, passes, ...(bounds === undefined ? {} : { bounds }), exact: true };
}

function buildIdBounds(operator: string, value: string, high: string, values: string[]): Bounds | undefined {
  const before = Math.ceil(Number(value)) - 1;
  const through = Math.floor(Number(value));
  switch (operator) {
    case "EQ":
      return { afterKey: before, throughKey: through };
    case "GT":
      return { afterKey: through };
    case "GTE":
      return { afterKey: before };
    case "LT":
      return { throughKey: before };
    case "LTE":
      return { throughKey: through };
    case "BETWEEN":
      return { afterKey: before, throughKey: Math.floor(Number(high)) };
    case "IN": {
      const keys = values.map(Number);
      return { afterKey: Math.min(...keys) - 1, throughKey: Math.max(...keys) };
    }
    default:
      return undefined;
  }
}

function buildTimeBounds(operator: string, value: string, high: string): Bounds | undefined {
  const at = parseInstant(value);
  switch (operator) {
    case "EQ":
      return { changedFrom: at, changedTo: at };
    case "GT":
      return { changedFrom: at + 1 };
    case "GTE":
      return { changedFrom: at };
    case "LT":
      return { changedTo: at - 1 };
    case "LTE":
      return { changedTo: at };
    case "BETWEEN":
      return { changedFrom: at, changedTo: parseInstant(high) };
    default:
      return undefined;
  }
}

type Passes = (record: StoredRecord) => boolean;

function readFilter(
  store: TypeStore,
  filter: Data,
): { property: Property; operator: string; value: string; passes: Passes } {
  const name = (asText(filter["propertyName"]) ?? "").toLowerCase();
  const property = store.properties.get(name);
  if (property === undefined || property.archived) {
    throw refuseInvalid(`There was a problem with the request: property ${name} does not exist`);
  }
  const operator = asText(filter["operator"]) ?? "";
  const value = asText(filter["value"]) ?? "";
  if (needsValue(operator) && asText(filter["value"]) === undefined)
    throw refuseInvalid(`operator ${operator} requires a value`);
  const given = [filter["value"], filter["highValue"]].flatMap((item) => asText(item) ?? []);
  if (operator === "BETWEEN" && given.length < 2)
    throw refuseInvalid("operator BETWEEN requires a highValue");
  for (const text of [...given, ...readTexts(filter["values"])]) checkOperand(property, text);
  return { property, operator, value, passes: buildPasses(property, operator, value, filter) };
}

/** Refuses an unreadable number or time. Times are epoch milliseconds or ISO. */
function checkOperand(property: Property, text: string): void {
  const time = property.type === "datetime" || property.type === "date";
  const readable = time
    ? !Number.isNaN(parseInstant(text))
    : property.type !== "number" || Number.isFinite(Number(text));
  if (!readable) {
    throw refuseInvalid(
      `There was a problem with the request: ${text} is not a valid ${property.type} for ${property.name}`,
    );
  }
}

function buildPasses(property: Property, operator: string, value: string, filter: Data): Passes {
  const values = readTexts(filter["values"]);
  const of = (record: StoredRecord): string | undefined => record.properties[property.name];
  const order = (record: StoredRecord, other: string): number | undefined => {
    const own = of(record);
    return own === undefined ? undefined : compareValues(property, own, other);
  };
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
      throw refuseInvalid(`Invalid input JSON: operator ${operator} is not one of the allowed operators`);
  }
}

function needsValue(operator: string): boolean {
  return ["EQ", "NEQ", "LT", "LTE", "GT", "GTE", "BETWEEN", "CONTAINS_TOKEN", "NOT_CONTAINS_TOKEN"].includes(
    operator,
  );
}

/** Compares numbers by size, times as ISO or epoch milliseconds, text without case, and options with case. */
export function compareValues(property: Property, own: string, other: string): number {
  if (property.type === "number") return Number(own) - Number(other);
  if (property.type === "datetime" || property.type === "date")
    return parseInstant(own) - parseInstant(other);
  const exact = property.type === "enumeration";
  const [a, b] = exact ? [own, other] : [own.toLowerCase(), other.toLowerCase()];
  if (a === b) return 0;
  return a < b ? -1 : 1;
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

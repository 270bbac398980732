/** Reads groups of filters in a body, as in HubSpot's searches. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { getValueAt } from "../../../connector-kit/calls/get-text-at.ts";
import type { ListOrder } from "../vendor-order.ts";
import type { VendorRecord } from "../vendor-records.ts";
import type { VendorRequest } from "../vendor-request.ts";
import {
  COMPARE,
  listKnownFields,
  showAsked,
  findTimeField,
  buildTimeTest,
  type Asked,
  type VendorQuery,
} from "./asked.ts";

const SIGNS: Record<string, string> = { GT: ">", GTE: ">=", LT: "<", LTE: "<=", EQ: "=", NEQ: "!=" };
const MEMBERS = new Set(["propertyName", "operator", "value", "highValue", "values"]);

type Test = (record: VendorRecord) => boolean;

class Refusal extends Error {}

/** Returns what a search requests, or why the vendor refuses it. */
export function readFilterGroups(asked: Asked, { body }: VendorRequest): VendorQuery | string {
  const { filterGroups = [], sorts = [] } = isJsonObject(body) ? body : {};
  const { mostGroups = 5, mostFilters = 6 } = asked.fact.language ?? {};
  if (!Array.isArray(filterGroups) || !Array.isArray(sorts)) return "filterGroups and sorts are lists";
  if (filterGroups.length > mostGroups) return `more than ${mostGroups} groups`;
  const bounds: number[] = [];
  try {
    const groups = filterGroups.map((group): Test => {
      const { filters, ...others } = isJsonObject(group) ? group : {};
      if (!Array.isArray(filters) || Object.keys(others).length > 0)
        throw new Refusal("a group has `filters` alone");
      if (filters.length > mostFilters) throw new Refusal(`more than ${mostFilters} filters in a group`);
      const tests = filters.map((filter) => readFilter(asked, filter, bounds));
      return (record) => tests.every((test) => test(record));
    });
    return {
      matches: (record) => groups.length === 0 || groups.some((test) => test(record)),
      order: readOrder(asked, sorts),
      ...(bounds.length > 0 && { boundMs: Math.min(...bounds) }),
    };
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function readFilter(asked: Asked, filter: Json, bounds: number[]): Test {
  const given: JsonObject = isJsonObject(filter) ? filter : {};
  const strange = Object.keys(given).find((name) => !MEMBERS.has(name));
  if (strange !== undefined) throw new Refusal(`filters have no member ${strange}`);
  const { propertyName, operator, value, highValue } = given;
  if (typeof propertyName !== "string" || !listKnownFields(asked).has(propertyName))
    throw new Refusal(`there is no property ${String(propertyName)}`);
  if (typeof operator !== "string" || !asked.fact.language?.operators.includes(operator))
    throw new Refusal(`there is no operator ${String(operator)}`);
  if (operator === "HAS_PROPERTY") return (record) => (readText(asked, record, propertyName) ?? "") !== "";
  if (typeof value !== "string" || (operator === "BETWEEN" && typeof highValue !== "string"))
    throw new Refusal(`${operator} needs a value${operator === "BETWEEN" ? " and a highValue" : ""} as text`);
  if (operator === "BETWEEN") {
    const [low, high] = [
      readFilter(asked, { propertyName, operator: "GTE", value }, bounds),
      readFilter(asked, { propertyName, operator: "LTE", value: highValue ?? "" }, []),
    ];
    return (record) => low(record) && high(record);
  }
  return compileComparison(asked, propertyName, operator, value, bounds);
}

function compileComparison(
  asked: Asked,
  name: string,
  operator: string,
  value: string,
  bounds: number[],
): Test {
  const sign = SIGNS[operator];
  const compare = COMPARE[sign ?? ""];
  if (sign === undefined || !compare) throw new Refusal(`${operator} is not simulated`);
  const time = findTimeField(asked, name);
  if (time) {
    const format = asked.fact.since?.format ?? "unix-ms";
    const test = buildTimeTest(time, sign, value, format);
    if (!test) throw new Refusal(`${name}: ${value} is not a time of the form ${format}`);
    if (time === "changed" && sign.startsWith(">")) bounds.push(Number(value));
    return test;
  }
  if (name === asked.fact.language?.id) return ({ id }) => compare(compareNumbers(id, value));
  return (record) => {
    const own = readText(asked, record, name)?.toLowerCase();
    if (own === undefined) return false;
    const other = value.toLowerCase();
    return compare(own < other ? -1 : own > other ? 1 : 0);
  };
}

/** Compares ids, which are too large for numbers. */
const compareNumbers = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);

function readText(asked: Asked, record: VendorRecord, name: string): string | undefined {
  const value = getValueAt(
    showAsked(asked, record),
    asked.fieldsAt === "" ? name : `${asked.fieldsAt}.${name}`,
  );
  return value === undefined || value === null ? undefined : String(value);
}

function readOrder(asked: Asked, sorts: Json[]): ListOrder {
  const [sort] = sorts;
  if (sort === undefined) return asked.fact.sort?.default ?? "unknown";
  const { propertyName, direction, ...others } = isJsonObject(sort) ? sort : {};
  if (
    typeof propertyName !== "string" ||
    !listKnownFields(asked).has(propertyName) ||
    Object.keys(others).length > 0
  )
    throw new Refusal(`cannot sort by ${JSON.stringify(sort)}`);
  if (direction !== "ASCENDING" && direction !== "DESCENDING")
    throw new Refusal(`sorts have the direction ASCENDING or DESCENDING, not ${String(direction)}`);
  const by = propertyName === asked.fact.language?.id ? "id" : findTimeField(asked, propertyName);
  if (by === undefined) return "other";
  return direction === "DESCENDING" ? `${by}-desc` : by;
}

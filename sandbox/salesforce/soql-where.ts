// Converts the conditions of a query into tests of records.

import { refuse } from "./errors.ts";
import { parseInstant } from "./instant.ts";
import type { Field, Scalar } from "./fields.ts";
import { normalizeId } from "./ids.ts";
import type { StoredRecord } from "./org.ts";
import { describePlace, type Condition, type Literal } from "./soql-parse.ts";
import { resolvePath, getValueAt, type Context, type Path } from "./soql-paths.ts";

type Test = (record: StoredRecord) => boolean;

/** Builds the test of a condition. Throws Salesforce's refusal of an unknown field or a wrong literal. */
export function buildTest(context: Context, condition: Condition): Test {
  if (condition.kind === "not") {
    const inner = buildTest(context, condition.part);
    return (record) => !inner(record);
  }
  if (condition.kind === "and" || condition.kind === "or") {
    const tests = condition.parts.map((part) => buildTest(context, part));
    return condition.kind === "and"
      ? (record) => tests.every((test) => test(record))
      : (record) => tests.some((test) => test(record));
  }
  const path = resolvePath(context, condition.path);
  if (!path.field.filterable) throw refuseFilter(context, path.field);
  for (const value of condition.values) checkLiteral(context, path.field, value);
  return buildCompareTest(
    context,
    path,
    condition.operator,
    condition.values.map((value) => toComparable(path.field, value)),
  );
}

function buildCompareTest(context: Context, path: Path, operator: string, values: Scalar[]): Test {
  const [value = null] = values;
  const stamped = path.steps.length === 0 && path.field.name === "SystemModstamp";
  const own = (record: StoredRecord): Scalar =>
    stamped ? record.updatedAt : normalizeValue(path.field, getValueAt(context, record, path));
  switch (operator) {
    case "=":
      return (record) => own(record) === value;
    case "!=":
      return (record) => own(record) !== value;
    case "IN":
      return (record) => values.includes(own(record));
    case "NOT IN":
      return (record) => !values.includes(own(record));
    case "LIKE": {
      const pattern = toLikePattern(String(value));
      return (record) => typeof own(record) === "string" && pattern.test(String(own(record)));
    }
    case "INCLUDES":
      return (record) => values.some((wanted) => includesAll(own(record), wanted));
    case "EXCLUDES":
      return (record) => !values.some((wanted) => includesAll(own(record), wanted));
    default:
      return (record) => {
        const left = own(record);
        if (left === null || value === null) return false;
        if (operator === "<") return left < value;
        if (operator === ">") return left > value;
        return operator === "<=" ? left <= value : left >= value;
      };
  }
}

function includesAll(own: Scalar, wanted: Scalar): boolean {
  const parts = String(own ?? "").split(";");
  return String(wanted)
    .split(";")
    .every((part) => parts.includes(part));
}

function toLikePattern(text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("%", "[\\s\\S]*").replaceAll("_", "[\\s\\S]")}$`, "i");
}

function refuseFilter(context: Context, field: Field): Error {
  const at = Math.max(0, context.text.indexOf(field.name));
  const what = `field '${field.name}' can not be filtered in a query call`;
  return refuse(400, "INVALID_FIELD", `${describePlace(context.text, at)}\n${what}`);
}

/** Normalizes a value for comparison: text without case, times as milliseconds of whole seconds, ids in their long form. */
export function normalizeValue(field: Field, value: Scalar): Scalar {
  if (value === null || typeof value !== "string") return value;
  if (field.type === "datetime" || field.type === "date")
    return Math.floor(parseInstant(value) / 1000) * 1000;
  return field.type === "id" || field.type === "reference" ? value : value.toLowerCase();
}

function toComparable(field: Field, literal: Literal): Scalar {
  if (literal.kind === "null") return field.type === "boolean" ? false : null;
  if (literal.kind === "number") return literal.number;
  if (literal.kind === "boolean") return literal.boolean;
  if (field.type === "id" || field.type === "reference") return normalizeId(literal.text) ?? literal.text;
  return normalizeValue(field, literal.text);
}

const LITERALS: Record<string, string[]> = {
  boolean: ["boolean"],
  int: ["number"],
  double: ["number"],
  currency: ["number"],
  percent: ["number"],
  date: ["date"],
  datetime: ["datetime"],
};

/** Refuses literals of a wrong type like Salesforce: `Name = 5` and `CreatedDate > '2026…'`. */
function checkLiteral(context: Context, field: Field, literal: Literal): void {
  const expected = LITERALS[field.type] ?? ["string"];
  if (literal.kind === "null" || expected.includes(literal.kind)) return;
  const quotes = expected.includes("string")
    ? "should be enclosed in quotes"
    : "should not be enclosed in quotes";
  const type =
    field.type === "datetime" ? "dateTime" : LITERALS[field.type] === undefined ? "string" : field.type;
  const what = `value of filter criterion for field '${field.name}' must be of type ${type} and ${quotes}`;
  throw refuse(
    400,
    "INVALID_FIELD",
    `${describePlace(context.text, Math.max(0, context.text.indexOf(field.name)))}\n${what}`,
  );
}

// Runs a parsed query over the records: field resolution, conditions, order.

import type { Data } from "../exchange.ts";
import { refuse } from "./errors.ts";
import { instantOf } from "./field-values.ts";
import type { Field, Scalar } from "./fields.ts";
import { normalizeId } from "./ids.ts";
import type { ObjectStore, Org, StoredRecord } from "./org.ts";
import { attributesOf, visibleFields } from "./sobjects.ts";
import { whereabouts, type Condition, type Literal, type Query } from "./soql-parse.ts";

/** A field of the object itself or of a parent: `Account.Name`. */
type Path = { steps: { reference: Field; store: ObjectStore }[]; field: Field };

type Context = { org: Org; store: ObjectStore; text: string };

export type Found = { records: StoredRecord[]; show(record: StoredRecord, version: string): Data };

export function runQuery(org: Org, query: Query, text: string, includeDeleted: boolean): Found {
  const from = query.from.replace(/^.*\./, "");
  const store = org.find(from);
  if (store === undefined) {
    const what = `sObject type '${from}' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.`;
    throw refuse(400, "INVALID_TYPE", `${whereabouts(text, Math.max(0, text.indexOf(from)))}\n${what}`);
  }
  const context = { org, store, text };
  const paths = selectedPaths(context, query);
  const test = query.where === undefined ? () => true : tester(context, query.where);
  const records: StoredRecord[] = [];
  for (const record of candidates(store, query.where)) {
    if ((includeDeleted || !record.deleted) && test(record)) records.push(record);
  }
  order(context, query, records);
  const limited = records.slice(
    query.offset,
    query.limit === undefined ? undefined : query.offset + query.limit,
  );
  return { records: limited, show: (record, version) => shown(context, paths, record, version) };
}

/** Finds records for `Id = …` and `Id IN (…)` without looking at every record. */
function candidates(store: ObjectStore, where: Condition | undefined): Iterable<StoredRecord> {
  const ids = idsOf(where);
  if (ids === undefined) return store.records.values();
  return [...new Set(ids)].flatMap((id) => store.records.get(id) ?? []);
}

function idsOf(where: Condition | undefined): string[] | undefined {
  if (where === undefined || where.kind === "or" || where.kind === "not") return undefined;
  if (where.kind === "and") return where.parts.map((part) => idsOf(part)).find((ids) => ids !== undefined);
  if (where.path.toLowerCase() !== "id" || (where.operator !== "=" && where.operator !== "IN"))
    return undefined;
  return where.values.flatMap((value) => (value.kind === "string" ? (normalizeId(value.text) ?? []) : []));
}

function selectedPaths(context: Context, query: Query): Path[] {
  return query.select.flatMap((item) => {
    if (!item.startsWith("FIELDS(")) return [resolve(context, item)];
    if (item !== "FIELDS(STANDARD)" && (query.limit === undefined || query.limit > 200)) {
      throw refuse(400, "MALFORMED_QUERY", `The SOQL ${item} function must have a LIMIT of at most 200`);
    }
    const fields = visibleFields(context.store).filter(
      (field) => item === "FIELDS(ALL)" || field.custom === (item === "FIELDS(CUSTOM)"),
    );
    return fields.map((field) => ({ steps: [], field }));
  });
}

function resolve(context: Context, text: string): Path {
  const parts = text.split(".");
  // The object's own name may be the prefix.
  if (parts.length > 1 && parts[0]?.toLowerCase() === context.store.definition.name.toLowerCase())
    parts.shift();
  const steps: Path["steps"] = [];
  let { store } = context;
  for (const part of parts.slice(0, -1)) {
    const reference = visibleFields(store).find(
      (field) => field.relationshipName?.toLowerCase() === part.toLowerCase(),
    );
    const next = context.org.find(reference?.referenceTo[0] ?? "");
    if (reference === undefined || next === undefined) throw noColumn(context, store, part, "relationship");
    steps.push({ reference, store: next });
    store = next;
  }
  const field = store.find(parts.at(-1) ?? "");
  if (field === undefined) throw noColumn(context, store, parts.at(-1) ?? "", "column");
  return { steps, field };
}

function noColumn(
  context: Context,
  store: ObjectStore,
  name: string,
  kind: "column" | "relationship",
): Error {
  const at = Math.max(0, context.text.indexOf(name));
  const what = `No such ${kind === "column" ? "column" : "relation"} '${name}' on entity '${store.definition.name}'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.`;
  return refuse(400, "INVALID_FIELD", `${whereabouts(context.text, at)}\n${what}`);
}

function valueAt(record: StoredRecord, path: Path): Scalar {
  let current = record;
  for (const { reference, store } of path.steps) {
    const parent = store.records.get(String(current.values[reference.name] ?? ""));
    if (parent === undefined) return null;
    current = parent;
  }
  return current.values[path.field.name] ?? null;
}

function shown(context: Context, paths: Path[], record: StoredRecord, version: string): Data {
  const body: Data = { attributes: attributesOf(context.store, record, version) };
  for (const path of paths) {
    let target = body;
    let current: StoredRecord | undefined = record;
    for (const { reference, store } of path.steps) {
      const name = reference.relationshipName ?? reference.name;
      current = store.records.get(String(current.values[reference.name] ?? ""));
      if (current === undefined) {
        target[name] = null;
        break;
      }
      const present = target[name];
      const parent: Data =
        typeof present === "object" && present !== null
          ? { ...present }
          : { attributes: attributesOf(store, current, version) };
      target[name] = parent;
      target = parent;
    }
    if (current !== undefined) target[path.field.name] = current.values[path.field.name] ?? null;
  }
  return body;
}

type Test = (record: StoredRecord) => boolean;

function tester(context: Context, condition: Condition): Test {
  if (condition.kind === "not") {
    const inner = tester(context, condition.part);
    return (record) => !inner(record);
  }
  if (condition.kind === "and" || condition.kind === "or") {
    const tests = condition.parts.map((part) => tester(context, part));
    return condition.kind === "and"
      ? (record) => tests.every((test) => test(record))
      : (record) => tests.some((test) => test(record));
  }
  const path = resolve(context, condition.path);
  for (const value of condition.values) checkLiteral(context, path.field, value);
  return compareTest(
    path,
    condition.operator,
    condition.values.map((value) => comparable(path.field, value)),
  );
}

function compareTest(path: Path, operator: string, values: Scalar[]): Test {
  const [value = null] = values;
  const own = (record: StoredRecord): Scalar => normal(path.field, valueAt(record, path));
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
      const pattern = likePattern(String(value));
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

function likePattern(text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("%", "[\\s\\S]*").replaceAll("_", "[\\s\\S]")}$`, "i");
}

/** Text without case, times as milliseconds, ids in their long form. */
function normal(field: Field, value: Scalar): Scalar {
  if (value === null || typeof value !== "string") return value;
  if (field.type === "datetime" || field.type === "date") return instantOf(value);
  return field.type === "id" || field.type === "reference" ? value : value.toLowerCase();
}

function comparable(field: Field, literal: Literal): Scalar {
  if (literal.kind === "null") return field.type === "boolean" ? false : null;
  if (literal.kind === "number") return literal.number;
  if (literal.kind === "boolean") return literal.boolean;
  if (field.type === "id" || field.type === "reference") return normalizeId(literal.text) ?? literal.text;
  return normal(field, literal.text);
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

/** Salesforce refuses `Name = 5` and `CreatedDate > '2026…'`. */
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
    `${whereabouts(context.text, Math.max(0, context.text.indexOf(field.name)))}\n${what}`,
  );
}

function order(context: Context, query: Query, records: StoredRecord[]): void {
  const rules = query.order.map((one) => ({ ...one, resolved: resolve(context, one.path) }));
  if (rules.length === 0) return;
  records.sort((a, b) => {
    for (const { resolved, descending, nullsLast } of rules) {
      const left = normal(resolved.field, valueAt(a, resolved));
      const right = normal(resolved.field, valueAt(b, resolved));
      if (left === right) continue;
      if (left === null || right === null) return (left === null) === nullsLast ? 1 : -1;
      return left < right === descending ? 1 : -1;
    }
    return 0;
  });
}

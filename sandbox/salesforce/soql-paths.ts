// Field paths of a query: what they name, and their values for a record.

import type { Data } from "../exchange.ts";
import { refuse } from "./errors.ts";
import type { Field, Scalar } from "./fields.ts";
import type { ObjectStore, Org, StoredRecord } from "./org.ts";
import { buildAttributes, showValue, computeValue, listVisibleFields } from "./sobjects.ts";
import { describePlace, type Query } from "./soql-parse.ts";

/** Field of the object itself or of a parent: `Account.Name`. */
export type Path = { steps: { reference: Field; store: ObjectStore }[]; field: Field };

export type Context = { org: Org; store: ObjectStore; text: string };

const MAX_LEVELS = 5;

export function resolvePaths(context: Context, query: Query): Path[] {
  return query.select.flatMap((item) => {
    if (!item.startsWith("FIELDS(")) return [resolvePath(context, item)];
    if (item !== "FIELDS(STANDARD)" && (query.limit === undefined || query.limit > 200)) {
      throw refuse(400, "MALFORMED_QUERY", `The SOQL ${item} function must have a LIMIT of at most 200`);
    }
    const fields = listVisibleFields(context.store).filter(
      (field) => item === "FIELDS(ALL)" || field.custom === (item === "FIELDS(CUSTOM)"),
    );
    return fields.map((field) => ({ steps: [], field }));
  });
}

/** Resolves a path. Throws Salesforce's refusal of a name that is unknown, or hidden from the user. */
export function resolvePath(context: Context, text: string): Path {
  const parts = text.split(".");
  // The object's own name may be a prefix.
  if (parts.length > 1 && parts[0]?.toLowerCase() === context.store.definition.name.toLowerCase())
    parts.shift();
  if (parts.length > MAX_LEVELS + 1) {
    throw refuse(400, "INVALID_FIELD", `${text}: relationship paths have at most ${MAX_LEVELS} levels`);
  }
  const steps: Path["steps"] = [];
  let { store } = context;
  for (const part of parts.slice(0, -1)) {
    const reference = listVisibleFields(store).find(
      (field) => field.relationshipName?.toLowerCase() === part.toLowerCase(),
    );
    const next = context.org.find(reference?.referenceTo[0] ?? "");
    if (reference === undefined || next === undefined)
      throw refuseUnknownColumn(context, store, part, "relationship");
    steps.push({ reference, store: next });
    store = next;
  }
  const field = store.find(parts.at(-1) ?? "");
  if (field === undefined) throw refuseUnknownColumn(context, store, parts.at(-1) ?? "", "column");
  return { steps, field };
}

function refuseUnknownColumn(
  context: Context,
  store: ObjectStore,
  name: string,
  kind: "column" | "relationship",
): Error {
  const at = Math.max(0, context.text.indexOf(name));
  const what = `No such ${kind === "column" ? "column" : "relation"} '${name}' on entity '${store.definition.name}'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.`;
  return refuse(400, "INVALID_FIELD", `${describePlace(context.text, at)}\n${what}`);
}

export function getValueAt(context: Context, record: StoredRecord, path: Path): Scalar {
  let current = record;
  for (const { reference, store } of path.steps) {
    const parent = store.peek(String(current.values[reference.name] ?? ""));
    if (parent === undefined) return null;
    current = parent;
  }
  return computeValue(context.org, path.field, current);
}

export function showFields(context: Context, paths: Path[], record: StoredRecord, version: string): Data {
  const body: Data = { attributes: buildAttributes(context.store, record, version) };
  for (const path of paths) {
    if (path.steps.length === 0) body[path.field.name] = showValue(context.org, path.field, record);
    else showParent(context, path, record, body, version);
  }
  return body;
}

function showParent(context: Context, path: Path, record: StoredRecord, body: Data, version: string): void {
  let target = body;
  let current = record;
  for (const { reference, store } of path.steps) {
    const name = reference.relationshipName ?? reference.name;
    const next = store.peek(String(current.values[reference.name] ?? ""));
    if (next === undefined) {
      target[name] = null;
      return;
    }
    const present = target[name];
    const parent: Data =
      typeof present === "object" && present !== null
        ? { ...present }
        : { attributes: buildAttributes(store, next, version) };
    target[name] = parent;
    target = parent;
    current = next;
  }
  target[path.field.name] = showValue(context.org, path.field, current);
}

/** Names the wanted fields in a request, for providers that return only those. */
import { parseFieldPath } from "../../ground/field-path.ts";
import { getValueAt } from "../calls/get-text-at.ts";
import type { SourceRecord } from "../read-connector.ts";
import type { ObjectPlan } from "./object-plan.ts";
import { put, withQuery, type RequestParts } from "./request-parts.ts";

/** Adds the names of the fields to the request. Nothing is added where the provider returns all fields anyway. */
export function putSelected(parts: RequestParts, plan: ObjectPlan, fields: readonly string[]): void {
  const [place, ...path] = (plan.select?.to ?? "").split(".");
  const name = path.join(".");
  const listed = place === "body" ? getValueAt(parts.body, name) : plan.list?.query?.[name];
  putNames(
    parts,
    plan,
    plan.select?.optional ? addOptional(plan, listed, fields) : nameKnown(plan, listed, fields),
  );
}

/** Returns what the list names itself, and the wanted ones of the optional fields. */
function addOptional({ select }: ObjectPlan, listed: unknown, fields: readonly string[]): string[] {
  const wanted = new Set(fields.map(getTopName));
  const always = typeof listed === "string" ? [listed] : [];
  return [...always, ...(select?.optional ?? []).filter((field) => wanted.has(field))];
}

/** Returns the names that one request may have; none where the list names all known fields and none is wanted alone. */
const nameKnown = (plan: ObjectPlan, listed: unknown, fields: readonly string[]): string[] =>
  listed !== undefined && fields.length === 0 ? [] : (groupSelectedFields(plan, fields)[0] ?? []);

export function putNames(parts: RequestParts, { select }: ObjectPlan, names: string[]): void {
  if (!select || names.length === 0) return;
  put(parts, select.to, select.to.startsWith("body.") ? names : names.join(select.separator ?? ","));
}

/** Returns the path of a single record with the names of the fields in its query. */
export function selectFieldsInPath(path: string, plan: ObjectPlan, fields: readonly string[]): string {
  const parts: RequestParts = { query: [], body: {} };
  // More names than one request may have: without any, a single record has all its fields.
  if (groupSelectedFields(plan, fields).length <= 1) putSelected(parts, plan, fields);
  return withQuery(path, parts.query);
}

/** Returns the names of the fields in groups that one request may name: id and time of the last change first, and the id in each. */
export function groupSelectedFields(plan: ObjectPlan, fields: readonly string[]): string[][] {
  if (!plan.select) return [];
  const names = listSelectedNames(plan, fields);
  const { most = Number.POSITIVE_INFINITY } = plan.select;
  if (names.length <= most) return [names];
  const beside = listBesideFields(plan);
  const [id = ""] = beside;
  const rest = names.filter((name) => !beside.includes(name));
  const first = most - beside.length;
  const groups = [[...beside, ...rest.slice(0, first)]];
  for (let start = first; start < rest.length; start += most - 1)
    groups.push([id, ...rest.slice(start, start + most - 1)]);
  return groups;
}

const listBesideFields = ({ idPath, changedPath }: ObjectPlan): string[] => [
  ...new Set([idPath, changedPath].flatMap((path) => path?.split(".")[0] ?? [])),
];

/** Id and time of the last change are members of the record beside flattened fields, and cannot be named there. */
function listSelectedNames(plan: ObjectPlan, fields: readonly string[]): string[] {
  const names = new Set(fields.map(getTopName));
  for (const name of listBesideFields(plan))
    if (plan.flatten === undefined) names.add(name);
    else names.delete(name);
  return [...names];
}

const getTopName = (name: string): string => {
  const path = parseFieldPath(name);
  return "steps" in path ? (path.steps[0] ?? name) : name;
};

/**
 * Sets named fields that a record does not have to `null`, where the provider leaves out those without a value, and the account may rename
 * fields: only for fields that another record has. One that was renamed is in no record, and `null` would wipe what a receiver has of it.
 * `known` are those that pages before had; without it, `readOthers` is asked where these records do not have all the fields. Returns the
 * fields that are known now, too, unless there is no such rule, or no record.
 */
export async function setEmptyToNull(
  { emptyLeftOut }: ObjectPlan,
  { fields, known }: { fields: readonly string[]; known?: readonly string[] | undefined },
  records: SourceRecord[],
  readOthers: () => Promise<SourceRecord[]>,
): Promise<{ records: SourceRecord[]; known?: readonly string[] | undefined }> {
  if (!emptyLeftOut || records.length === 0) return { records, known };
  const names = [...new Set(fields.map(getTopName))];
  const areAll = names.every((name) => isInAny(records, name));
  const others = areAll || known ? [] : await readOthers();
  const found = names.filter(
    (name) => known?.includes(name) || isInAny(records, name) || isInAny(others, name),
  );
  const empty = Object.fromEntries(found.map((name) => [name, null]));
  const filled = records.map((record) => ({ ...record, values: { ...empty, ...record.values } }));
  return { records: filled, known: found };
}

const isInAny = (records: SourceRecord[], name: string): boolean =>
  records.some(({ values }) => Object.hasOwn(values, name));

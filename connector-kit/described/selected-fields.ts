/** Names the wanted fields in a request, for providers that return only those. */
import { parseFieldPath } from "../../ground/field-path.ts";
import type { ObjectPlan } from "./object-plan.ts";
import { put, withQuery, type RequestParts } from "./request-parts.ts";

/** Adds the names of the fields. Nothing is added where the provider returns all fields anyway. */
export function putSelected(parts: RequestParts, plan: ObjectPlan, fields: readonly string[]): void {
  const { select } = plan;
  const names = select ? selectedNames(plan, fields) : [];
  if (!select || names.length === 0) return;
  put(parts, select.to, select.to.startsWith("body.") ? names : names.join(select.separator ?? ","));
}

/** Returns the path of a single record with the names of the fields in its query. */
export function selectingPath(path: string, plan: ObjectPlan, fields: readonly string[]): string {
  const parts: RequestParts = { query: [], body: {} };
  putSelected(parts, plan, fields);
  return withQuery(path, parts.query);
}

/** Id and time of the last change are members of the record beside flattened fields, and cannot be named there. */
function selectedNames({ flatten, idPath, changedPath }: ObjectPlan, fields: readonly string[]): string[] {
  const beside = [idPath, changedPath].flatMap((path) => path?.split(".")[0] ?? []);
  const names = new Set(fields.map(topName));
  for (const name of beside)
    if (flatten === undefined) names.add(name);
    else names.delete(name);
  return [...names];
}

const topName = (name: string): string => {
  const path = parseFieldPath(name);
  return "steps" in path ? (path.steps[0] ?? name) : name;
};

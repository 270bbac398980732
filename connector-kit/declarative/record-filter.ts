/** Compares records with the bounds and filters of a read. */
import { parseFieldPath } from "../../ground/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { ReadPlan, SourceRecord } from "../read-connector.ts";

/** Bounds and filters hold here as well: not every list knows them. */
export function matchesPlan(
  { changeTime, values }: SourceRecord,
  { since, until, filters }: ReadPlan,
): boolean {
  if (changeTime && since && changeTime < since) return false;
  if (changeTime && until && changeTime > until) return false;
  return filters.every(({ fieldName, value }) => isEqual(readValue(values, fieldName), value));
}

/** Custom fields within a member are named by a path. */
function readValue(values: JsonObject, fieldName: string): Json | undefined {
  const path = parseFieldPath(fieldName);
  if (!("steps" in path)) return values[fieldName];
  return path.steps.reduce<Json | undefined>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    values,
  );
}

const isEqual = (value: Json | undefined, wanted: string | number | boolean): boolean =>
  value === wanted ||
  (value !== null && value !== undefined && !isJsonObject(value) && String(value) === String(wanted));

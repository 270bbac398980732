/** Maps a record from the builder's field names to the provider's: the read mapping in reverse. Pure. */
import type { Json, JsonObject } from "../ground/json.ts";
import { isJsonObject } from "../ground/json.ts";
import { parseFieldPath } from "../manifest/field-path.ts";

export interface FieldMapping {
  /** Mapped name to provider field; undefined where the customer has not chosen one. */
  mappedToProvider: Map<string, string | undefined>;
  /** By mapped name or provider field: mapped value to provider value. */
  valueMappings: Map<string, Map<string, string>>;
}

export interface Withheld {
  /** Provider field, or the name in the request where it has none. */
  field: string;
  reason: string;
}

export interface MappedRecord {
  /** By provider field, top level; nested fields as nested objects. */
  fields: JsonObject;
  /** Top-level provider field to its name in the request. */
  sources: Map<string, string>;
  withheld: Withheld[];
}

/** Without a mapping the record stays as it is. */
export function mapRecord(
  record: JsonObject,
  mapping: FieldMapping | undefined,
  dropUnmapped: boolean,
): MappedRecord {
  const result: MappedRecord = { fields: {}, sources: new Map(), withheld: [] };
  const rest = structuredClone(record);
  for (const [mapped, target] of mapping?.mappedToProvider ?? []) {
    const value = take(rest, steps(mapped));
    if (value === undefined) continue;
    if (target === undefined) {
      result.withheld.push({ field: mapped, reason: "the customer has not mapped it to a field" });
      continue;
    }
    const path = steps(target);
    put(
      result.fields,
      path,
      providerValue(value, mapping?.valueMappings.get(mapped) ?? mapping?.valueMappings.get(target)),
    );
    result.sources.set(path[0] ?? target, mapped);
  }
  for (const [name, value] of Object.entries(rest)) {
    if (dropUnmapped && mapping) {
      result.withheld.push({
        field: name,
        reason: "it is not mapped, and the project drops unmapped fields",
      });
    } else if (!Object.hasOwn(result.fields, name)) {
      const path = steps(name);
      put(result.fields, path, providerValue(value, mapping?.valueMappings.get(name)));
      result.sources.set(path[0] ?? name, name);
    }
  }
  return result;
}

/** Splits a field path. A malformed one is a plain name: manifests are checked when they are deployed. */
function steps(name: string): string[] {
  const path = parseFieldPath(name);
  return "steps" in path ? path.steps : [name];
}

/** Removes and returns the value at a path, and objects that become empty by this. */
function take(record: JsonObject, [first, ...more]: string[]): Json | undefined {
  if (first === undefined || !Object.hasOwn(record, first)) return undefined;
  const value = record[first];
  if (more.length === 0) {
    delete record[first];
    return value;
  }
  if (!isJsonObject(value)) return undefined;
  const taken = take(value, more);
  if (taken !== undefined && Object.keys(value).length === 0) delete record[first];
  return taken;
}

function put(record: JsonObject, [first, ...more]: string[], value: Json): void {
  if (first === undefined) return;
  if (more.length === 0) {
    record[first] = value;
    return;
  }
  const inner = Object.hasOwn(record, first) ? record[first] : undefined;
  const next = isJsonObject(inner) ? inner : {};
  record[first] = next;
  put(next, more, value);
}

/** Maps a value to the provider's, a list (multi-select) item by item. */
function providerValue(value: Json, values: Map<string, string> | undefined): Json {
  if (!values) return value;
  if (Array.isArray(value)) return value.map((item) => providerValue(item, values));
  return values.get(String(value)) ?? value;
}

/** Maps a record from the builder's field names to the provider's: the read mapping in reverse. Pure. */
import type { Json, JsonObject } from "../../ground/json.ts";
import { isJsonObject } from "../../ground/json.ts";
import { parseFieldPath } from "../../ground/field-path.ts";

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

/** Two names of a record that lead to one provider field, so that one value would be lost. */
export interface Clash {
  name: string;
  other: string;
  /** Provider field. */
  field: string;
}

export interface MappedRecord {
  /** By provider field, top level; nested fields as nested objects. */
  fields: JsonObject;
  /** Top-level provider field to its name in the request. */
  sources: Map<string, string>;
  withheld: Withheld[];
  clashes: Clash[];
}

/** Without a mapping the record stays as it is. */
export function mapRecord(
  record: JsonObject,
  mapping: FieldMapping | undefined,
  dropUnmapped: boolean,
): MappedRecord {
  const result: MappedRecord = { fields: {}, sources: new Map(), withheld: [], clashes: [] };
  const claimed = new Map<string, string>();
  const set = (source: string, path: string[], value: Json): void => {
    const other = claim(claimed, path, source);
    if (other !== undefined) result.clashes.push({ name: source, other, field: path.join(".") });
    else put(result.fields, path, value);
    result.sources.set(path[0] ?? source, source);
  };
  // Mapped values are taken out of it.
  const rest = mapping ? structuredClone(record) : record;
  for (const [mapped, target] of mapping?.mappedToProvider ?? []) {
    const value = take(rest, steps(mapped));
    if (value === undefined) continue;
    if (target === undefined) {
      result.withheld.push({ field: mapped, reason: "the customer has not mapped it to a field" });
      continue;
    }
    const values = mapping?.valueMappings.get(mapped) ?? mapping?.valueMappings.get(target);
    set(mapped, steps(target), providerValue(value, values));
  }
  for (const [name, value] of Object.entries(rest)) {
    if (dropUnmapped && mapping) {
      result.withheld.push({
        field: name,
        reason: "it is not mapped, and the project drops unmapped fields",
      });
    } else {
      set(name, steps(name), providerValue(value, mapping?.valueMappings.get(name)));
    }
  }
  return result;
}

/**
 * Claims a provider field for a name of the record. Returns the name that has it already, or a field around it or within
 * it. Providers accept field names in any case, so that `Email` and `email` are one field.
 */
function claim(claimed: Map<string, string>, path: string[], source: string): string | undefined {
  const keys = path.map((_, at) =>
    path
      .slice(0, at + 1)
      .join("\0")
      .toLowerCase(),
  );
  const whole = keys.at(-1) ?? "";
  const around = keys.find((key) => claimed.has(`=${key}`));
  const other = around === undefined ? claimed.get(`>${whole}`) : claimed.get(`=${around}`);
  if (other !== undefined) return other;
  claimed.set(`=${whole}`, source);
  for (const key of keys.slice(0, -1)) claimed.set(`>${key}`, source);
  return undefined;
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

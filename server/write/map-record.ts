/** Maps a record from the builder's field names to the provider's: the read mapping in reverse. Pure. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { formatFieldPath, formatListStep, parseValuePath, type PathStep } from "../../ground/field-path.ts";
import type { ListEntry } from "./list-entries.ts";

export interface FieldMapping {
  /** Mapped name to provider field; undefined where the customer has not chosen one. */
  mappedToProvider: Map<string, string | undefined>;
  /** Translations by mapped name or provider field, each from the mapped value to the provider's. */
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
  /** Values by the provider's names; nested fields as nested objects. */
  fields: JsonObject;
  /** Values that belong into entries of lists, which `fields` does not have. */
  entries: ListEntry[];
  /** Top-level provider field to its name in the request. */
  sources: Map<string, string>;
  withheld: Withheld[];
  clashes: Clash[];
}

/** Maps a record. Without a mapping it stays as it is. */
export function mapRecord(
  record: JsonObject,
  mapping: FieldMapping | undefined,
  dropUnmapped: boolean,
): MappedRecord {
  const result: MappedRecord = { fields: {}, entries: [], sources: new Map(), withheld: [], clashes: [] };
  const claimed = new Map<string, string>();
  const set = (source: string, path: PathStep[], value: Json): void => {
    const other = claim(claimed, path, source);
    const names = path.filter((step) => typeof step === "string");
    if (names.length < path.length) {
      if (other === undefined) result.entries.push({ name: source, steps: path, value });
      else result.clashes.push({ name: source, other, field: formatFieldPath(path) });
      const [top] = names;
      if (top !== undefined && !result.sources.has(top)) result.sources.set(top, source);
      return;
    }
    if (other !== undefined) result.clashes.push({ name: source, other, field: names.join(".") });
    else putNested(result.fields, names, value);
    result.sources.set(names[0] ?? source, source);
  };
  // Mapped values are taken out of it.
  const rest = mapping ? structuredClone(record) : record;
  for (const [mapped, target] of mapping?.mappedToProvider ?? []) {
    const value = take(rest, nameSteps(mapped));
    if (value === undefined) continue;
    if (target === undefined) {
      result.withheld.push({ field: mapped, reason: "the customer has not mapped it to a field" });
      continue;
    }
    const values = mapping?.valueMappings.get(mapped) ?? mapping?.valueMappings.get(target);
    set(mapped, parseTargetPath(target), mapToProvider(value, values));
  }
  for (const [name, value] of Object.entries(rest)) {
    if (dropUnmapped && mapping) {
      result.withheld.push({
        field: name,
        reason: "it is not mapped, and the project drops unmapped fields",
      });
    } else {
      set(name, parseTargetPath(name), mapToProvider(value, mapping?.valueMappings.get(name)));
    }
  }
  return result;
}

/**
 * Claims a provider field for a name of the record. Returns the name that has it already, or a field around it or within
 * it. Providers accept field names in any case, so that `Email` and `email` are one field.
 */
function claim(claimed: Map<string, string>, path: PathStep[], source: string): string | undefined {
  const keys = path.map((_, at) =>
    path
      .slice(0, at + 1)
      .map((step) => (typeof step === "string" ? step.toLowerCase() : formatListStep(step)))
      .join("\0"),
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
export function parseTargetPath(name: string): PathStep[] {
  const path = parseValuePath(name);
  return "steps" in path ? path.steps : [name];
}

/** Splits the name of a value in the request, which is no entry of a list. */
function nameSteps(name: string): string[] {
  const steps = parseTargetPath(name);
  const names = steps.filter((step) => typeof step === "string");
  return names.length === steps.length ? names : [name];
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

/** Sets a value below nested objects, which it makes. */
export function putNested(record: JsonObject, [first, ...more]: string[], value: Json): void {
  if (first === undefined) return;
  if (more.length === 0) {
    record[first] = value;
    return;
  }
  const inner = Object.hasOwn(record, first) ? record[first] : undefined;
  const next = isJsonObject(inner) ? inner : {};
  record[first] = next;
  putNested(next, more, value);
}

/** Maps a value to the provider's, a list (multi-select) item by item. */
function mapToProvider(value: Json, values: Map<string, string> | undefined): Json {
  if (!values) return value;
  if (Array.isArray(value)) return value.map((item) => mapToProvider(item, values));
  return values.get(String(value)) ?? value;
}

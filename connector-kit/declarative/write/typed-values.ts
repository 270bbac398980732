/** Reads and writes fields that come with their type. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { getTextAt, getValueAt } from "../../calls/get-text-at.ts";
import type { TypedRules } from "../rules/typed-rules.ts";

/** A field of another form stays as it is. */
export const toPlainValues = (fields: JsonObject, rules: TypedRules): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      rules.single ? toEntryValue(value, rules) : Array.isArray(value) ? toPlainValue(value, rules) : value,
    ]),
  );

function toPlainValue(entries: Json[], rules: TypedRules): Json {
  const { type, lists = [] } = rules;
  const [first] = entries;
  if (first === undefined) return null;
  const plain = entries.map((entry) => toEntryValue(entry, rules));
  const isList = plain.length > 1 || lists.includes(getTextAt(first, type) ?? "");
  return isList ? plain : (plain[0] ?? null);
}

function toEntryValue(entry: Json, { type, values, texts = [] }: TypedRules): Json {
  const typeName = isJsonObject(entry) ? getTextAt(entry, type) : undefined;
  const path = values[typeName !== undefined && Object.hasOwn(values, typeName) ? typeName : "*"];
  if (!path) return entry;
  if (!path.includes("*")) return findFirstAt(entry, path.split("|")) ?? null;
  const parts = listPartsAt(entry, path.split("."));
  if (!texts.includes(typeName ?? "")) return parts;
  const text = parts.join("");
  return text === "" ? null : text;
}

const findFirstAt = (entry: Json, paths: string[]): Json | undefined =>
  paths.map((path) => getValueAt(entry, path)).find((value) => value !== undefined && value !== null);

function listPartsAt(value: Json, [first, ...rest]: string[]): Json[] {
  if (first === undefined) return [value];
  if (first === "*") return Array.isArray(value) ? value.flatMap((item) => listPartsAt(item, rest)) : [];
  const inner = getValueAt(value, first);
  return inner === undefined ? [] : listPartsAt(inner, rest);
}

/** Returns a value as the provider takes it for a field of this type. */
export function toSentValue(value: Json, typeName: string, { writes = {}, texts = [] }: TypedRules): Json {
  const path = Object.hasOwn(writes, typeName) ? writes[typeName] : undefined;
  if (path === undefined || isJsonObject(value)) return value;
  const isWord = typeof value === "number" || typeof value === "boolean";
  return placeValue(path.split("."), isWord && texts.includes(typeName) ? String(value) : value);
}

/** Null clears the field: the list that the path leads through is empty, or its first member is null. */
function placeValue(steps: string[], value: Json): Json {
  const [first, ...rest] = steps;
  if (first === undefined) return value;
  if (first === "*" || first === "0") {
    if (value === null) return [];
    return first === "*" && Array.isArray(value)
      ? value.map((item) => placeValue(rest, item))
      : [placeValue(rest, value)];
  }
  const isList = rest.some((step) => step === "*" || step === "0");
  return { [first]: value === null && !isList ? null : placeValue(rest, value) };
}

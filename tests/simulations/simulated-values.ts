/** Shows fields as entries with types, and reads them in that form, by the description. */
import { nestValue } from "../../connector-kit/declarative/request-parts.ts";
import type { TypedRules } from "../../connector-kit/declarative/rules/typed-rules.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { buildAtPath } from "./simulated-exchange.ts";

/** Writes each field as an entry of the first type that the rules have for single values, or for texts. */
export function showTypedFields(fields: JsonObject, rules: TypedRules): JsonObject {
  const { type, values, lists = [] } = rules;
  const isPlain = ([one, path = ""]: [string, string]) => !lists.includes(one) && !path.includes("*");
  const [name = "", path = ""] = Object.entries(values).find(isPlain) ?? [];
  if (rules.single)
    return Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [field, singleEntry(value, rules, [name, path])]),
    );
  const entry = (value: Json): JsonObject => nestValue(path, value, nestValue(type, name));
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      value === null ? [] : (Array.isArray(value) ? value : [value]).map(entry),
    ]),
  );
}

function singleEntry(
  value: Json,
  { type, values, texts = [] }: TypedRules,
  plain: [string, string],
): JsonObject {
  const text = typeof value === "string" ? texts[0] : undefined;
  const [name, path] = text === undefined ? plain : [text, values[text] ?? ""];
  const inner = buildAtPath(path.replaceAll("*", "0"), value);
  return nestValue(type, name, isJsonObject(inner) ? inner : {});
}

/** Reads the values of fields that were sent in the form of their types; others stay unchanged. */
export const readTypedFields = (fields: JsonObject, { writes = {} }: TypedRules): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const [type = "", ...others] = isJsonObject(value) ? Object.keys(value) : [];
      const path = Object.hasOwn(writes, type) && others.length === 0 ? writes[type] : undefined;
      return [name, path === undefined ? value : valueSent(value, path.split("."))];
    }),
  );

function valueSent(value: Json | undefined, [first, ...rest]: string[]): Json {
  if (first === undefined || value === undefined || value === null) return value ?? null;
  if (Array.isArray(value))
    return first === "*" ? value.map((item) => valueSent(item, rest)) : valueSent(value[Number(first)], rest);
  return isJsonObject(value) ? valueSent(value[first], rest) : null;
}

/** Returns the fields as a list of entries with their names. */
export const listEntries = (path: string, fields: JsonObject): JsonObject[] =>
  Object.entries(fields).map(([name, entry]) => nestValue(path, name, isJsonObject(entry) ? entry : {}));

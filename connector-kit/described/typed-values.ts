/** Reads fields that a provider returns as lists of entries with a type. */
import { isJsonObject, type Json, type JsonObject } from "../../server/ground/json.ts";
import { textAt, valueAt } from "../text-at.ts";
import type { ObjectRules } from "./description.ts";

type TypedValues = NonNullable<ObjectRules["typedValues"]>;

/** A field that is no such list stays as it is. */
export const plainValues = (fields: JsonObject, rules: TypedValues): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? plainValue(value, rules) : value,
    ]),
  );

function plainValue(entries: Json[], { type, values, lists = [] }: TypedValues): Json {
  const [first] = entries;
  if (first === undefined) return null;
  const plain = entries.map((entry) => {
    const typeName = isJsonObject(entry) ? textAt(entry, type) : undefined;
    const path = typeName !== undefined && Object.hasOwn(values, typeName) ? values[typeName] : undefined;
    return path ? (valueAt(entry, path) ?? null) : entry;
  });
  const isList = plain.length > 1 || lists.includes(textAt(first, type) ?? "");
  return isList ? plain : (plain[0] ?? null);
}

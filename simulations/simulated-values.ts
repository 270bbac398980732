/** Shows fields as lists of entries with a type, as the description says that the provider does. */
import type { ObjectRules } from "../connector-kit/described/description.ts";
import { nested } from "../connector-kit/described/request-parts.ts";
import type { Json, JsonObject } from "../server/ground/json.ts";

/** All values are of the first type of which a field has one value. */
export function typedFields(
  fields: JsonObject,
  { type, values, lists = [] }: NonNullable<ObjectRules["typedValues"]>,
): JsonObject {
  const [name = "", path = ""] = Object.entries(values).find(([one]) => !lists.includes(one)) ?? [];
  const entry = (value: Json): JsonObject => nested(path, value, nested(type, name));
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      value === null ? [] : (Array.isArray(value) ? value : [value]).map(entry),
    ]),
  );
}

/** Translates values between the provider's and those of the configuration's value mappings. Pure. */
import type { Json } from "../../../ground/json.ts";

/**
 * Returns the translation of a field's values, found as text in the table (delivered value to the provider's). Other
 * values stay as they are. The items of a list, and with `isMultiple` the parts of a text between semicolons, are
 * translated one by one.
 */
export function translateValues(
  table: ReadonlyMap<string, string>,
  isMultiple: boolean,
): (value: Json) => Json {
  const delivered = new Map<string, string>();
  for (const [name, value] of table) if (!delivered.has(value)) delivered.set(value, name);
  return function translate(value): Json {
    if (value === null) return value;
    if (Array.isArray(value)) return value.map(translate);
    if (typeof value === "object") return value;
    const found = delivered.get(String(value));
    if (found !== undefined) return found;
    if (!isMultiple || typeof value !== "string" || !value.includes(";")) return value;
    const parts = value.split(";").map((part) => delivered.get(part) ?? part);
    return parts.join(";");
  };
}

/** Returns the provider's value for a delivered one. */
export const toProviderValue = <Value extends string | number | boolean>(
  table: ReadonlyMap<string, string> | undefined,
  value: Value,
): Value | string => table?.get(String(value)) ?? value;

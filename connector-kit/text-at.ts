/** Reads one value out of a provider's JSON answer by a path that the catalog names. */
import { isStorable } from "../server/ground/storable-text.ts";
import { isJsonObject, type Json } from "../server/ground/json.ts";

/** What lies at a dotted path such as `owner.user.id`; a number in the path counts into a list. */
export function valueAt(answer: Json, path: string): Json | undefined {
  let value: Json | undefined = answer;
  for (const name of path.split(".")) {
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/**
 * The same as text, if it is a text, a number, or true or false. A NUL or half a character stands in no id, token or
 * address, and PostgreSQL stores none: such a text is none.
 */
export function textAt(answer: Json, path: string): string | undefined {
  const value = valueAt(answer, path);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const isText = typeof value === "string" && value !== "" && isStorable(value);
  return isText ? value : undefined;
}

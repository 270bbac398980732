/** Reads one value from a provider's JSON answer, by a path that the catalog names. */
import { isStorable } from "../../ground/storable-text.ts";
import { isJsonObject, type Json } from "../../ground/json.ts";

/** Returns the value at a dotted path such as `owner.user.id`; a number in the path is an index of a list. */
export function getValueAt(answer: Json, path: string): Json | undefined {
  let value: Json | undefined = answer;
  for (const name of path.split(".")) {
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** Joins the lists that all entries of a list have, for a path such as `folders.*.goals`; undefined where there is no list of them. */
export function joinLists(answer: Json, path: string): Json[] | undefined {
  const [outer = "", inner = ""] = path.split(".*.");
  const entries = getValueAt(answer, outer);
  if (!Array.isArray(entries)) return entries === null ? [] : undefined;
  return entries.flatMap((entry) => getValueAt(entry, inner) ?? []);
}

/**
 * Returns the value as text if it is a text, a number or a boolean. Texts with NUL or half a surrogate pair count as
 * absent: no id, token or address has them, and PostgreSQL cannot store them.
 */
export function getTextAt(answer: Json, path: string): string | undefined {
  const value = getValueAt(answer, path);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const isText = typeof value === "string" && value !== "" && isStorable(value);
  return isText ? value : undefined;
}

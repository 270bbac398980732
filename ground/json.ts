/** Types of JSON values, for data whose shape is not known. */

export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [member: string]: Json;
}

/** Returns whether a value is a JSON object: not null, not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** No record, event or request is nested so deeply; the stacks of JavaScript and PostgreSQL end at some thousand levels. */
export const MAX_LEVELS = 500;

/** Returns whether a parsed value is nested more deeply than what scans it, the database included, can take. */
export function isNestedTooDeeply(value: Json, levels = MAX_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // Every answer is checked as a whole, so nothing is allocated: lists of values would be a sixth of what a read allocates.
  if (Array.isArray(value)) return value.some((item) => isNestedTooDeeply(item, levels - 1));
  for (const name in value) {
    const item = value[name];
    if (typeof item === "object" && isNestedTooDeeply(item, levels - 1)) return true;
  }
  return false;
}

/** Digits that every double keeps. */
export const SURE_DIGITS = 15;

/** Returns whether the integer part of a number is exact; fractions are doubles at every provider anyway. */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = source
    .replace(/e.*$/i, "")
    .replace(/^[-0.]+/, "")
    .replace(".", "");
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER || digits.length <= SURE_DIGITS;
}

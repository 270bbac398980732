/** Reads the ids and words in HubSpot's events. Pure. */
import type { Json } from "../../server/ground/json.ts";
import { isStorable } from "../../server/ground/storable-text.ts";

const LONGEST_WORD = 500;

export const wordOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_WORD && isStorable(value)
    ? value
    : undefined;

export function idOf(value: Json | undefined): string | undefined {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return /^[1-9]\d{0,39}$/.test(text) ? text : undefined;
}

/** Reads the ids and words in HubSpot's events. Pure. */
import type { ProviderEvent } from "../../connector-kit/subscribe-connector.ts";
import type { Json } from "../../ground/json.ts";
import { isStorable } from "../../ground/storable-text.ts";

const LONGEST_WORD = 500;

export const readWord = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_WORD && isStorable(value)
    ? value
    : undefined;

export function readId(value: Json | undefined): string | undefined {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return /^[1-9]\d{0,39}$/.test(text) ? text : undefined;
}

/** A time before 1970 is no time of an event, and PostgreSQL cannot store every one. */
export const eventTime = (time: Date): Pick<ProviderEvent, "occurredTime"> =>
  time.getTime() >= 0 ? { occurredTime: time } : {};

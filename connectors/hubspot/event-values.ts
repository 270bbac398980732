/** Reads the ids and words in HubSpot's events, and names their changes. Pure. */
import type { ProviderEvent, ChangeReport } from "../../connector-kit/subscribe-connector.ts";
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
export const toEventTime = (time: Date): Pick<ProviderEvent, "occurredTime"> =>
  time.getTime() >= 0 ? { occurredTime: time } : {};

type Reported = Pick<ProviderEvent, "type" | "providerEventType" | "to"> & {
  /** Properties that the event names. */
  properties: readonly string[];
  isRemoved: boolean;
};

/**
 * Names a change in words that pushes and the journal have in common: HubSpot reports it by both if both are set up. Returns undefined
 * for a change that cannot be recognised.
 */
export function changeReport(
  way: "push" | "journal",
  { type, providerEventType, to, properties, isRemoved }: Reported,
): ChangeReport | undefined {
  const fields = properties.map((name) => `property ${name}`);
  if (type === "update") return fields.length > 0 ? { way, changes: fields } : undefined;
  if (type === "associationUpdate") {
    return to && { way, changes: [`${isRemoved ? "without" : "with"} ${to.objectKey} ${to.id}`] };
  }
  // A creation in the journal has the first values, which are pushed as changes of properties.
  return { way, changes: [providerEventType.split(".").at(-1) ?? ""], includes: fields };
}

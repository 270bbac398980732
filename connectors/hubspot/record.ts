/** Turns a record in a HubSpot answer into the outcome of the record that was written. */
import type { JsonObject } from "../../server/ground/json.ts";
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { ProviderError } from "../../connector-kit/provider-error.ts";

/**
 * HubSpot answers a write with the record's default properties and those just written, values as texts. That is the
 * record as it now is, as far as the caller has shown interest, so no second call reads it.
 */
export function toOutcome(record: JsonObject): RecordOutcome {
  const { objectWriteTraceId: _, ...data } = record;
  const id = idOf(record);
  if (id !== undefined) return { success: true, recordId: id, data };
  return {
    success: false,
    error: new ProviderError({
      kind: "unreadable",
      message: "HubSpot reported success without a record id; look the record up before writing it again",
    }),
  };
}

/** Ids are texts and can exceed what a number holds. */
export const idOf = (record: JsonObject): string | undefined =>
  typeof record.id === "string" || typeof record.id === "number" ? String(record.id) || undefined : undefined;

/** Turns a record in HubSpot's answer into the outcome of a write. */
import type { JsonObject } from "../../ground/json.ts";
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";

/**
 * HubSpot answers a write with the default properties and those just written, values as texts. That is enough for the
 * caller, so the record is not read again.
 */
export function toOutcome(record: JsonObject): RecordOutcome {
  // `new` comes with the answer to an upsert.
  const { objectWriteTraceId: _, new: isNew, ...data } = record;
  const id = readId(record);
  const changeTime = typeof record.updatedAt === "string" ? new Date(record.updatedAt) : undefined;
  if (id !== undefined)
    return {
      success: true,
      recordId: id,
      data,
      ...(typeof isNew === "boolean" && { created: isNew }),
      ...(changeTime && !Number.isNaN(changeTime.getTime()) && { changeTime }),
    };
  return {
    success: false,
    error: new ProviderError({
      kind: "unreadable",
      message: "HubSpot reported success without a record id; look the record up before writing it again",
    }),
  };
}

/** Returns the id as text; ids can be too large for a number. */
export const readId = (record: JsonObject): string | undefined =>
  typeof record.id === "string" || typeof record.id === "number" ? String(record.id) || undefined : undefined;

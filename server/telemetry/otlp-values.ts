/** Writes times and attributes in the JSON form of OTLP. */
import type { JsonObject } from "../../ground/json.ts";
import type { SpanAttributes } from "../../ground/tracer.ts";

/** Nanoseconds exceed what a number holds, so they are text. */
export function toNanos(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, "0")}`;
}

export const buildAttributes = (attributes: SpanAttributes): JsonObject[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toOtlpValue(value) }],
  );

function toOtlpValue(value: string | number | boolean): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

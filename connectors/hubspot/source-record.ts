/** Turns records in HubSpot's answers into source records. */
import type { Json, JsonObject } from "../../ground/json.ts";
import { parseReportedTime } from "../../connector-kit/calls/reported-time.ts";
import { buildBrokenPage, requireObject } from "../../connector-kit/calls/page-check.ts";
import type { SourceRecord } from "../../connector-kit/read-connector.ts";
import { readId } from "./record.ts";

/** Throws `ProviderError` if the value is no record of the CRM. */
export function toSourceRecord(value: Json | undefined, changed: string): SourceRecord {
  const raw = requireObject(value, "a record");
  const properties = requireObject(raw.properties, "`properties` of a record");
  const id = readId(raw);
  if (id === undefined || !/^[1-9]\d{0,39}$/.test(id)) {
    throw buildBrokenPage(`HubSpot's answer is broken: "${id ?? ""}" is not the id of a record`);
  }
  const { properties: _, ...top } = raw;
  const values: JsonObject = { ...top, ...properties };
  return { id, changeTime: readTime(properties[changed] ?? raw.updatedAt), raw, values };
}

/** Saves a test for each ISO time. */
const LONGEST_NUMBER = 17;

/** Reads a time: ISO with or without milliseconds, or milliseconds since the epoch. */
export function readTime(value: Json | undefined): Date | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const isNumber = typeof value === "string" && value.length < LONGEST_NUMBER && /^-?\d+$/.test(value);
  return parseReportedTime(isNumber ? Number(value) : value);
}

/** Turns records in Salesforce's answers into source records. */
import { readIsoTime } from "../../ground/iso-time.ts";
import type { Json, JsonObject } from "../../ground/json.ts";
import { parseReportedTime } from "../../connector-kit/calls/reported-time.ts";
import { buildBrokenPage, requireObject } from "../../connector-kit/calls/page-check.ts";
import type { SourceRecord } from "../../connector-kit/read-connector.ts";
import { findIdFault } from "./id.ts";

/** Throws `ProviderError` if the value is no record. */
export function toSourceRecord(value: Json, column: string | undefined): SourceRecord {
  const raw = requireObject(value, "a record");
  const id = recordId(raw);
  const time = column === undefined ? undefined : readTime(raw[column]);
  return { id, changeTime: time, raw, values: raw };
}

export function recordId({ Id }: JsonObject): string {
  if (typeof Id === "string" && !findIdFault(Id)) return Id;
  throw buildBrokenPage("Salesforce's answer is broken: a record has no id");
}

/** Reads a time such as `2026-11-20T08:01:02.000+0000`. */
export function readTime(value: Json | undefined): Date | undefined {
  if (typeof value !== "string") return undefined;
  const ms = readIsoTime(value);
  if (ms !== undefined) return new Date(ms);
  return parseReportedTime(value.endsWith("+0000") ? `${value.slice(0, -5)}Z` : value);
}

/** Formats times, and parses bounds, as vendors do. */
import type { Facts } from "../../connector-kit/facts/facts.ts";

type Objects = Facts["objects"][string];
export type VendorTimeFormat = NonNullable<Objects["changed"]>["format"];

/** Difference of the connected user's clock to UTC in hours, for vendors that read bounds in the user's time zone. */
const USER_HOURS_BEHIND = 8;
const HOUR_MS = 3_600_000;

/** Regular expressions of times, by format. */
export const TIME_FORMS: Record<VendorTimeFormat, string> = {
  rfc3339: String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?`,
  "rfc3339-seconds": String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)?`,
  date: String.raw`\d{4}-\d\d-\d\d`,
  sql: String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`,
  "sql-zone": String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d`,
  unix: String.raw`\d{1,10}`,
  "unix-ms": String.raw`\d{11,14}`,
  http: String.raw`[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT`,
  "json-date": String.raw`/Date\(\d{1,14}(?:[+-]\d{4})?\)/`,
};

/** Formats a time for a record, as a number if the format counts. */
export function writeTime(ms: number, format: VendorTimeFormat): string | number {
  const text = new Date(ms).toISOString();
  switch (format) {
    case "unix":
      return Math.floor(ms / 1000);
    case "unix-ms":
      return ms;
    case "date":
      return text.slice(0, 10);
    case "sql":
      return text.slice(0, 19).replace("T", " ");
    case "sql-zone":
      return `${text.slice(0, 23).replace("T", " ")}+00`;
    case "http":
      return new Date(ms).toUTCString();
    case "json-date":
      return `/Date(${ms}+0000)/`;
    case "rfc3339-seconds":
      return `${text.slice(0, 19)}Z`;
    case "rfc3339":
      return text;
  }
}

/** Parses a bound to milliseconds; undefined for a text of another form. A time without a zone is UTC, or the user's. */
export function readTime(
  text: string,
  format: VendorTimeFormat,
  zone: "UTC" | "user" = "UTC",
): number | undefined {
  if (!new RegExp(`^${TIME_FORMS[format]}$`).test(text)) return undefined;
  const behind = zone === "user" ? USER_HOURS_BEHIND * HOUR_MS : 0;
  if (format === "unix") return Number(text) * 1000;
  if (format === "unix-ms") return Number(text);
  if (format === "json-date") return Number(/\d+/.exec(text)?.[0]);
  const hasZone = /(?:Z|[+-]\d\d:?\d\d|GMT)$/.test(text) && format !== "date";
  const ms = Date.parse(
    hasZone ? text : format === "date" ? `${text}T00:00:00Z` : `${text.replace(" ", "T")}Z`,
  );
  return Number.isNaN(ms) ? undefined : hasZone ? ms : ms + behind;
}

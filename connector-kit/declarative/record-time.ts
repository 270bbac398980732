/** Reads a time in a record, in the forms that providers have. */
import type { Json } from "../../ground/json.ts";
import { parseReportedTime } from "../calls/reported-time.ts";
import { getMember } from "./object-plan.ts";

/** Reads RFC 3339, seconds or milliseconds since 1970, also as text, and `/Date(…)/`, whose offset is only for people. */
export function readTimeAt(record: Json, path: string | undefined): Date | undefined {
  const found = path === undefined ? undefined : getMember(record, path);
  const jsonDate = typeof found === "string" ? /^\/Date\((\d{1,16})(?:[+-]\d{4})?\)\/$/.exec(found) : null;
  const digits =
    jsonDate?.[1] ?? (typeof found === "string" && /^\d{10,16}$/.test(found) ? found : undefined);
  const value = digits === undefined ? found : Number(digits);
  if (typeof value === "string" && /^\+?\d{4,}-\d\d-\d\d/.test(value)) {
    return parseReportedTime(
      /\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(value)
        ? `${value.replace(" ", "T")}Z`
        : // Some providers name the zone twice.
          value.replace(/Z\+0000$/, "Z"),
    );
  }
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return undefined;
  return parseReportedTime(value < 1e11 ? value * 1000 : value);
}

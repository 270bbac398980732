/** Change times that a `Date` cannot hold. */
import { readIsoTime } from "../../ground/iso-time.ts";

/** The end of what a `Date` holds, in the year 275760. PostgreSQL holds it as well. */
const LAST_MS = 8.64e15;

/** Stands for a time that is beyond, or that nobody knows. */
export const LAST_TIME: Readonly<Date> = new Date(LAST_MS);

/** A year of more than four digits, or milliseconds in as many digits as no `Date` has. */
const BEYOND = /^\+?\d{5,}(?:-|$)/;

/**
 * Returns a time that a provider told: the last one for a time beyond, so that a record that has it is known again and not
 * delivered at each tick; undefined for what is no time.
 */
export function parseReportedTime(reported: string | number): Date | undefined {
  const ms = typeof reported === "string" ? readIsoTime(reported) : undefined;
  const time = new Date(ms ?? reported);
  if (!Number.isNaN(time.getTime())) return time;
  const isBeyond = typeof reported === "number" ? reported > LAST_MS : BEYOND.test(reported);
  return isBeyond ? new Date(LAST_MS) : undefined;
}

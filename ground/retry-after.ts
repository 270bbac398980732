/** Parses the headers in which an HTTP answer says when to send the next request: `Retry-After` and its relatives. */
import { nowMs } from "./clock.ts";

/** Headers that name the end of a rate limit's window, most reliable first. */
const RESET_NAMES = [
  "ratelimit-reset",
  "x-ratelimit-reset",
  "x-rate-limit-reset",
  "x-ratelimit-reset-requests",
  "rate-limit-reset",
];

/** Returns the time that `Retry-After` names, otherwise the end of the rate limit's window. Names are in lower case. */
export function retryTime(headers: Record<string, string>): Date | undefined {
  for (const name of ["retry-after", ...RESET_NAMES]) {
    const time = retryAfter(headers[name]);
    if (time) return time;
  }
  // Close: `limit=100, remaining=50, reset=5`; drafts of the IETF call it `t`.
  const [, seconds] = /(?:^|[,;]\s*)(?:reset|t)=(\d+(?:\.\d+)?)/i.exec(headers["ratelimit"] ?? "") ?? [];
  return retryAfter(seconds);
}

/** Headers that name how many requests are left in a rate limit's window. */
const REMAINING_NAMES = RESET_NAMES.map((name) => name.replace("reset", "remaining"));

/** Statuses that never report a rate limit, whatever headers come with them. */
const NEVER_LIMITS = new Set([401, 404, 408, 409, 410]);

/**
 * Returns whether an answer reports a rate limit: by status 429, or by its headers where the status is another one. GitHub and others
 * refuse with 403 when a quota is used up (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
 */
export function reportsLimit(status: number, headers: Record<string, string>): boolean {
  if (status === 429) return true;
  if (status === 403 || status === 503) {
    if (REMAINING_NAMES.some((name) => /^\s*0+\s*(,|;|$)/.test(headers[name] ?? ""))) return true;
  }
  return status >= 400 && status < 500 && !NEVER_LIMITS.has(status) && headers["retry-after"] !== undefined;
}

/** Larger than any number of seconds to wait, smaller than any time since the epoch. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MILLISECONDS = 1e12;

/**
 * Parses one header value: seconds to wait, seconds or milliseconds since the epoch, `1m30s`, or a date. Returns
 * undefined for anything else, and for times that a date cannot hold.
 */
export function retryAfter(text: string | undefined, fromMs: number = nowMs()): Date | undefined {
  // The first of several values counts. The comma in an HTTP date is no separator.
  const value = /^[A-Z][a-z]{2},/.test(text ?? "") ? text : text?.split(",")[0]?.trim();
  if (!value) return undefined;
  const number = Number(value);
  if (!Number.isNaN(number)) return fromNumber(number, fromMs);
  const duration = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/.exec(value);
  if (duration) {
    const [hours, minutes, seconds, ms] = duration.slice(1).map((part) => Number(part ?? 0));
    const durationMs = ((hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * 1_000 + (ms ?? 0);
    return keepValid(new Date(fromMs + durationMs));
  }
  return keepValid(new Date(value));
}

function fromNumber(value: number, fromMs: number): Date | undefined {
  if (value < 0) return undefined;
  if (value >= EPOCH_MILLISECONDS) return keepValid(new Date(value));
  return keepValid(new Date(value >= EPOCH_SECONDS ? value * 1_000 : fromMs + value * 1_000));
}

/** Rounds up to what `Retry-After` can say, so that a caller who obeys it does not come too early. */
export const roundUpToSecond = (time: Date): Date => new Date(Math.ceil(time.getTime() / 1_000) * 1_000);

const keepValid = (date: Date): Date | undefined => (Number.isNaN(date.getTime()) ? undefined : date);

/** Reads from an answer's headers when its provider will take requests again. */
import { nowMs } from "../../ground/clock.ts";

/** Names of headers that say when a quota starts anew, most trusted first. */
const RESET_NAMES = [
  "ratelimit-reset",
  "x-ratelimit-reset",
  "x-rate-limit-reset",
  "x-ratelimit-reset-requests",
  "rate-limit-reset",
];

/** The moment, or undefined when no header names one. `headers` has names in lower case. */
export function retryTime(headers: Record<string, string>): Date | undefined {
  const told = moment(headers["retry-after"]);
  if (told) return told;
  for (const name of RESET_NAMES) {
    const reset = moment(headers[name]);
    if (reset) return reset;
  }
  return undefined;
}

/** Larger than any number of seconds to wait, smaller than any time since the epoch. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MILLISECONDS = 1e12;

/** Seconds to wait, seconds or milliseconds since the epoch, `1m30s`, or a date. */
function moment(text: string | undefined): Date | undefined {
  // Several values of one header: the first is as good as any.
  const value = /^[A-Z][a-z]{2},/.test(text ?? "") ? text : text?.split(",")[0]?.trim();
  if (!value) return undefined;
  const number = Number(value);
  if (!Number.isNaN(number)) return fromNumber(number);
  const span = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/.exec(value);
  if (span) {
    const [hours, minutes, seconds, ms] = span.slice(1).map((part) => Number(part ?? 0));
    return inMs(((hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * 1_000 + (ms ?? 0));
  }
  return valid(new Date(value));
}

function fromNumber(value: number): Date | undefined {
  if (value < 0) return undefined;
  if (value >= EPOCH_MILLISECONDS) return valid(new Date(value));
  return value >= EPOCH_SECONDS ? valid(new Date(value * 1_000)) : inMs(value * 1_000);
}

const inMs = (durationMs: number): Date | undefined => valid(new Date(nowMs() + durationMs));

const valid = (date: Date): Date | undefined => (Number.isNaN(date.getTime()) ? undefined : date);

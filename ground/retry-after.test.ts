/** Every form in which providers say when to send the next request. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { retryTime } from "./retry-after.ts";

/** Time of all tests. */
const NOW_MS = Date.now();

const inSeconds = (seconds: number) => Math.floor(NOW_MS / 1_000) + seconds;

const FORMS: Record<string, { headers: Record<string, string>; seconds: number | undefined }> = {
  seconds: { headers: { "retry-after": "30" }, seconds: 30 },
  "fractions of a second": { headers: { "retry-after": "1.5" }, seconds: 1.5 },
  "an HTTP date": { headers: { "retry-after": new Date(NOW_MS + 45_000).toUTCString() }, seconds: 45 },
  "an ISO date": {
    headers: { "x-ratelimit-reset": new Date(NOW_MS + 45_000).toISOString() },
    seconds: 45,
  },
  "seconds since the epoch": { headers: { "x-ratelimit-reset": String(inSeconds(60)) }, seconds: 60 },
  "milliseconds since the epoch": {
    headers: { "x-rate-limit-reset": String(NOW_MS + 60_000) },
    seconds: 60,
  },
  "seconds in a reset header": { headers: { "ratelimit-reset": "12" }, seconds: 12 },
  "a span": { headers: { "x-ratelimit-reset-requests": "1m30s" }, seconds: 90 },
  "a span in milliseconds": { headers: { "x-ratelimit-reset-requests": "250ms" }, seconds: 0.25 },
  "the first of several": { headers: { "x-ratelimit-reset": "5, 3600" }, seconds: 5 },
  "Retry-After before a reset header": {
    headers: { "retry-after": "2", "x-ratelimit-reset": "500" },
    seconds: 2,
  },
  // https://developer.close.com/api/overview/rate-limits.md; draft-ietf-httpapi-ratelimit-headers-05 and later
  "one header for all": { headers: { ratelimit: "limit=100, remaining=0, reset=5" }, seconds: 5 },
  "the newest draft of it": { headers: { ratelimit: '"default";r=0;t=30' }, seconds: 30 },
  nothing: { headers: {}, seconds: undefined },
  "empty text": { headers: { "retry-after": "" }, seconds: undefined },
  nonsense: { headers: { "retry-after": "soon" }, seconds: undefined },
  "a negative number": { headers: { "retry-after": "-5" }, seconds: undefined },
  "a number beyond all time": { headers: { "retry-after": "1e300" }, seconds: undefined },
  "words that only begin like a number": {
    headers: { "retry-after": "12 minutes or so" },
    seconds: undefined,
  },
  infinity: { headers: { "retry-after": "Infinity" }, seconds: undefined },
};

describe("the time of the next request", () => {
  for (const [form, { headers, seconds }] of Object.entries(FORMS)) {
    it(`is read from ${form}`, (t) => {
      t.mock.method(Date, "now", () => NOW_MS);
      const time = retryTime(headers);
      if (seconds === undefined) return assert.equal(time, undefined);
      assert.ok(time && Math.abs((time.getTime() - NOW_MS) / 1_000 - seconds) <= 1, String(time));
    });
  }
});

/** Times read as people say them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeAgo, formatDuration, formatExactTime, formatMinute } from "./time-words.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const ago = (seconds: number) => describeAgo(new Date(NOW - seconds * 1_000).toISOString(), NOW);

test("a time in the past or future is reported by the largest unit that fits", () => {
  assert.deepEqual([2, 59, 60, 3_599, 7_200, 86_400 * 3].map(ago), [
    "now",
    "59 s ago",
    "1 min ago",
    "59 min ago",
    "2 h ago",
    "3 d ago",
  ]);
  assert.equal(ago(-90), "in 2 min");
});

test("a duration has at most two units", () => {
  assert.deepEqual([12, 1_240, 59_970, 185_000, 7_860_000].map(formatDuration), [
    "12 ms",
    "1.2 s",
    "1 min 0 s",
    "3 min 5 s",
    "2 h 11 min",
  ]);
});

test("the beginning of a plot's minute has no seconds, an exact time has milliseconds", () => {
  const time = "2026-11-22T10:15:00.000Z";
  assert.match(formatExactTime(time), /:15:00[.,]000/);
  assert.doesNotMatch(formatMinute(time), /:00/);
  assert.match(formatMinute(time), /:15\b/);
});

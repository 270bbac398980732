/** Gaps between attempts: jitter, what the receiver asks for, and the end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { retrySchedule } from "./retry-schedule.ts";

const at = (random: number) => retrySchedule({ gapsSeconds: [5, 300], minuteMs: 60_000 }, () => random);

test("gaps follow the schedule, 20 % up or down, and end with it", () => {
  assert.equal(at(0)(0, {}), 4_000);
  assert.equal(at(0.5)(0, {}), 5_000);
  assert.equal(Math.round(at(1)(1, {}) ?? 0), 360_000);
  assert.equal(at(0.5)(2, {}), undefined);
});

test("Retry-After stretches a gap to twice its length at most and never shortens it", () => {
  assert.equal(at(0.5)(0, { retryAfterMs: 1_000 }), 5_000);
  assert.equal(at(0.5)(0, { retryAfterMs: 8_000 }), 8_000);
  assert.equal(at(0.5)(0, { retryAfterMs: 3_600_000 }), 10_000);
});

test("after a timeout or a 429 the gap is at least a minute, with jitter", () => {
  assert.equal(at(0)(0, { overloaded: true }), 60_000);
  assert.equal(at(0.5)(0, { overloaded: true }), 66_000);
  assert.equal(at(0.5)(1, { overloaded: true }), 300_000);
});

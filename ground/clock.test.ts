/** One time for all that is stored, whatever this machine's clock does. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { clockAheadMs, followClock, now, nowMs } from "./clock.ts";

const HOUR_MS = 3_600_000;
const isNear = (ms: number, wanted: number) =>
  assert.ok(Math.abs(ms - wanted) < HOUR_MS / 2, `${ms} is not ${wanted}`);

test("the time is the database's, and a jump of the machine's clock changes nothing", (t) => {
  const trueMs = Date.now();
  // However late the next line is executed, the monotonic clock has not gone on.
  const elapsedMs = performance.now();
  t.mock.method(performance, "now", () => elapsedMs);
  t.after(() => {
    mock.timers.reset();
    followClock(Date.now(), 0);
  });
  followClock(trueMs - HOUR_MS, 4);
  isNear(nowMs(), trueMs - HOUR_MS);
  isNear(now().getTime(), trueMs - HOUR_MS);
  isNear(clockAheadMs(), HOUR_MS);
  // The machine's clock is set back and agrees, before the database is asked again.
  mock.timers.enable({ apis: ["Date"], now: trueMs - HOUR_MS });
  isNear(nowMs(), trueMs - HOUR_MS);
  isNear(clockAheadMs(), 0);
  followClock(trueMs - HOUR_MS, 4);
  assert.equal(nowMs(), trueMs - HOUR_MS, "small differences are the time that the question took");
  mock.timers.setTime(trueMs + HOUR_MS);
  isNear(nowMs(), trueMs - HOUR_MS);
});

/** Ticks of cron expressions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findNextTick, spreadMs } from "./cron-tick.ts";

const at = (text: string) => new Date(text);

test("the next tick comes after the time, in UTC, later by the offset", () => {
  const real = { minuteMs: 60_000 };
  assert.deepEqual(
    findNextTick("*/10 * * * *", at("2026-03-01T10:00:00Z"), real),
    at("2026-03-01T10:10:00Z"),
  );
  assert.deepEqual(
    findNextTick("*/10 * * * *", at("2026-03-01T10:09:59.999Z"), real),
    at("2026-03-01T10:10:00Z"),
  );
  assert.deepEqual(findNextTick("0 6 * * 1", at("2026-03-01T10:00:00Z"), real), at("2026-03-02T06:00:00Z"));
  const late = { ...real, offsetMs: 12_000 };
  assert.deepEqual(
    findNextTick("*/10 * * * *", at("2026-03-01T10:00:05Z"), late),
    at("2026-03-01T10:00:12Z"),
  );
  assert.deepEqual(
    findNextTick("*/10 * * * *", at("2026-03-01T10:00:12Z"), late),
    at("2026-03-01T10:10:12Z"),
  );
});

test("short minutes make ticks of the same distance in minutes", () => {
  const short = { minuteMs: 100 };
  const first = findNextTick("*/10 * * * *", at("2026-03-01T10:00:00.250Z"), short);
  assert.equal(first.getTime() % 1_000, 0);
  assert.equal(findNextTick("*/10 * * * *", first, short).getTime() - first.getTime(), 1_000);
});

test("the offset of a key is always the same, below a minute, and differs between keys", () => {
  assert.equal(spreadMs("a"), spreadMs("a"));
  const offsets = new Set(Array.from({ length: 100 }, (_, index) => spreadMs(`key ${index}`)));
  assert.ok(offsets.size > 90);
  for (const offset of offsets) assert.ok(offset >= 0 && offset < 60_000);
});

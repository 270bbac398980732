/** A daily quota is over at midnight where the account is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findNextQuotaReset } from "./daily-quota-reset.ts";

const midnight = (after: string, zone?: string) => findNextQuotaReset(new Date(after), zone).toISOString();

test("midnight is the account's, UTC when its zone is unknown", () => {
  assert.equal(midnight("2026-03-01T15:00:00Z"), "2026-03-02T00:00:00.000Z");
  assert.equal(midnight("2026-03-01T15:00:00Z", "Mars/Olympus"), "2026-03-02T00:00:00.000Z");
  assert.equal(midnight("2026-03-01T15:00:00Z", "US/Eastern"), "2026-03-02T05:00:00.000Z");
  assert.equal(midnight("2026-03-01T23:30:00Z", "Asia/Kolkata"), "2026-03-02T18:30:00.000Z");
  assert.equal(midnight("2026-03-01T04:59:59Z", "US/Eastern"), "2026-03-01T05:00:00.000Z");
});

test("the change to summer time and back is respected", () => {
  assert.equal(midnight("2026-03-08T06:00:00Z", "America/New_York"), "2026-03-09T04:00:00.000Z");
  assert.equal(midnight("2026-11-01T05:00:00Z", "America/New_York"), "2026-11-02T05:00:00.000Z");
});

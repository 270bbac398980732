import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderError, type ProviderErrorKind } from "../../../connector-kit/calls/provider-error.ts";
import { findDeadlineError, planNextAttempt, type RetryTerms } from "./retry.ts";

const terms = (changes: Partial<RetryTerms> = {}): RetryTerms => ({
  deadline: new Date(3_600_000),
  attempts: 1,
  baseMs: 1_000,
  repeatUnknownUntil: undefined,
  allOrNone: false,
  isRepeatable: false,
  ...changes,
});
const failed = (kind: ProviderErrorKind, retryAt?: Date) => ({
  success: false as const,
  error: new ProviderError({ kind, message: kind, retryAt }),
});

test("only failures that may pass are retried", () => {
  const kinds: [ProviderErrorKind, boolean][] = [
    ["rate_limited", true],
    ["unavailable", true],
    ["timeout", true],
    ["invalid", false],
    ["conflict", false],
    ["not_found", false],
    ["forbidden", false],
    ["unauthorized", false],
    ["locked_out", false],
    ["unknown_outcome", false],
    ["unreadable", false],
  ];
  for (const [kind, repeated] of kinds) {
    assert.equal(planNextAttempt([failed(kind)], terms(), 0) !== undefined, repeated, kind);
  }
});

test("an answer that cannot be read is asked for three times, unless the request must not be repeated", () => {
  const at = (attempts: number, isRepeatable: boolean) =>
    planNextAttempt([failed("unreadable")], terms({ attempts, isRepeatable }), 0) !== undefined;
  assert.deepEqual([at(1, true), at(2, true), at(3, true), at(1, false)], [true, true, false, false]);
});

test("a create whose answer was lost is retried only until the time at which it may no longer be", () => {
  const until = (ms: number) => terms({ repeatUnknownUntil: new Date(ms) });
  const lost = failed("unknown_outcome");
  assert.equal(planNextAttempt([lost], until(10_000), 0)?.repeatsUnknown, true);
  const late = failed("unknown_outcome", new Date(20_000));
  assert.equal(planNextAttempt([late], until(10_000), 0), undefined);
  // The others are retried without it.
  assert.equal(planNextAttempt([late, failed("timeout")], until(10_000), 0)?.repeatsUnknown, false);
});

test("waits grow with full jitter up to ten minutes", () => {
  for (const [attempts, max] of [
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [30, 600_000],
  ] as const) {
    const next = planNextAttempt([failed("unavailable")], terms({ attempts }), 0, () => 1);
    assert.equal(next?.at.getTime(), max);
  }
  assert.equal(
    planNextAttempt([failed("unavailable")], terms({ attempts: 5 }), 0, () => 0)?.at.getTime(),
    250,
  );
});

test("the provider's own time counts", () => {
  const next = planNextAttempt([failed("rate_limited", new Date(20_000))], terms(), 0, () => 0);
  assert.deepEqual(next?.at, new Date(20_000));
});

test("a wait that would pass the deadline ends the write now", () => {
  assert.equal(planNextAttempt([failed("rate_limited", new Date(9_999_999))], terms(), 0), undefined);
});

test("one retryable record is enough for a retry, a success is not retried", () => {
  assert.ok(planNextAttempt([failed("invalid"), failed("timeout")], terms(), 0));
  assert.equal(planNextAttempt([{ success: true }], terms(), 0), undefined);
});

test("records of an all-or-none batch are retried together or not at all", () => {
  const mixed = [failed("invalid"), failed("unavailable")];
  assert.equal(planNextAttempt(mixed, terms({ allOrNone: true }), 0), undefined);
  assert.ok(planNextAttempt([failed("unavailable"), failed("timeout")], terms({ allOrNone: true }), 0));
  // If the provider wrote some records anyway (HubSpot's updates), the others are retried alone.
  assert.ok(planNextAttempt([{ success: true }, ...mixed], terms({ allOrNone: true }), 0));
});

test("a write that was never tried gets one attempt, however late, unless its connection is rate limited", () => {
  const deadline = new Date(1_000);
  assert.equal(findDeadlineError({ deadline, attempts: 0 }, undefined, 2_000), undefined);
  assert.equal(findDeadlineError({ deadline, attempts: 1 }, new Date(900), 500), undefined);
  assert.equal(findDeadlineError({ deadline, attempts: 1 }, undefined, 2_000)?.kind, "timeout");
  assert.equal(findDeadlineError({ deadline, attempts: 0 }, new Date(1_001), 500)?.kind, "rate_limited");
});

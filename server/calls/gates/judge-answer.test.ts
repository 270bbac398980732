import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ProviderResponse } from "../../../connector-kit/calls/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../../../connector-kit/calls/provider-error.ts";
import {
  computeClosedGate,
  judgeAnswer,
  findRateLimit,
  findStrictest,
  withGateTime,
} from "./judge-answer.ts";

const NOW = 1_000_000;
const error = (kind: ProviderErrorKind, retryAt?: Date) =>
  new ProviderError({ kind, message: kind, retryAt });
const answer = (status: number, headers: Record<string, string> = {}): ProviderResponse => ({
  status,
  headers,
  text: "",
});
const gateMs = (retryAt: Date | undefined, guesses = 0, retryable = true) =>
  computeClosedGate({ retryAt, retryable }, guesses, NOW).until.getTime() - NOW;

describe("an answer closes the gate", () => {
  test("when it is a 429, or a 403 that says that a quota is used up", () => {
    assert.deepEqual(judgeAnswer(answer(429), undefined), { retryable: true, retryAt: undefined });
    assert.ok(judgeAnswer(answer(403, { "x-ratelimit-remaining": "0" }), undefined));
    assert.ok(judgeAnswer(answer(403, { "retry-after": "5" }), undefined)?.retryAt);
  });

  test("when the connector knows it as a rate limit or a lockout, whatever the status", () => {
    const at = new Date(NOW + 5_000);
    assert.deepEqual(
      judgeAnswer(answer(400), () => error("rate_limited", at)),
      { retryable: true, retryAt: at },
    );
    assert.deepEqual(
      judgeAnswer(answer(500), () => error("locked_out")),
      { retryable: false, retryAt: undefined },
    );
  });

  test("until the time in its headers where the connector knows none", () => {
    const beforeMs = Date.now();
    const limit = judgeAnswer(answer(429, { "ratelimit-reset": "30" }), () => error("rate_limited"));
    const judgedMs = (limit?.retryAt?.getTime() ?? 0) - 30_000;
    assert.ok(judgedMs > beforeMs - 1_000 && judgedMs < Date.now() + 1_000, String(judgedMs - beforeMs));
  });

  test("never when it is another refusal or a success", () => {
    for (const status of [200, 204, 301, 400, 401, 403, 404, 500, 503])
      assert.equal(judgeAnswer(answer(status), undefined), undefined, String(status));
    assert.equal(
      judgeAnswer(answer(200), () => error("rate_limited")),
      undefined,
    );
  });
});

test("only rate limits and lockouts concern the connection as a whole", () => {
  const kinds: ProviderErrorKind[] = [
    "unauthorized",
    "forbidden",
    "not_found",
    "invalid",
    "conflict",
    "unavailable",
    "timeout",
    "unknown_outcome",
    "unreadable",
  ];
  for (const kind of kinds) assert.equal(findRateLimit(error(kind)), undefined, kind);
  assert.equal(findRateLimit(error("rate_limited"))?.retryable, true);
  assert.equal(findRateLimit(error("locked_out"))?.retryable, false);
});

test("of several limits a lockout counts before rate limits, and the latest time counts", () => {
  const [soon, late] = [new Date(1), new Date(2)];
  const limits = [
    { retryable: true, retryAt: late },
    { retryable: true, retryAt: soon },
  ];
  assert.deepEqual(findStrictest(limits), limits[0]);
  assert.deepEqual(findStrictest([...limits, { retryable: false }]), {
    retryable: false,
    retryAt: undefined,
  });
  assert.equal(findStrictest([]), undefined);
});

describe("a closed gate", () => {
  test("opens at the provider's time", () => {
    assert.equal(gateMs(new Date(NOW + 20_001)), 20_001);
  });

  test("opens after a day at the latest, whatever time the provider names", () => {
    assert.equal(gateMs(new Date("9999-01-01")), 24 * 3_600_000);
  });

  test("opens after a guess that grows up to a minute where the provider names no time, or one that is over", () => {
    for (const [guesses, ms] of [
      [0, 1_000],
      [1, 2_000],
      [4, 16_000],
      [30, 60_000],
    ] as const) {
      assert.equal(gateMs(undefined, guesses), ms);
      assert.equal(gateMs(new Date(NOW - 1), guesses), ms);
    }
  });

  test("stays closed for a quarter of an hour where credentials may be locked", () => {
    assert.equal(gateMs(undefined, 0, false), 15 * 60_000);
    assert.equal(gateMs(new Date(NOW + 60_000), 0, false), 60_000);
  });
});

test("a rate limit's error names the time at which the gate opens, other errors stay as they are", () => {
  const gate = { until: new Date(NOW), retryable: true };
  assert.equal(withGateTime(error("rate_limited", new Date(1)), gate).retryAt?.getTime(), NOW);
  const invalid = error("invalid");
  assert.equal(withGateTime(invalid, gate), invalid);
});

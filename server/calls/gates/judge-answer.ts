/** Decides what a provider's answer means for its connection's gate: whether it closes, and until when. Pure. */
import type { Connector } from "../../../connector-kit/connector.ts";
import type { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { Account, ProviderResponse } from "../../../connector-kit/calls/provider-fetch.ts";
import { reportsLimit, retryTime } from "../../../ground/retry-after.ts";

/** A refusal that applies to more requests of the connection than the refused one. */
export interface RateLimit {
  /** When the provider accepts requests again; undefined where it gave no time. */
  retryAt?: Date;
  /** False when the provider may have locked the credentials: a retry makes it worse. */
  retryable: boolean;
  /** Whether it applies to some kind of requests only. */
  isPartialLimit?: boolean;
}

/** A gate: nothing is sent for the connection before `until`. */
export interface ClosedGate {
  until: Date;
  retryable: boolean;
}

/** Returns the rate limit that an HTTP answer reports, by the connector's classification or by status and headers. */
export function judgeAnswer(
  answer: ProviderResponse,
  classify: Connector["classify"],
  account?: Account,
): RateLimit | undefined {
  if (answer.status < 400) return undefined;
  const error = classify?.(answer, account);
  const limit = error && findRateLimit(error);
  if (!limit && !reportsLimit(answer.status, answer.headers)) return undefined;
  return { retryable: true, ...limit, retryAt: limit?.retryAt ?? retryTime(answer.headers) };
}

/** Returns the rate limit that an error reports. */
export function findRateLimit({ kind, retryAt, isPartialLimit }: ProviderError): RateLimit | undefined {
  if (kind !== "rate_limited" && kind !== "locked_out") return undefined;
  return { retryAt, retryable: kind === "rate_limited", ...(isPartialLimit && { isPartialLimit }) };
}

/** Returns one limit that is at least as strict as each of these: a lockout before a rate limit, the latest time. */
export function findStrictest(limits: RateLimit[]): RateLimit | undefined {
  const lockouts = limits.filter(({ retryable }) => !retryable);
  const counted = lockouts.length > 0 ? lockouts : limits;
  if (counted.length === 0) return undefined;
  const times = counted.flatMap(({ retryAt }) => retryAt?.getTime() ?? []);
  return {
    retryAt: times.length > 0 ? new Date(Math.max(...times)) : undefined,
    retryable: lockouts.length === 0,
  };
}

const FIRST_GUESS_MS = 1_000;
const LONGEST_GUESS_MS = 60_000;
/** How long the gate stays closed after a lockout: time for a person to act. */
const LOCKED_OUT_MS = 15 * 60_000;
/** A day is the longest quota that providers have; a later time is a mistake in a header. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * Returns the gate that a rate limit closes. `guesses` is how often in a row the connection was limited without being
 * given a time: each guess is twice as long as the one before.
 */
export function computeClosedGate(limit: RateLimit, guesses: number, nowMs: number): ClosedGate {
  const guessMs = Math.min(FIRST_GUESS_MS * 2 ** guesses, LONGEST_GUESS_MS);
  const waitMs = computeGivenWaitMs(limit, nowMs) ?? (limit.retryable ? guessMs : LOCKED_OUT_MS);
  return { until: new Date(nowMs + Math.min(waitMs, LONGEST_MS)), retryable: limit.retryable };
}

/** Returns how long the provider asked to wait; undefined for a time in the past, which may come from a wrong clock. */
export function computeGivenWaitMs({ retryAt }: RateLimit, nowMs: number): number | undefined {
  const waitMs = retryAt ? retryAt.getTime() - nowMs : 0;
  return waitMs > 0 ? waitMs : undefined;
}

/** Returns a rate limit's error with the time at which the closed gate opens, which callers are to wait for. */
export function withGateTime(error: ProviderError, gate: ClosedGate | undefined): ProviderError {
  if (!gate || !findRateLimit(error) || error.retryAt?.getTime() === gate.until.getTime()) return error;
  return error.with({ retryAt: gate.until });
}

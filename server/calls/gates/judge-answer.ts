/** Decides what a provider's answer means for its connection's gate: whether it closes, and until when. Pure. */
import type { Account, Connector, ProviderResponse } from "../../../connector-kit/connector.ts";
import type { ProviderError } from "../../../connector-kit/provider-error.ts";
import { retryTime } from "../../ground/retry-after.ts";

/** What a provider said about every request of the connection, not only about the one it refused. */
export interface RateLimit {
  /** When the provider accepts requests again; undefined where it gave no time. */
  retryAt?: Date;
  /** False when the provider may have locked the credentials: a retry makes it worse. */
  retryable: boolean;
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
  const limit = error && judgeErrors([error]);
  if (!limit && answer.status !== 429 && !isQuotaRefusal(answer)) return undefined;
  return { retryable: true, ...limit, retryAt: limit?.retryAt ?? retryTime(answer.headers) };
}

/** Returns the strictest rate limit that these errors report. */
export function judgeErrors(errors: ProviderError[]): RateLimit | undefined {
  const limits = errors.filter(({ kind }) => kind === "rate_limited" || kind === "locked_out");
  if (limits.length === 0) return undefined;
  const times = limits.flatMap(({ retryAt }) => retryAt?.getTime() ?? []);
  return {
    retryable: limits.every(({ kind }) => kind === "rate_limited"),
    retryAt: times.length > 0 ? new Date(Math.max(...times)) : undefined,
  };
}

const FIRST_GUESS_MS = 1_000;
const LONGEST_GUESS_MS = 60_000;
/** Long enough for a person to look at the account. */
const LOCKED_OUT_MS = 15 * 60_000;
/** A day is the longest quota that providers have; a later time is a mistake in a header. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * Returns the gate that a rate limit closes. `guesses` is how often in a row the connection was limited without being
 * given a time: each guess is twice as long as the one before.
 */
export function closedGate({ retryAt, retryable }: RateLimit, guesses: number, nowMs: number): ClosedGate {
  const guessMs = retryable ? Math.min(FIRST_GUESS_MS * 2 ** guesses, LONGEST_GUESS_MS) : LOCKED_OUT_MS;
  const waitMs = hasWait({ retryAt }, nowMs) ? retryAt.getTime() - nowMs : guessMs;
  // Rounded up to whole seconds, the precision of `Retry-After`: a caller who obeys the header finds the gate open.
  const untilMs = Math.ceil((nowMs + Math.min(waitMs, LONGEST_MS)) / 1_000) * 1_000;
  return { until: new Date(untilMs), retryable };
}

/** Whether a time to wait for was given. One in the past is none, or a clock that is wrong would turn waiting off. */
export const hasWait = <Limit extends Pick<RateLimit, "retryAt">>(
  limit: Limit,
  nowMs: number,
): limit is Limit & { retryAt: Date } => limit.retryAt !== undefined && limit.retryAt.getTime() > nowMs;

/**
 * GitHub and others refuse with 403 when a quota is used up, and say so in the headers.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
const isQuotaRefusal = ({ status, headers }: ProviderResponse): boolean =>
  status === 403 && (headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined);

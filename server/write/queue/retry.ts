/** Decides whether and when a failed attempt at a queued write is repeated. Pure. */
import type { RecordOutcome } from "../../../connector-kit/connector.ts";
import { isRetryable, ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { computeBackoffMs } from "../../jobs/backoff.ts";

export interface RetryTerms {
  deadline: Date;
  /** Attempts made so far, this one included. */
  attempts: number;
  baseMs: number;
  /** Time until which a create whose answer was lost may be sent again; undefined if never. */
  repeatUnknownUntil: Date | undefined;
  /** Whether the records are written together or not at all: none is repeated without the others. */
  allOrNone: boolean;
  /** Whether a record may be written twice: true unless it is created. */
  isRepeatable: boolean;
}

/** Number of attempts when an answer cannot be parsed: something in between may have cut it off. */
const ATTEMPTS_AT_BROKEN_ANSWER = 3;

export interface NextAttempt {
  at: Date;
  /** Whether it repeats creates whose answers were lost. */
  repeatsUnknown: boolean;
}

/** Returns whether a later attempt at this record may succeed. */
export const mayRepeat = (
  { kind }: ProviderError,
  repeatsUnknown: boolean,
  { attempts, isRepeatable }: Pick<RetryTerms, "attempts" | "isRepeatable">,
): boolean =>
  isRetryable(kind) ||
  (kind === "unknown_outcome" && repeatsUnknown) ||
  (kind === "unreadable" && isRepeatable && attempts < ATTEMPTS_AT_BROKEN_ANSWER);

/**
 * Returns when the next attempt is due: exponential backoff with full jitter, but not before the provider's own time.
 * Undefined where no attempt may help, or none fits before the deadline.
 */
export function planNextAttempt(
  outcomes: RecordOutcome[],
  terms: RetryTerms,
  nowMs: number,
  random: () => number = Math.random,
): NextAttempt | undefined {
  const until = terms.repeatUnknownUntil;
  const withUnknown = until && findRetryTime(outcomes, terms, true, nowMs, random);
  if (withUnknown && withUnknown <= until) return { at: withUnknown, repeatsUnknown: true };
  const at = findRetryTime(outcomes, terms, false, nowMs, random);
  return at && { at, repeatsUnknown: false };
}

function findRetryTime(
  outcomes: RecordOutcome[],
  terms: RetryTerms,
  repeatsUnknown: boolean,
  nowMs: number,
  random: () => number,
): Date | undefined {
  const errors = outcomes.flatMap((outcome) =>
    !outcome.success && mayRepeat(outcome.error, repeatsUnknown, terms) ? [outcome.error] : [],
  );
  const isPartOfWhole =
    terms.allOrNone && errors.length < outcomes.length && !outcomes.some(({ success }) => success);
  if (errors.length === 0 || isPartOfWhole) return undefined;
  const times = errors.map((error) => error.retryAt?.getTime() ?? 0);
  const at = Math.max(nowMs + computeBackoffMs(terms, random), ...times);
  return at > terms.deadline.getTime() ? undefined : new Date(at);
}

/**
 * Returns why no attempt can be made any more: the connection's gate stays closed beyond the deadline, or the deadline
 * has passed. A write that was never tried gets one attempt, however late it is.
 */
export function findDeadlineError(
  { deadline, attempts }: { deadline: Date; attempts: number },
  closedUntil: Date | undefined,
  nowMs: number,
): ProviderError | undefined {
  const ends = deadline.toISOString();
  if (closedUntil && closedUntil > deadline) {
    const message = `Not sent: the provider's rate limit is reached until ${closedUntil.toISOString()}, and the deadline is ${ends}.`;
    return new ProviderError({ kind: "rate_limited", message, retryAt: closedUntil });
  }
  if (attempts === 0 || nowMs <= deadline.getTime()) return undefined;
  const message = `The deadline, ${ends}, passed before another attempt; the log says how the last one ended.`;
  return new ProviderError({ kind: "timeout", message });
}

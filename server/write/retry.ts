/** Decides whether and when a failed attempt is repeated. Pure. */
import type { RecordOutcome } from "../../connectors/kit/connector.ts";
import { isRetryable, type ProviderError } from "../../connectors/kit/errors.ts";

const LONGEST_WAIT_MS = 10 * 60_000;

export interface RetryTerms {
  deadline: Date;
  /** Attempts made so far, this one included. */
  attempts: number;
  baseMs: number;
  /** Whether a create whose answer was lost may be sent again. */
  repeatUnknown: boolean;
  /** Whether the records stand or fall together: none is repeated without the others. */
  allOrNone: boolean;
}

export interface RetryDecision {
  /** When the next attempt is due; undefined: there is none. */
  at?: Date;
  /** Whether the provider asked the whole connection to wait until then. */
  closesGate: boolean;
}

/** Whether this record's failure may go away by itself. */
export const mayRepeat = (error: ProviderError, repeatUnknown: boolean): boolean =>
  isRetryable(error.kind) || (error.kind === "unknown_outcome" && repeatUnknown);

/** Exponential with full jitter, the provider's own time where it gave one; never past the deadline. */
export function decideRetry(
  outcomes: RecordOutcome[],
  terms: RetryTerms,
  nowMs: number,
  random: () => number = Math.random,
): RetryDecision {
  const errors = outcomes.flatMap((outcome) =>
    !outcome.success && mayRepeat(outcome.error, terms.repeatUnknown) ? [outcome.error] : [],
  );
  const closesGate = errors.some((error) => error.kind === "rate_limited");
  const isPartOfWhole =
    terms.allOrNone && errors.length < outcomes.length && !outcomes.some(({ success }) => success);
  if (errors.length === 0 || isPartOfWhole) return { closesGate };
  const ceiling = Math.min(LONGEST_WAIT_MS, terms.baseMs * 2 ** (terms.attempts - 1));
  // Not nothing: an immediate repeat of what has just failed helps nobody.
  const backoff = Math.max(terms.baseMs / 4, random() * ceiling);
  const told = Math.max(0, ...errors.map((error) => error.retryAt?.getTime() ?? 0));
  const at = Math.max(nowMs + backoff, told);
  return at > terms.deadline.getTime() ? { closesGate } : { at: new Date(at), closesGate };
}

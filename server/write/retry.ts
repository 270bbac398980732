/** Decides whether and when a failed attempt is repeated. Pure. */
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { isRetryable, ProviderError } from "../../connector-kit/provider-error.ts";
import { backoffMs } from "../jobs/backoff.ts";

/** Quotas start anew within a day; a provider that names a later time would hold the connection for ever. */
const LONGEST_GATE_MS = 24 * 3_600_000;

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
  const backoff = backoffMs(terms, random);
  const told = Math.max(0, ...errors.map((error) => error.retryAt?.getTime() ?? 0));
  const at = Math.max(nowMs + backoff, told);
  return at > terms.deadline.getTime() ? { closesGate } : { at: new Date(at), closesGate };
}

/** Until when a provider that said wait is left alone by everyone: as it said, or until the next attempt. */
export function gateUntil(
  decision: RetryDecision,
  errors: ProviderError[],
  nowMs: number,
  baseMs: number,
): Date {
  const told = errors.map((error) => error.retryAt?.getTime() ?? 0);
  const until = Math.max(decision.at?.getTime() ?? nowMs + baseMs, ...told);
  return new Date(Math.min(until, nowMs + LONGEST_GATE_MS));
}

/**
 * Why no attempt can be made any more: the connection is told to wait beyond the deadline, or the deadline has passed. A
 * write that was never tried gets its one attempt, however late we are.
 */
export function deadlinePassed(
  { deadline, attempts }: { deadline: Date; attempts: number },
  closedUntil: Date | undefined,
  nowMs: number,
): ProviderError | undefined {
  const ends = deadline.toISOString();
  if (closedUntil && closedUntil > deadline) {
    const message = `Not sent: the provider takes nothing from this connection before ${closedUntil.toISOString()}, and the deadline is ${ends}.`;
    return new ProviderError({ kind: "rate_limited", message, retryAt: closedUntil });
  }
  if (attempts === 0 || nowMs <= deadline.getTime()) return undefined;
  const message = `The deadline, ${ends}, passed before another attempt; the log says how the last one ended.`;
  return new ProviderError({ kind: "timeout", message });
}

/** Throttle mode: reads from an answer that the provider wants to be left alone, closes the gate, and says until when. */
import { LRUCache } from "lru-cache";
import type { Catalog } from "../../connectors/catalog.ts";
import type { Account, ProviderResponse } from "../../connector-kit/provider-fetch.ts";
import type { ClosedGate, ConnectionGates } from "../calls/gates/process-gates.ts";
import { nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";
import type { Target } from "./target.ts";
import { retryTime } from "../ground/retry-after.ts";

export interface Throttle {
  /** A refusal while the connection's gate is closed. */
  refusal(target: Target): Problem | undefined;
  /** Whether the body of an answer must be known before `judge` can tell what it means. */
  needsBody(target: Target, status: number): boolean;
  /** The headers to add when the answer says "wait", after closing the gate; undefined for any other answer. */
  judge(target: Target, answer: ProviderResponse): string[] | undefined;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_GUESS_MS = 60_000;
/** A provider that names no time after a lock-out: long enough for people to look. */
const LOCKED_OUT_MS = 15 * 60_000;
/** Daily quotas are the longest there are; more is a mistake in a header. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

export function openThrottle(deps: { catalog: Catalog; gates: ConnectionGates }): Throttle {
  /** How often in a row a connection was told to wait without being told how long. */
  const strikes = new LRUCache<string, number>({ max: 50_000 });
  const guessMs = (connectionId: string): number => {
    const count = strikes.get(connectionId) ?? 0;
    strikes.set(connectionId, count + 1);
    return Math.min(FIRST_WAIT_MS * 2 ** count, LONGEST_GUESS_MS);
  };
  return {
    refusal({ connectionId, provider }) {
      const gate = deps.gates.closedUntil(connectionId);
      return gate && tooEarly(gate, provider);
    },
    needsBody: ({ provider }, status) =>
      status >= 400 && deps.catalog.connector(provider)?.classify !== undefined,
    judge({ connectionId, provider, account }, answer) {
      const told = understand(deps.catalog, provider, account, answer);
      if (!told) {
        if (answer.status < 400) strikes.delete(connectionId);
        return undefined;
      }
      const waitMs = told.waitMs ?? (told.lockedOut ? LOCKED_OUT_MS : guessMs(connectionId));
      // Whole seconds, because that is all the header can say.
      const untilMs = Math.ceil((nowMs() + Math.min(waitMs, LONGEST_WAIT_MS)) / 1_000) * 1_000;
      deps.gates.close(connectionId, new Date(untilMs), !told.lockedOut);
      return headerLines(
        deps.gates.closedUntil(connectionId) ?? { until: new Date(untilMs), retryable: !told.lockedOut },
      );
    },
  };
}

/** Name and value in turn. The time is in the form of HTTP dates, with UTC for GMT. */
const headerLines = ({ until, retryable }: ClosedGate): string[] => [
  "X-Amp-Retry-After",
  until.toUTCString().replace(/GMT$/, "UTC"),
  "X-Amp-Retryable",
  String(retryable),
];

function tooEarly(gate: ClosedGate, provider: string): Problem {
  const [retryAfterName = "", retryAfter = "", retryableName = "", retryable = ""] = headerLines(gate);
  const detail = gate.retryable
    ? `${provider} asked to be left alone until ${gate.until.toISOString()}, so this call was not sent. Repeat it then.`
    : `${provider} may have locked this connection's credentials, so this call was not sent. Check the account before repeating it after ${gate.until.toISOString()}.`;
  return new Problem("too-many-requests", {
    detail,
    retryable: gate.retryable,
    retryAfter: gate.until,
    headers: { [retryAfterName]: retryAfter, [retryableName]: retryable },
  });
}

interface Told {
  lockedOut: boolean;
  waitMs?: number;
}

/** What the provider's own connector makes of the answer, or what its status and headers say by custom. */
function understand(
  catalog: Catalog,
  provider: string,
  account: Account | undefined,
  answer: ProviderResponse,
): Told | undefined {
  const error = answer.status < 400 ? undefined : catalog.connector(provider)?.classify?.(answer, account);
  if (error?.kind === "rate_limited" || error?.kind === "locked_out") {
    return {
      lockedOut: error.kind === "locked_out",
      waitMs: waitFor(error.retryAt ?? retryTime(answer.headers)),
    };
  }
  if (answer.status !== 429 && !isQuotaRefusal(answer)) return undefined;
  return { lockedOut: false, waitMs: waitFor(retryTime(answer.headers)) };
}

/** Undefined also for a time that has passed: a clock that goes wrong must not turn waiting off. */
function waitFor(time: Date | undefined): number | undefined {
  const waitMs = time ? time.getTime() - nowMs() : 0;
  return waitMs > 0 ? waitMs : undefined;
}

/**
 * GitHub, and others after it, refuse with 403 when a quota is used up and say so in the headers.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
const isQuotaRefusal = ({ status, headers }: ProviderResponse): boolean =>
  status === 403 && (headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined);

/** Throttle mode of the proxy: closes the connection's gate on a rate limit, and refuses calls while it is closed. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import type { ProviderResponse } from "../../connector-kit/calls/provider-fetch.ts";
import { roundUpToSecond } from "../../ground/retry-after.ts";
import { judgeAnswer, type ClosedGate } from "../calls/gates/judge-answer.ts";
import type { ConnectionGates } from "../calls/gates/shared-gates.ts";
import { Problem } from "../../ground/errors.ts";
import type { Target } from "./target.ts";

export interface Throttle {
  /** Returns a refusal while the connection's gate is closed. */
  refusal(target: Target): Problem | undefined;
  /** Returns whether `judge` needs the body of an answer. */
  needsBody(target: Target, status: number): boolean;
  /** Closes the gate on a rate limit and returns the headers to add to the answer; undefined for other answers. */
  judge(target: Target, answer: ProviderResponse): string[] | undefined;
}

export function openThrottle(deps: {
  catalog: Catalog;
  /** Returns the gates of the customer's shard. */
  chooseGates: (target: Target) => ConnectionGates;
}): Throttle {
  return {
    refusal(target) {
      const { connectionId, provider } = target;
      const gate = deps.chooseGates(target).closedUntil(connectionId);
      return gate && refuseTooEarly(gate, provider);
    },
    needsBody: ({ projectId, provider }, status) =>
      status >= 400 && deps.catalog.of(projectId).connector(provider)?.classify !== undefined,
    judge(target, answer) {
      const { connectionId, projectId, provider, account } = target;
      const limit = judgeAnswer(answer, deps.catalog.of(projectId).connector(provider)?.classify, account);
      if (limit) return listHeaderLines(deps.chooseGates(target).close(connectionId, limit));
      if (answer.status < 400) deps.chooseGates(target).accepted(connectionId);
      return undefined;
    },
  };
}

/** Name and value in turn. The time is in the form of HTTP dates, with UTC for GMT. */
const listHeaderLines = ({ until, retryable }: ClosedGate): string[] => [
  "X-Amp-Retry-After",
  roundUpToSecond(until).toUTCString().replace(/GMT$/, "UTC"),
  "X-Amp-Retryable",
  String(retryable),
];

function refuseTooEarly(gate: ClosedGate, provider: string): Problem {
  const [retryAfterName = "", retryAfter = "", retryableName = "", retryable = ""] = listHeaderLines(gate);
  const detail = gate.retryable
    ? `${provider} limits calls of this connection until ${gate.until.toISOString()}, so this call was not sent. Repeat it then.`
    : `${provider} may have locked this connection's credentials, so this call was not sent. Check the account before repeating it after ${gate.until.toISOString()}.`;
  return new Problem(gate.retryable ? "rate-limited" : "credentials-locked", {
    status: 429,
    detail,
    retryable: gate.retryable,
    retryAfter: gate.until,
    headers: { [retryAfterName]: retryAfter, [retryableName]: retryable },
  });
}

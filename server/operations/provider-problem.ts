/** Turns a provider's error on reading or changing objects into a Problem. */
import { isRetryable, type ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { Problem, type ProblemOptions } from "../../ground/errors.ts";
import type { ProblemSlug } from "../../ground/problem-types.ts";

/** Descriptions of the refusals that the provider causes. */
export const PROVIDER_REFUSALS = {
  422: "The provider refused.",
  429: "The provider's rate limit is reached.",
  502: "The provider could not be reached, or its response could not be read.",
  504: "The provider did not respond in time.",
};

/** Options in `more` override those of the error. */
export const toProviderProblem = (
  error: ProviderError,
  connectionId: string,
  more: Partial<ProblemOptions> = {},
): Problem =>
  new Problem(chooseSlug(error), {
    detail: formatSentence(error),
    retryable: isRetryable(error.kind),
    retryAfter: error.retryAt,
    cause: error,
    ...more,
    extensions: { ...more.extensions, ...(error.kind === "unauthorized" && { connectionId }) },
  });

/** Returns the provider's message as a sentence, with a remedy if the kind has one. */
export function formatSentence({ kind, message }: ProviderError): string {
  const why = /[.!?]$/.test(message) ? message : `${message}.`;
  if (kind === "unauthorized") return `${why} The customer has to connect the account again.`;
  if (isRetryable(kind)) return `${why} Try again later.`;
  return why;
}

function chooseSlug({ kind }: ProviderError): ProblemSlug {
  switch (kind) {
    case "not_found":
      return "not-found";
    case "forbidden":
      return "forbidden";
    case "unavailable":
      return "provider-unreachable";
    case "timeout":
      return "provider-timeout";
    case "unknown_outcome":
      return "unknown-outcome";
    case "unreadable":
      return "provider-unreadable";
    case "unauthorized":
      return "reconnect-required";
    case "rate_limited":
      return "rate-limited";
    case "locked_out":
      return "credentials-locked";
    default:
      return "provider-refused";
  }
}

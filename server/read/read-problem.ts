/** Turns a provider's error on reading, while a caller waits, into a Problem. */
import { isRetryable, type ProviderError } from "../../connector-kit/provider-error.ts";
import { Problem } from "../ground/errors.ts";
import type { ProblemSlug } from "../ground/problem-types.ts";
import { sentence } from "../operations/provider-problem.ts";

/** Descriptions of the refusals that the provider causes. */
export const READ_REFUSALS = {
  422: "The provider refused, or the connection has bad credentials.",
  429: "The provider's rate limit is reached.",
  502: "The provider could not be reached, or its response could not be read.",
  504: "The provider did not respond in time.",
};

/** What the provider finds wrong with the request is the caller's to correct: 400, with its reason in `causes`. */
export const readProblem = (error: ProviderError): Problem =>
  new Problem(slugOf(error), {
    detail: sentence(error),
    causes: [error.message],
    retryable: isRetryable(error.kind),
    retryAfter: error.retryAt,
    cause: error,
  });

function slugOf({ kind }: ProviderError): ProblemSlug {
  switch (kind) {
    case "invalid":
    case "not_found":
      return "invalid-request";
    case "rate_limited":
    case "locked_out":
      return "too-many-requests";
    case "unavailable":
      return "provider-unreachable";
    case "timeout":
    case "unknown_outcome":
      return "provider-timeout";
    case "unreadable":
      return "provider-unreadable";
    default:
      return "provider-refused";
  }
}

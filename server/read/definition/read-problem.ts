/** Turns a provider's error on reading, while a caller waits, into a Problem. */
import { isRetryable, type ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { Problem } from "../../../ground/errors.ts";
import type { ProblemSlug } from "../../../ground/problem-types.ts";
import { formatSentence } from "../../operations/provider-problem.ts";

/** Descriptions of the refusals that the provider causes. */
export const READ_REFUSALS = {
  422: "The provider refused, or the connection has bad credentials.",
  429: "The provider's rate limit is reached.",
  502: "The provider could not be reached, or its response could not be read.",
  504: "The provider did not respond in time.",
};

/** A fault that the provider finds in the request is the caller's to correct: 400, with the reason in `causes`. */
export const readProblem = (error: ProviderError, connectionId: string): Problem =>
  new Problem(SLUGS[error.kind], {
    detail: formatSentence(error),
    causes: [error.message],
    ...(["invalid", "not_found"].includes(error.kind) && { status: 400 }),
    retryable: isRetryable(error.kind),
    retryAfter: error.retryAt,
    cause: error,
    ...(error.kind === "unauthorized" && { extensions: { connectionId } }),
  });

const SLUGS: Record<ProviderError["kind"], ProblemSlug> = {
  unauthorized: "reconnect-required",
  forbidden: "permission-missing",
  not_found: "provider-refused",
  invalid: "provider-refused",
  conflict: "provider-refused",
  rate_limited: "rate-limited",
  unavailable: "provider-unreachable",
  timeout: "provider-timeout",
  unknown_outcome: "provider-timeout",
  locked_out: "credentials-locked",
  unreadable: "provider-unreadable",
};

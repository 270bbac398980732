/** Renders refusals as Problem Details (RFC 9457) and converts any other error into one. */
import { now, nowMs } from "../../ground/clock.ts";
import type { SupportContact } from "../../ground/server-settings.ts";
import { isCustomerMoving, refuseMoving } from "../store/shards/each-shard.ts";
import { findAway, isDatabaseAway, isDiskFull, mayBeCommitted } from "../store/database/database-outage.ts";
import { Problem, type Issue } from "../../ground/errors.ts";
import { PROBLEM_TYPES, type ProblemSlug } from "../../ground/problem-types.ts";

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** The part of the API that refused; the `subsystem` member. */
export type Subsystem = "api" | "write" | "read" | "search" | "proxy";

/** Returns the body of a refusal. `docsUrl`: base URL of the reference, without a trailing slash. */
export function formatProblem(
  problem: Problem,
  context: { requestId: string; subsystem: Subsystem; docsUrl: string; support?: SupportContact },
): Record<string, unknown> {
  const { detail, remedy, issues, causes, retryAfter, context: more, extensions } = problem.options;
  const type = `${context.docsUrl}/problems/${problem.slug}`;
  return {
    type,
    href: type,
    title: PROBLEM_TYPES[problem.slug].title,
    status: problem.status,
    detail,
    instance: `urn:uuid:${context.requestId}`,
    remedy,
    ...context.support,
    subsystem: context.subsystem,
    time: now().toISOString(),
    requestId: context.requestId,
    retryable: problem.retryable,
    retryAfter: retryAfter?.toISOString(),
    causes: causes ?? (issues && issues.length > 1 ? issues.map(formatIssue) : undefined),
    context: more,
    issues: issues?.map((issue) => toIssueBody(issue, problem)),
    ...extensions,
  };
}

const formatIssue = (issue: Issue): string => `${issue.name}: ${issue.detail}`;

/** Each issue is itself a Problem, with the place it concerns. */
const toIssueBody = (issue: Issue, problem: Problem): Record<string, unknown> => ({
  type: "about:blank",
  title: PROBLEM_TYPES[problem.slug].title,
  status: problem.status,
  ...issue,
});

/** Errors that the web framework throws before a handler runs, by their code. */
const FRAMEWORK_ERRORS: Record<string, { slug: ProblemSlug; detail: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    slug: "unsupported-media-type",
    detail: "This endpoint takes a JSON body: send it with the header `Content-Type: application/json`.",
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    slug: "body-too-large",
    detail:
      "The body is larger than this endpoint takes (10 MB, without a credential 64 KB, uploads 50 MB). Send it in smaller parts.",
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    slug: "invalid-request",
    detail: "The length of the body differs from its `Content-Length` header. Send the request again.",
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    slug: "unknown-path",
    detail: "A name or ID in the path is longer than any valid one.",
  },
  FST_ERR_BAD_URL: { slug: "invalid-request", detail: "The path contains an invalid percent-encoding." },
};

/** About the duration of a failover to a standby that is ready. */
const DATABASE_RETRY_MS = 2_000;

/** What is known of the request that an error ended. */
interface EndedRequest {
  /** It changes nothing. */
  reads?: boolean;
  /** It has an idempotency key, so sending it again does nothing twice. */
  keyed?: boolean;
}

/** Converts any error to a Problem. An unknown error is internal, and its text stays in the log. */
export function toProblem(error: unknown, { reads = false, keyed = false }: EndedRequest = {}): Problem {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = FRAMEWORK_ERRORS[code];
  if (known) return new Problem(known.slug, { detail: known.detail, cause: error });
  if (isCustomerMoving(error)) return refuseMoving(error);
  if (!reads && mayBeCommitted(error)) {
    const what = "The database did not confirm in time, so the request may have been carried out or not.";
    return new Problem("unavailable", {
      detail: keyed
        ? `${what} Send it again with the same Idempotency-Key.`
        : `${what} Look it up before you send it again; with an Idempotency-Key it could be sent again safely.`,
      retryable: keyed,
      ...(keyed && { retryAfter: new Date(nowMs() + DATABASE_RETRY_MS) }),
      cause: error,
    });
  }
  const full = describeFullDisk(error, code);
  if (full !== undefined) return new Problem("unavailable", { detail: full, cause: error });
  if (isDatabaseAway(error)) {
    const shard = findAway(error);
    const database = `The database ${shard === undefined ? "" : `of the shard \`${shard}\` `}`;
    return new Problem("unavailable", {
      detail: `${database}does not answer at the moment. Nothing was done; try again in a few seconds.`,
      retryAfter: new Date(nowMs() + DATABASE_RETRY_MS),
      cause: error,
    });
  }
  return new Problem("internal", {
    detail: "This is a fault of the service, not of the request. The log has it under the `requestId`.",
    cause: error,
  });
}

/** Returns the detail for a disk without space; undefined for other errors. */
function describeFullDisk(error: unknown, code: string): string | undefined {
  const reported =
    "is full. Nothing was stored; try again when whoever runs this Busbar has freed some space.";
  if (isDiskFull(error)) return `The disk of the database ${reported}`;
  return code === "ENOSPC" || code === "EDQUOT" ? `The disk of the data folder ${reported}` : undefined;
}

/** Returns whether an `Accept` header excludes a media type with `q=0`. */
export const excludesType = (accept: string | undefined, media: string): boolean =>
  (accept ?? "").split(",").some((part) => {
    const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    return type === media && parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

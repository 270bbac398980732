/** Every way Busbar refuses something: one table of problem types and the error that carries one. */

/** Problem types by slug. `status` is HTTP; `retryable` says whether the same request may succeed later. */
export const PROBLEM_TYPES = {
  "invalid-request": { status: 400, title: "The request is not valid", retryable: false },
  "malformed-json": { status: 400, title: "The body is not JSON", retryable: false },
  "unsupported-by-provider": { status: 400, title: "The provider cannot do this", retryable: false },
  unauthenticated: { status: 401, title: "No valid credential", retryable: false },
  forbidden: { status: 403, title: "Not allowed", retryable: false },
  "proxy-disabled": { status: 403, title: "The proxy is not enabled for this integration", retryable: false },
  "not-found": { status: 404, title: "Not found", retryable: false },
  "unknown-path": { status: 404, title: "No such endpoint", retryable: false },
  "method-not-allowed": { status: 405, title: "Method not allowed", retryable: false },
  "request-timeout": { status: 408, title: "The request did not arrive in time", retryable: true },
  conflict: { status: 409, title: "In conflict with what exists", retryable: false },
  "operation-in-progress": { status: 409, title: "The first request is still running", retryable: true },
  "body-too-large": { status: 413, title: "The body is too large", retryable: false },
  "unsupported-media-type": { status: 415, title: "Unsupported media type", retryable: false },
  "semantically-invalid": { status: 422, title: "Understood, but not acceptable", retryable: false },
  "invalid-manifest": { status: 422, title: "The manifest has mistakes", retryable: false },
  "invalid-config": { status: 422, title: "The configuration does not fit the manifest", retryable: false },
  "provider-refused": { status: 422, title: "The provider refused", retryable: false },
  "idempotency-key-reused": {
    status: 422,
    title: "Idempotency key used for another request",
    retryable: false,
  },
  "too-many-requests": { status: 429, title: "Too many requests", retryable: true },
  internal: { status: 500, title: "Something went wrong on our side", retryable: true },
  "not-built": { status: 501, title: "Not built yet", retryable: false },
  "provider-unreachable": { status: 502, title: "The provider could not be reached", retryable: true },
  "provider-unreadable": {
    status: 502,
    title: "The provider's answer could not be understood",
    retryable: true,
  },
  unavailable: { status: 503, title: "Temporarily unavailable", retryable: true },
  "provider-timeout": { status: 504, title: "The provider did not answer in time", retryable: true },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type ProblemSlug = keyof typeof PROBLEM_TYPES;

/** One of several faults in one request: where it is, what it is, what to do. */
export interface Issue {
  in: "body" | "header" | "path" | "query";
  /** Path of the member, for example `batch[3].record.id`. */
  name: string;
  detail: string;
  value?: unknown;
  remedy?: string;
  /** Extra members shown as they are, for example `line`, `column`, `rule`. */
  [member: string]: unknown;
}

export interface ProblemOptions {
  /** What happened and what to do about it, for the caller. Never a secret, never an internal name. */
  detail: string;
  remedy?: string;
  issues?: Issue[];
  causes?: string[];
  retryable?: boolean;
  retryAfter?: Date;
  context?: Record<string, unknown>;
  /** Members that belong to this problem type only, for example the counters of a refused batch. */
  extensions?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** What really happened, for the log only. */
  cause?: unknown;
}

/** An answer that says no. Thrown anywhere, rendered in one place (`http/problem.ts`). */
export class Problem extends Error {
  override name = "Problem";
  readonly slug: ProblemSlug;
  readonly options: ProblemOptions;

  constructor(slug: ProblemSlug, options: ProblemOptions) {
    super(options.detail, { cause: options.cause });
    this.slug = slug;
    this.options = options;
  }

  get status(): number {
    return PROBLEM_TYPES[this.slug].status;
  }

  get retryable(): boolean {
    return this.options.retryable ?? PROBLEM_TYPES[this.slug].retryable;
  }
}

/** A start-up fault that a person must mend; printed as one line, without a stack. */
export class StartError extends Error {
  override name = "StartError";
  readonly exitCode: number = 1;
}

/** The command was called in a way that cannot work; builders' commands end with the same code. */
export class UsageError extends StartError {
  override name = "UsageError";
  override readonly exitCode = 2;
}

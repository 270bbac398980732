/** Errors that Busbar answers with (`Problem`) and errors that end a command. */
import { PROBLEM_TYPES, type ProblemSlug } from "./problem-types.ts";

/** One of several faults in a request. */
export interface Issue {
  in: "body" | "header" | "path" | "query";
  /** Path of the member, for example `batch[3].record.id`. */
  name: string;
  detail: string;
  value?: unknown;
  remedy?: string;
  /** Further members, for example `line`, `column`, `rule`. */
  [member: string]: unknown;
}

export interface ProblemOptions {
  /** What happened and what to do, for the caller. No secrets, no internal names. */
  detail: string;
  remedy?: string;
  issues?: Issue[];
  causes?: string[];
  retryable?: boolean;
  /** Instead of the type's status, where the contract fixes another one. */
  status?: number;
  retryAfter?: Date;
  context?: Record<string, unknown>;
  /** Members of this problem type only, for example the counters of a refused batch. */
  extensions?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The underlying error, for the log only. */
  cause?: unknown;
}

/** An error answer. Thrown anywhere, rendered by `http/problem.ts`. */
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
    return this.options.status ?? PROBLEM_TYPES[this.slug].status;
  }

  get retryable(): boolean {
    return this.options.retryable ?? PROBLEM_TYPES[this.slug].retryable;
  }
}

/** An error at start that the operator must fix; printed as one line, without a stack. */
export class StartError extends Error {
  override name = "StartError";
  readonly exitCode: number = 1;
}

/** A command with wrong arguments. The commands of `cli/` end with the same code. */
export class UsageError extends StartError {
  override name = "UsageError";
  override readonly exitCode = 2;
}

/** Returns the message of what was thrown. */
export const readMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

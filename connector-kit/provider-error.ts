/** The one classification of what a provider said no with; retry, status and connection health read the kind. */
import { shorten } from "../server/ground/storable-text.ts";

export type ProviderErrorKind =
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "invalid"
  | "conflict"
  | "rate_limited"
  | "unavailable"
  | "timeout"
  /** A write that is not safe to repeat was sent and its answer never came. */
  | "unknown_outcome"
  /** The provider may have locked the token out: repeating makes it worse. */
  | "locked_out"
  /** The provider answered something that its API does not describe, for example HTML with status 200. */
  | "unreadable";

export interface ProviderErrorOptions {
  kind: ProviderErrorKind;
  /** For the caller: what the provider said, in one sentence, without credentials. */
  message: string;
  /** The provider's own code, for example `PROPERTY_DOESNT_EXIST`. */
  code?: string;
  /** HTTP status of the provider's answer, when there was one. */
  status?: number;
  /** When the provider says a retry may work. */
  retryAt?: Date;
  /** The provider's body as text, shortened by whoever read it. */
  rawResponse?: string;
  cause?: unknown;
}

/** Longer sentences than any provider means to say; each record of a batch may carry one, and all of them are stored. */
const LONGEST_MESSAGE = 2_000;
const LONGEST_CODE = 200;

/** Texts in it can be stored and shown, whatever the provider sent. */
export class ProviderError extends Error {
  override name = "ProviderError";
  readonly kind: ProviderErrorKind;
  readonly code?: string;
  readonly status?: number;
  readonly retryAt?: Date;
  readonly rawResponse?: string;

  constructor(options: ProviderErrorOptions) {
    super(shorten(options.message, LONGEST_MESSAGE), { cause: options.cause });
    this.kind = options.kind;
    this.code = options.code === undefined ? undefined : shorten(options.code, LONGEST_CODE);
    this.status = options.status;
    this.retryAt = options.retryAt;
    this.rawResponse = options.rawResponse === undefined ? undefined : shorten(options.rawResponse);
  }
}

/** Kinds where the same request may succeed later without anybody changing anything. */
export const isRetryable = (kind: ProviderErrorKind): boolean =>
  kind === "rate_limited" || kind === "unavailable" || kind === "timeout";

/** The error of what was never sent because the request before it failed. */
export const notSent = (error: ProviderError): ProviderError =>
  new ProviderError({
    kind: error.kind === "unknown_outcome" || error.kind === "unreadable" ? "unavailable" : error.kind,
    message: `not sent, because the request before it failed: ${error.message}`,
    code: error.code,
    retryAt: error.retryAt,
    cause: error,
  });

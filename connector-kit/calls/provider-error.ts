/** Classifies a provider's refusals; retry, HTTP status and the health of a connection depend on the kind. */
import { shorten } from "../../ground/storable-text.ts";

export type ProviderErrorKind =
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "invalid"
  | "conflict"
  | "rate_limited"
  | "unavailable"
  | "timeout"
  /** A write that is not repeatable was sent, and no answer came. */
  | "unknown_outcome"
  /** The provider may lock the account or token: a retry makes it worse. */
  | "locked_out"
  /** The answer is not one that the provider's API describes, for example HTML with status 200. */
  | "unreadable";

interface ProviderErrorOptions {
  kind: ProviderErrorKind;
  /** For the caller: the provider's reason in one sentence, without credentials. */
  message: string;
  /** The provider's own code, for example `PROPERTY_DOESNT_EXIST`. */
  code?: string;
  /** The provider's names of the fields that the refusal is about, where it names them. */
  fields?: string[];
  /** The record itself was in order: another one of the batch caused the error, which names the reason. */
  causedByAnother?: boolean;
  /** The request was not sent, because the one before it failed. */
  isNotSent?: boolean;
  /** HTTP status of the provider's answer, if there was one. */
  status?: number;
  /** When a retry may work, as far as the provider names a time. */
  retryAt?: Date;
  /** A rate limit of such requests alone, for example of searches: the provider accepts others of the connection. */
  isPartialLimit?: boolean;
  /** The provider's body as text, shortened. */
  rawResponse?: string;
  cause?: unknown;
}

/** Limits of texts: each record of a batch can have an error, and all of them are stored. */
const LONGEST_MESSAGE = 2_000;
const LONGEST_CODE = 200;
const MAX_FIELDS = 20;

/** Its texts can be stored and shown, whatever the provider sent. */
export class ProviderError extends Error {
  override name = "ProviderError";
  readonly kind: ProviderErrorKind;
  readonly code?: string;
  readonly fields: string[];
  readonly causedByAnother: boolean;
  readonly isNotSent: boolean;
  readonly status?: number;
  readonly retryAt?: Date;
  readonly isPartialLimit: boolean;
  readonly rawResponse?: string;

  constructor(options: ProviderErrorOptions) {
    super(shorten(options.message, LONGEST_MESSAGE), { cause: options.cause });
    this.kind = options.kind;
    this.code = options.code === undefined ? undefined : shorten(options.code, LONGEST_CODE);
    this.fields = (options.fields ?? []).slice(0, MAX_FIELDS);
    this.causedByAnother = options.causedByAnother ?? false;
    this.isNotSent = options.isNotSent ?? false;
    this.status = options.status;
    this.retryAt = options.retryAt;
    this.isPartialLimit = options.isPartialLimit ?? false;
    this.rawResponse = options.rawResponse === undefined ? undefined : shorten(options.rawResponse);
  }

  /** Returns a copy with other members, whose cause is this error. */
  with(changes: Partial<ProviderErrorOptions>): ProviderError {
    return new ProviderError({ ...this, message: this.message, ...changes, cause: this });
  }
}

/** Returns whether the same request may succeed later without any change. */
export const isRetryable = (kind: ProviderErrorKind): boolean =>
  kind === "rate_limited" || kind === "unavailable" || kind === "timeout";

/** Returns whether the provider did not do its part, or nobody knows: a write may have been carried out. */
export const leavesDoubt = (kind: ProviderErrorKind): boolean =>
  kind === "unavailable" || kind === "timeout" || kind === "unknown_outcome" || kind === "unreadable";

/** Returns whether the same request fails until a person changes something, such as the configuration or a permission. */
export const mustBeMended = (kind: ProviderErrorKind): boolean =>
  kind === "invalid" || kind === "not_found" || kind === "forbidden";

/** Returns the error of a request that was not sent because the one before it failed. */
export const buildNotSent = (error: ProviderError): ProviderError =>
  error.isNotSent
    ? error
    : error.with({
        kind: error.kind === "unknown_outcome" || error.kind === "unreadable" ? "unavailable" : error.kind,
        message: `not sent, because the request before it failed: ${error.message}`,
        isNotSent: true,
        fields: [],
        causedByAnother: false,
      });

/** Awaits what is read before a write. If that fails, nothing was written, whatever the answer leaves open. */
export const readBeforeWrite = async <Read>(reading: Promise<Read>): Promise<Read> =>
  reading.catch((error: unknown) => {
    throw error instanceof ProviderError ? buildNotSent(error) : error;
  });

/** How a request for tokens can fail. */

export type TokenFailure =
  /** The grant is invalid: the customer must connect again. */
  | "grant-refused"
  /** The client id, secret or redirect URI of the provider app is wrong; the customer cannot fix it. */
  | "configuration"
  /** There is no refresh token. */
  | "nothing-to-refresh"
  /** There is no provider app. */
  | "no-app"
  | "transient";

export class TokenEndpointError extends Error {
  override name = "TokenEndpointError";
  readonly failure: TokenFailure;
  /** For a transient failure: whether the provider may have received the request and used up the refresh token. */
  readonly sent: boolean;

  constructor(failure: TokenFailure, message: string, options?: { sent?: boolean; cause?: unknown }) {
    super(message, { cause: options?.cause });
    this.failure = failure;
    this.sent = options?.sent ?? true;
  }
}

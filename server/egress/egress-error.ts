/** Why an outgoing request failed, and whether any of it may have been sent. */

export type EgressFailure =
  /** The address is private and not allowed by the operator. */
  | "forbidden-address"
  /** No connection was made: nothing was sent. */
  | "not-connected"
  /** The connection broke after the request had begun to be sent. */
  | "broken"
  | "timeout"
  | "too-large";

export class EgressError extends Error {
  override name = "EgressError";
  readonly failure: EgressFailure;
  /** Whether any of the request may have reached the other side. */
  readonly sent: boolean;

  constructor(failure: EgressFailure, sent: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
    this.sent = sent;
  }
}

/** Classifies the error of a failed request; `sent` tells whether the request had begun to be sent. */
export function toEgressError(error: unknown, sent: boolean, host: string): EgressError {
  if (error instanceof EgressError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text =
    describeTlsFault(error, code) ?? (error instanceof Error ? error.message || code : String(error));
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    return new EgressError("not-connected", false, `${host} did not accept a connection in time`, error);
  }
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) {
    return new EgressError("timeout", true, `${host} did not answer in time`, error);
  }
  if (!sent) return new EgressError("not-connected", false, `cannot connect to ${host}: ${text}`, error);
  return new EgressError(
    "broken",
    true,
    `the connection to ${host} broke before the answer was complete: ${text}`,
    error,
  );
}

/** Returns OpenSSL's reason, on which a person can act. Its whole text names its source files. */
function describeTlsFault(error: unknown, code: string): string | undefined {
  if (!code.startsWith("ERR_SSL_") || !(error instanceof Error) || !("reason" in error)) return undefined;
  const reason = String(error.reason);
  return code === "ERR_SSL_WRONG_VERSION_NUMBER"
    ? `it does not speak TLS there (${reason})`
    : `TLS failed (${reason})`;
}

/** The error of a call that was not sent because the connection's gate is closed. */
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { ClosedGate } from "./judge-answer.ts";

/** Reads like the provider's own rate limit, so that callers need not know whether anything was sent. */
export class ClosedGateError extends ProviderError {
  override name = "ClosedGateError";

  constructor({ until, retryable }: ClosedGate) {
    const time = until.toISOString();
    super({
      kind: retryable ? "rate_limited" : "locked_out",
      message: retryable
        ? `The provider's rate limit is reached until ${time}, so nothing was sent.`
        : `The provider may have locked this connection's credentials, so nothing was sent. Check the account before you send more after ${time}.`,
      retryAt: until,
    });
  }
}

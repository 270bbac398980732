/** Reasons why consents fail: the text for the customer, and what the list of consents shows the builder. */
import { TokenEndpointError } from "../../credentials/grants/token-endpoint-error.ts";
import { Problem } from "../../../ground/errors.ts";
import { shorten } from "../../../ground/storable-text.ts";

/** The names that a text for customers may contain; nothing else of the failure goes into it. */
interface Names {
  app: string;
  provider: string;
}

interface Reason {
  /** For the reference. */
  meaning: string;
  reported(names: Names): string;
  /** Whether the same customer may succeed at once. */
  again: boolean;
}

const start = ({ app }: Names): string => `Go back to ${app} and connect again.`;
const askToReport = ({ app }: Names): string => `Please tell the people who run ${app}.`;

export const REASONS = {
  cancelled: {
    meaning: "the customer pressed Cancel before leaving for the provider",
    reported: (names) => `You cancelled, and nothing was connected. ${start(names)}`,
    again: false,
  },
  declined: {
    meaning: "the customer, or a rule of the account, refused at the provider (`access_denied`)",
    reported: ({ provider }) => `Access to ${provider} was declined, and nothing was connected.`,
    again: true,
  },
  "provider-refused": {
    meaning: "the provider came back with another error instead of a code",
    reported: ({ provider }) => `${provider} did not allow the connection. Nothing was connected.`,
    again: true,
  },
  "code-refused": {
    meaning: "the provider gave no token for its own code, for example because it had expired",
    reported: ({ provider }) => `${provider} did not confirm the sign-in. Nothing was connected.`,
    again: true,
  },
  "provider-app": {
    meaning:
      "the provider does not accept the provider app: client id, secret, scopes or redirect URI are wrong, or it was deleted",
    reported: (names) =>
      `${names.app} is not set up correctly for ${names.provider}, and nothing was connected. ${askToReport(names)}`,
    again: false,
  },
  "provider-unavailable": {
    meaning: "the provider could not be reached, or answered with an error of its own",
    reported: ({ provider }) =>
      `${provider} could not be reached, and nothing was connected. Try again in a few minutes.`,
    again: true,
  },
  account: {
    meaning: "the account cannot be used, or the connection to renew is gone",
    reported: (names) =>
      `The ${names.provider} account could not be connected. ${start(names)} If it fails again, tell the people who run ${names.app}.`,
    again: false,
  },
  "other-browser": {
    meaning: "the callback came from another browser than the one that continued",
    reported: (names) =>
      `This sign-in was begun in another browser, or your browser does not keep cookies. Nothing was connected. ${start(names)}`,
    again: false,
  },
  late: {
    meaning: "the customer came back after more than ten minutes at the provider",
    reported: () => "The sign-in took too long. Nothing was connected.",
    again: true,
  },
  internal: {
    meaning: "a failure of this server; its log has the cause",
    reported: () => "Something went wrong on our side. Nothing was connected.",
    again: true,
  },
} as const satisfies Record<string, Reason>;

export type FailureReason = keyof typeof REASONS;

/** Returns whether the same customer may succeed at once. */
export const isRetryable = (reason: string): boolean =>
  Object.entries(REASONS).some(([name, { again }]) => name === reason && again);

/** `detail` is for the builder: what the provider or this server said, without secrets. */
export class ConsentFailed extends Error {
  override name = "ConsentFailed";
  readonly reason: FailureReason;

  constructor(reason: FailureReason, detail: string, options?: { cause: unknown }) {
    super(detail, options);
    this.reason = reason;
  }
}

/** Classifies what was thrown on the way to a connection. */
export function explainConsentFailure(error: unknown): ConsentFailed {
  if (error instanceof ConsentFailed) return error;
  if (error instanceof TokenEndpointError) {
    return new ConsentFailed(TOKEN_REASONS[error.failure] ?? "code-refused", error.message, { cause: error });
  }
  if (error instanceof Problem && error.status < 500) {
    return new ConsentFailed("account", error.options.detail, { cause: error });
  }
  return new ConsentFailed("internal", "See the server's log.", { cause: error });
}

const TOKEN_REASONS: Partial<Record<TokenEndpointError["failure"], FailureReason>> = {
  configuration: "provider-app",
  transient: "provider-unavailable",
};

/** Reason by the error of a callback without a code (RFC 6749, 4.1.2.1). */
const CALLBACK_REASONS: Record<string, FailureReason> = {
  access_denied: "declined",
  unauthorized_client: "provider-app",
  invalid_scope: "provider-app",
  invalid_request: "provider-app",
  unsupported_response_type: "provider-app",
  server_error: "provider-unavailable",
  temporarily_unavailable: "provider-unavailable",
};

/** Returns the failure of a callback without a code; anybody can write these parameters into the URL. */
export function explainRefusedConsent(
  error: string | undefined,
  description: string | undefined,
): ConsentFailed {
  const said = [error, description].filter(Boolean).join(": ");
  const reason = Object.hasOwn(CALLBACK_REASONS, error ?? "") ? CALLBACK_REASONS[error ?? ""] : undefined;
  return new ConsentFailed(
    reason ?? "provider-refused",
    said ? shorten(said, 300) : "The provider sent neither a code nor an error.",
  );
}

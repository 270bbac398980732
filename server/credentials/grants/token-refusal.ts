/**
 * Tells what a token endpoint's refusal means. Only a known refusal of the grant is final: a page of a firewall, an unknown code or an
 * empty answer says nothing about the customer's consent, and is tried again.
 */
import { parseExactly } from "../../../connector-kit/calls/exact-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { withoutSecrets } from "../../../ground/without-secrets.ts";
import { TokenEndpointError, type TokenFailure } from "./token-endpoint-error.ts";

/** The provider app is wrong (RFC 6749, 5.2, and spellings of providers): the customer cannot mend it. */
const CONFIGURATION = new Set([
  "invalid_client",
  "invalid_client_id",
  "unauthorized_client",
  "redirect_uri_mismatch",
  "unsupported_grant_type",
  "invalid_scope",
  "incorrect_client_credentials",
  // Zoho
  "invalid_client_secret",
  "invalid_redirect_uri",
  "bad_client_id",
  "bad_client_secret",
  "deleted_client",
  "disabled_client",
]);

/** The grant is refused, whatever was asked for. */
const REFUSED = new Set([
  // RFC 6749, 5.2 and 4.1.2.1
  "invalid_grant",
  "access_denied",
  // Salesforce
  "inactive_org",
  "inactive_user",
  // GitHub; HubSpot has it in `status`
  "bad_refresh_token",
  // Slack: oauth.v2.access
  "token_revoked",
  "invalid_refresh_token",
  "account_inactive",
  // Microsoft, and OpenID Connect Core 3.1.2.6: the person must sign in again
  "interaction_required",
  "consent_required",
  "login_required",
]);

/** These refuse the grant when a refresh token was sent; elsewhere they are about something else. */
const REFUSED_REFRESH = new Set([
  // Meta's error code of an access token that ended or was taken back
  "190",
  // Zoho
  "invalid_code",
  // Slack
  "token_expired",
  "refresh_token_expired",
  "refresh_token_revoked",
  // RFC 6750, used for refresh tokens by some
  "invalid_token",
  "expired_token",
]);

/** Words with which providers name a dead refresh token beside a code that says less (Atlassian: `unauthorized_client`). */
const DEAD_TOKEN =
  /\brefresh[ _-]?token\b.{0,40}\b(invalid|expired|revoked|unknown|inactive|not (found|valid))\b|\b(invalid|expired|revoked|unknown)\b.{0,20}\brefresh[ _-]?token\b|\bcannot (?:renew|refresh) (?:an? )?(?:invalid|expired|revoked) token\b/i;

/** The only token that a refresh sends is the refresh token (Zoom: "Invalid Token!" beside `invalid_request`). */
const DEAD_WORDS =
  /^(?:the )?(?:invalid|expired|revoked) token\b|^(?:the )?token (?:is|was|has been) (?:\w+ or )?(?:invalid|expired|revoked)\b/i;

/** Two refreshes at Salesforce that cross, before and since September 2024: the other one has the new token. */
const CROSSED = /expired authorization code|token request is already being processed/i;

/**
 * Words of refusals that pass, whatever the code beside them, unless they also call the token dead: a user who may not sign in at this hour or from here (Salesforce, with
 * `invalid_grant`), limits of requests (Zoho) and of logins (Salesforce), and Microsoft's codes of throttling, outages and suspected loops.
 */
const PASSING_WORDS =
  /\bip restricted\b|\blogin hours\b|\btoo many (?:\w+ )?(?:requests|attempts|logins)\b|\brate (?:limit|exceeded)|\btry again (?:later|after|in)\b|\bAADSTS(?:50196|90006|90033|90051|90055)\b/i;

/** Passing refusals that some providers give the status of a final one. */
const PASSING = new Set([
  "temporarily_unavailable",
  "server_error",
  "slow_down",
  "rate_limited",
  "ratelimited",
  // Salesforce
  "login_rate_exceeded",
]);

interface Refused {
  status: number;
  /** Members of the answer; of a page that is no JSON whatever was found in it. */
  fields: JsonObject;
  host: string;
}

interface Meaning {
  /** The failure for a 4xx of the provider without a known code. */
  otherwise: TokenFailure;
  /** A refresh token was sent. */
  isRefresh?: boolean;
  /** Values that were sent and must not appear in messages. */
  secrets: string[];
}

/** Returns the failure that a refusal is, with the provider's words. */
export function toTokenError({ status, fields, host }: Refused, meaning: Meaning): TokenEndpointError {
  const { otherwise, isRefresh = false, secrets } = meaning;
  const codes = listCodes(fields);
  const words = listWords(fields);
  const reported = removeSecrets([codes[0], words[0]].filter(Boolean).join(": "), secrets);
  const message = `${host} answered ${status}${reported ? ` (${reported})` : status < 300 ? " without a token" : ""}`;
  return new TokenEndpointError(chooseFailure(), message);

  function chooseFailure(): TokenFailure {
    const has = (known: Set<string>): boolean => codes.some((code) => known.has(code));
    const say = (...patterns: RegExp[]): boolean =>
      words.some((text) => patterns.some((pattern) => pattern.test(text)));
    const areFinal = say(DEAD_TOKEN, DEAD_WORDS);
    const arePassing = say(PASSING_WORDS) && !areFinal;
    if (has(PASSING) || arePassing || (isRefresh && say(CROSSED))) return "transient";
    // With 401, the status of a wrong client (RFC 6749, 5.2), Atlassian and Auth0 mean the client's secret.
    if (status === 401 && codes.includes("access_denied") && !areFinal) return "configuration";
    if (has(REFUSED) || (isRefresh && (has(REFUSED_REFRESH) || areFinal))) return "grant-refused";
    if (has(CONFIGURATION)) return "configuration";
    const isOfProvider = status >= 400 && status < 500 && ![408, 423, 425, 429, 477].includes(status);
    return isOfProvider && codes.length + words.length > 0 ? otherwise : "transient";
  }
}

/** Returns a provider's code and reason in the body of any refusal, JSON or XML; empty where it has none. */
export function readRefusalWords(body: string, secrets: string[]): string {
  try {
    const fields = parseExactly(body);
    if (!isJsonObject(fields)) return "";
    return removeSecrets([listCodes(fields)[0], listWords(fields)[0]].filter(Boolean).join(": "), secrets);
  } catch {
    const parts = ["Code", "Message"].map((name) => new RegExp(`<${name}>([^<]{1,500})</`).exec(body)?.[1]);
    return removeSecrets(parts.filter(Boolean).join(": "), secrets);
  }
}

/** Places of a code, in the order of their weight. */
const CODE_PLACES = [
  ["error"],
  ["error", "code"],
  ["error", "type"],
  ["error", "status"],
  ["code"],
  ["errorCode"],
  ["error_code"],
  ["errcode"],
  ["status"],
  ["errors", "0", "code"],
  ["errors", "0", "errorCode"],
  ["fault", "detail", "errorcode"],
  ["error_description"],
];

/** Returns the codes of a refusal in lower case. A code is one word: a sentence, or markup, is none. */
function listCodes(fields: JsonObject): string[] {
  return CODE_PLACES.flatMap((place) => {
    const value = place.reduce<Json | undefined>(step, fields);
    const text = typeof value === "number" || typeof value === "string" ? String(value).toLowerCase() : "";
    // `status: 400` repeats the status.
    const repeats = place.at(-1) === "status" && /^\d+$/.test(text);
    return /^[\w.-]{1,80}$/.test(text) && !repeats ? [text] : [];
  });
}

/** Apigee begins the names with capitals. */
function step(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(name)];
  if (value === undefined || !isJsonObject(value)) return undefined;
  return Object.entries(value).find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1];
}

const WORD_PLACES = [
  ["error_description"],
  ["message"],
  ["error", "message"],
  ["error", "description"],
  ["error_message"],
  ["errors", "0", "message"],
  ["errors", "0", "description"],
  ["errors", "0", "detail"],
  ["errors", "0"],
  ["fault", "faultstring"],
  ["detail"],
  ["reason"],
  ["error"],
];

/** Returns the texts that are no codes: the first is the reason for people. */
const listWords = (fields: JsonObject): string[] =>
  WORD_PLACES.flatMap((place) => {
    const value = place.reduce<Json | undefined>(step, fields);
    return typeof value === "string" && /\s/.test(value.trim()) ? [value.trim()] : [];
  });

/** Removes secrets from a provider's message before it is shown and stored: some repeat what they were sent. */
function removeSecrets(said: string, secrets: string[]): string {
  const hidden = withoutSecrets(
    said,
    secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]),
  );
  // PostgreSQL cannot store NUL.
  return hidden.replaceAll("\0", "").slice(0, 300).toWellFormed();
}

/** Classifies a refusal beyond its status: a rate limit reported by headers, or the answer of something in between. */
import { isJsonObject, type Json } from "../../ground/json.ts";
import { reportsLimit } from "../../ground/retry-after.ts";
import type { ProviderErrorKind } from "./provider-error.ts";
import type { ProviderResponse } from "./provider-fetch.ts";

/** These say that the same request would be refused again for what it is. */
const FINAL: ReadonlySet<ProviderErrorKind> = new Set(["invalid", "conflict", "forbidden", "not_found"]);

/** A request too large stays too large, whoever says so: 413, 414 and 431. */
const TOO_LARGE = new Set([413, 414, 431]);

/**
 * Returns the kind of a refusal. `kind` is what the connector makes of status and codes. `isExplained` is whether the body has the form in
 * which this provider explains a refusal, which an absent record (404, 410) and refused credentials (401) do not need. A 4xx in another form comes from something
 * in between, such as a firewall or a page of maintenance: it says nothing about the request, which is tried again.
 */
export function judgeRefusal(
  { status, headers, text }: ProviderResponse,
  kind: ProviderErrorKind,
  isExplained: boolean,
): ProviderErrorKind {
  if (kind === "unauthorized" && lacksScope(headers, text)) return "forbidden";
  if (reportsLimit(status, headers) && (FINAL.has(kind) || kind === "unavailable")) return "rate_limited";
  if (isExplained || status < 400 || status >= 500 || TOO_LARGE.has(status)) return kind;
  const isBare = isWithoutWords(text);
  if (kind === "not_found" && isBare) return kind;
  // Whether the credentials are refused is found out apart from this request.
  if (kind === "unauthorized" && !isBare && headers["www-authenticate"] === undefined) return "unavailable";
  return FINAL.has(kind) ? "unavailable" : kind;
}

const isWithoutWords = (text: string): boolean => /^\s*(\{\s*\}|\[\s*\]|null)?\s*$/.test(text);

/** Returns whether an answer tells that something is absent by its status alone: about a request that names no record, it says nothing. */
export const isBareAbsence = (
  { kind }: { kind: ProviderErrorKind },
  response: Pick<ProviderResponse, "text"> | undefined,
): boolean => kind === "not_found" && response !== undefined && isWithoutWords(response.text);

/**
 * These judge what a request holds (RFC 9110, 15.5.1, 15.5.10, 15.5.13, 15.5.21). Validators have the most forms, such as a list of reasons under
 * the name of each field, and what has refused the content once refuses it again.
 */
const OF_APPLICATIONS = new Set([400, 409, 412, 422]);

/** Returns whether JSON with this status is the provider's, also where its form is not known. */
export const isOfApplication = (status: number): boolean => OF_APPLICATIONS.has(status);

/**
 * Headers by which things in between mark what they answer in place of the server: Cloudflare (`cf-mitigated: challenge`), AWS WAF (with the
 * statuses 202 and 405: https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-how-it-works.html), Squid.
 */
const MARKING_HEADERS = ["cf-mitigated", "x-amzn-waf-action", "x-squid-error"];

/** Members of Cloudflare's refusals, which are JSON for callers that accept it. */
const MARKING_MEMBERS = ["cloudflare_error", "ray", "ray_id"];

/** Bodies of gateways, with no other member: of AWS API Gateway (`supported-gateway-response-types`), and Kong. */
const GATEWAY_WORDS =
  /^(forbidden|missing authentication token|user is not authorized to access this resource.*|no route matched with those values)$/i;

/** Returns whether something between Busbar and the provider has marked an answer as its own. */
export function isMarkedAsOthers(
  { headers }: Pick<ProviderResponse, "headers">,
  body: Json | undefined,
): boolean {
  if (MARKING_HEADERS.some((name) => headers[name] !== undefined)) return true;
  if (body === undefined || !isJsonObject(body)) return false;
  if (MARKING_MEMBERS.some((name) => Object.hasOwn(body, name))) return true;
  const [only, ...others] = Object.entries(body);
  const [name, words] = only ?? [];
  return (
    others.length === 0 &&
    name?.toLowerCase() === "message" &&
    typeof words === "string" &&
    GATEWAY_WORDS.test(words)
  );
}

/**
 * A token that is valid and lacks a scope is refused with this word (RFC 6750, section 3.1), by some with the status 401 instead of 403: Xero in
 * the header, others in the body.
 */
const lacksScope = (headers: ProviderResponse["headers"], text: string): boolean =>
  /\binsufficient_scope\b/.test(headers["www-authenticate"] ?? "") ||
  /"(?:error|code|type)"\s*:\s*"insufficient_scope"/.test(text);

/** Returns the message for an answer that is not in the provider's form, with the words that it has. */
export function describeUnexplained(
  provider: string,
  { status, text }: Pick<ProviderResponse, "status" | "text">,
  kind: ProviderErrorKind,
): string {
  const words = findWords(text);
  const said = words === "" ? "" : `: ${words}`;
  return kind === "unavailable" && status < 500
    ? `${provider} answered ${status} without an error of its own form: something in between may have answered${said}`
    : `${provider} answered ${status}${said}`;
}

const MAX_WORDS = 200;

/** Returns the title of a page, or the beginning of another text. */
function findWords(text: string): string {
  const isPage = /^\s*</.test(text);
  const words = isPage ? (/<title[^>]*>([^<]*)</i.exec(text)?.[1] ?? "") : isWithoutWords(text) ? "" : text;
  return words.replace(/\s+/g, " ").trim().slice(0, MAX_WORDS).toWellFormed();
}

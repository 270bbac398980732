/** Classifies a refusal beyond its status: a rate limit reported by headers, or the answer of a proxy in between. */
import { reportsLimit } from "../../ground/retry-after.ts";
import type { ProviderErrorKind } from "./provider-error.ts";
import type { ProviderResponse } from "./provider-fetch.ts";

/** These say that the same request would be refused again for what it is. */
const FINAL: ReadonlySet<ProviderErrorKind> = new Set(["invalid", "conflict", "forbidden", "not_found"]);

/** A request too large stays too large, whoever says so: 413, 414 and 431. */
const TOO_LARGE = new Set([413, 414, 431]);

/**
 * Returns the kind of a refusal. `kind` is what the connector makes of status and codes. `isExplained` is whether the body has the form in
 * which this provider explains a refusal, which an absent record (404, 410) does not need. A 4xx without it comes from something in between, such as a firewall or a page of maintenance: it
 * says nothing about the request, which is tried again.
 */
export function judgeRefusal(
  { status, headers, text }: ProviderResponse,
  kind: ProviderErrorKind,
  isExplained: boolean,
): ProviderErrorKind {
  if (kind === "unauthorized" && lacksScope(headers, text)) return "forbidden";
  if (reportsLimit(status, headers) && (FINAL.has(kind) || kind === "unavailable")) return "rate_limited";
  if (isExplained || status < 400 || status >= 500 || TOO_LARGE.has(status)) return kind;
  if (kind === "not_found" && text.trim() === "") return kind;
  return FINAL.has(kind) ? "unavailable" : kind;
}

/**
 * A token that is valid and lacks a scope is refused with this word (RFC 6750, section 3.1), by some with the status 401 instead of 403: Xero in
 * the header, others in the body.
 */
const lacksScope = (headers: ProviderResponse["headers"], text: string): boolean =>
  /\binsufficient_scope\b/.test(headers["www-authenticate"] ?? "") ||
  /"(?:error|code|type)"\s*:\s*"insufficient_scope"/.test(text);

/** Returns the message for an answer that the provider does not explain. */
export const describeUnexplained = (provider: string, status: number, kind: ProviderErrorKind): string =>
  kind === "unavailable" && status < 500
    ? `${provider} answered ${status} without an error of its own form: something in between may have answered`
    : `${provider} answered ${status}`;

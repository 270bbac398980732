/** Sends a request and tells refusals of the whole call from refusals of a record. */
import { shorten } from "../../ground/storable-text.ts";
import { now } from "../../ground/clock.ts";
import { isNestedTooDeeply, MAX_LEVELS, type Json } from "../../ground/json.ts";
import type { Connector } from "../connector.ts";
import { parseExactly } from "./exact-json.ts";
import type { Account, ProviderFetch, ProviderRequest, ProviderResponse } from "./provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "./provider-error.ts";

/** The parsed body of a success (undefined if empty), or the provider's refusal. */
export type ProviderAnswer =
  | { body: Json | undefined; error?: undefined }
  | { body: Json | undefined; error: ProviderError };

type Classify = NonNullable<Connector["classify"]>;

/**
 * Sends a request. Throws `ProviderError` if the call as a whole failed: no answer, 401, 429, a redirect, 5xx, or a success
 * that is not JSON. Returns a refusal of the content. `response` is the whole answer.
 */
export async function send(
  request: ProviderRequest,
  fetch: ProviderFetch,
  classify: Classify,
  account?: Account,
): Promise<ProviderAnswer & { response: ProviderResponse }> {
  const response = await fetch(request);
  const error = classify(response, account);
  if (error && concernsEveryRecord(error.kind)) throw doubtUnlessProven(request, response, error);
  const body = parseBody(response.text);
  if (error) return { body, error, response };
  if (body === undefined && response.text.trim() !== "")
    throw isPage(response) && request.repeatable ? buildPassing(response) : buildUnreadable(response);
  return { body, response };
}

/** A page with the status of a success, such as a sign-in or a maintenance page of something in between. */
const isPage = ({ text }: ProviderResponse): boolean => /^\s*</.test(text);

/** Returns a refusal that does not show that it is the provider's as one that may pass. */
export const toPassing = (error: ProviderError): ProviderError =>
  withKind(
    error,
    "unavailable",
    `${error.message}, without a reason: something in between may have answered`,
  );

const buildPassing = (response: ProviderResponse): ProviderError =>
  withKind(
    buildUnreadable(response),
    "unavailable",
    `the provider answered ${response.status} with a page instead of JSON: something in between may have answered`,
  );

/** Returns whether the next record would fail as well. */
export const concernsEveryRecord = (kind: ProviderErrorKind): boolean =>
  !["invalid", "conflict", "forbidden", "not_found"].includes(kind);

/**
 * Returns the error, or `unknown_outcome` where a request that must not be repeated may have been carried out: servers answer 500 after
 * they have stored a record, and what stands between gives up although the provider works on.
 */
export function doubtUnlessProven(
  request: Pick<ProviderRequest, "repeatable">,
  response: ProviderResponse,
  error: ProviderError,
): ProviderError {
  const { status } = response;
  // The provider's own word for it, where it has one.
  if (error.kind === "unknown_outcome")
    return request.repeatable ? withKind(error, "unavailable", error.message) : error;
  const mayBeDone =
    (status >= 500 && !isRefusedUnavailable(response, error)) || GIVEN_UP.has(status) || isRedirect(status);
  if (request.repeatable || !mayBeDone || PROOFS.has(error.kind)) return error;
  const message = `${error.message}; the record may have been written all the same`;
  return withKind(error, "unknown_outcome", message);
}

const withKind = (error: ProviderError, kind: ProviderErrorKind, message: string): ProviderError =>
  new ProviderError({
    kind,
    message,
    code: error.code,
    status: error.status,
    rawResponse: error.rawResponse,
    cause: error,
  });

/** Kinds of refusals that come before anything is done. */
const PROOFS: ReadonlySet<ProviderErrorKind> = new Set(["unauthorized", "rate_limited"]);

/** Request Timeout, and a client that a proxy believes to be gone. */
const GIVEN_UP = new Set([408, 499]);

/** 303 leads to what was made, and many servers mean that by 301 and 302; 307 and 308 ask for the whole request elsewhere (RFC 9110, 15.4). */
const isRedirect = (status: number): boolean =>
  status >= 300 && status < 400 && status !== 307 && status !== 308;

/**
 * A 503 of the provider itself, which says when to come back, or has a code of its own. That of a proxy proves nothing, and a page is of a proxy:
 * one that gives up waiting may name a time as well (kortix-ai/suna, pull request 6628).
 */
const isRefusedUnavailable = (response: ProviderResponse, { code }: ProviderError): boolean =>
  response.status === 503 &&
  !isPage(response) &&
  (response.headers["retry-after"] !== undefined || code !== undefined);

/** The error for an answer that the provider's API does not describe. */
export const buildUnreadable = (response: ProviderResponse): ProviderError =>
  new ProviderError({
    kind: "unreadable",
    message: `the provider answered ${response.status} with something that is not JSON, is not of the expected form, or has more than ${MAX_LEVELS} levels`,
    status: response.status,
    rawResponse: shorten(response.text),
  });

/** Parses the body without loss of digits; returns undefined if it is not JSON, or nested too deeply to be stored and passed on. */
export function parseBody(text: string): Json | undefined {
  try {
    const value = parseExactly(text);
    return isNestedTooDeeply(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Returns the time `durationMs` from now. */
export const addToNow = (durationMs: number): Date => new Date(now().getTime() + durationMs);

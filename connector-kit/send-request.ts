/** Sends a request and reads the answer, sorting out what concerns the call as a whole from what concerns a record. */
import { shorten } from "../server/ground/storable-text.ts";
import { now } from "../server/ground/clock.ts";
import type { Json } from "../server/ground/json.ts";
import type { Connector } from "./connector.ts";
import type { Account, ProviderFetch, ProviderRequest, ProviderResponse } from "./provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "./provider-error.ts";

/** A readable answer: the parsed body of a success, undefined when empty, or what the provider refused and why. */
export type ProviderAnswer =
  | { body: Json | undefined; error?: undefined }
  | { body: Json | undefined; error: ProviderError };

type Classify = NonNullable<Connector["classify"]>;

/**
 * Sends. Throws `ProviderError` when the call as a whole failed: no answer, 401, 429, 5xx, a success that is not
 * JSON. A refusal that concerns the content is returned.
 */
export async function send(
  request: ProviderRequest,
  fetch: ProviderFetch,
  classify: Classify,
  account?: Account,
): Promise<ProviderAnswer> {
  const response = await fetch(request);
  const error = classify(response, account);
  if (error && concernsTheCall(error.kind)) throw lostBehindGateway(request, error);
  const body = parseBody(response.text);
  if (error) return { body, error };
  if (body === undefined && response.text.trim() !== "") throw unreadable(response);
  return { body };
}

/** Kinds where the next record would fare no better: stop instead of trying it. */
export const concernsTheCall = (kind: ProviderErrorKind): boolean =>
  !["invalid", "conflict", "forbidden", "not_found"].includes(kind);

/** A gateway that got no answer, or a broken one, says nothing about what happened behind it. 503 is a no before that. */
const GATEWAY_LOST = new Set([502, 504, 520, 524]);

function lostBehindGateway(request: ProviderRequest, error: ProviderError): ProviderError {
  if (request.repeatable || error.status === undefined || !GATEWAY_LOST.has(error.status)) return error;
  return new ProviderError({
    kind: "unknown_outcome",
    message: `${error.message}; the record may have been written all the same`,
    code: error.code,
    status: error.status,
    rawResponse: error.rawResponse,
    cause: error,
  });
}

/** An answer that the provider's API does not describe. */
export const unreadable = (response: ProviderResponse): ProviderError =>
  new ProviderError({
    kind: "unreadable",
    message: `the provider answered ${response.status} with something that is not JSON`,
    status: response.status,
    rawResponse: shorten(response.text),
  });

/** The body as JSON, or undefined when it is not. */
export function parseBody(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The moment so many milliseconds from now. */
export const inMs = (durationMs: number): Date => new Date(now().getTime() + durationMs);

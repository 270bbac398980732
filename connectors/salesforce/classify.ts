/** Classifies Salesforce's answers that are no success. */
import { shorten } from "../../server/ground/storable-text.ts";
import { retryAfter } from "../../server/ground/retry-after.ts";
import { inMs, parseBody } from "../../connector-kit/send-request.ts";
import type { ProviderResponse } from "../../connector-kit/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/provider-error.ts";
import { readFaults, readPlainFault, readSoapFaults, toError } from "./fault.ts";

const RATE_LIMITED_MS = 10_000;

/** Messages of a 401 that a token refresh cannot fix. */
const NOT_ABOUT_THE_TOKEN = ["not valid for use with the REST API", "Connected app is not attached to Agent"];

/** Returns undefined for a success. Quotas come as 403 with a code, not as 429. */
export function classify(response: ProviderResponse): ProviderError | undefined {
  const { status } = response;
  if (status >= 200 && status < 300) return undefined;
  const soapFaults = readSoapFaults(response.text);
  const faults = [...soapFaults, ...readFaults(parseBody(response.text)), ...readPlainFault(response.text)];
  const rawResponse = shorten(response.text);
  if (faults.length === 0) {
    return new ProviderError({
      kind: kindOf(status),
      message: status === 300 ? SEVERAL : `Salesforce answered ${status}`,
      status,
      retryAt:
        retryAfter(response.headers["retry-after"]) ?? (status === 429 ? inMs(RATE_LIMITED_MS) : undefined),
      rawResponse,
    });
  }
  // SOAP answers every refusal with 500.
  const otherwise = soapFaults.length > 0 ? "invalid" : kindOf(status);
  const error = toError(faults, { status, rawResponse, otherwise });
  const isFinal = NOT_ABOUT_THE_TOKEN.some((text) => error.message.includes(text));
  if (!isFinal) return error;
  return new ProviderError({
    kind: "forbidden",
    message: error.message,
    code: error.code,
    status,
    rawResponse,
  });
}

const SEVERAL = "more than one record has this value of the external id";

function kindOf(status: number): ProviderErrorKind {
  switch (status) {
    case 300: // The external id is not unique; the answer lists the records.
      return "conflict";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
    case 410:
      return "not_found";
    case 408:
      return "timeout";
    case 409:
      return "conflict";
    case 429:
      return "rate_limited";
    default:
      if (status >= 500) return "unavailable";
      return status >= 300 && status < 400 ? "unreadable" : "invalid";
  }
}

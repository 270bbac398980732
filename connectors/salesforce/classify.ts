/** Classifies Salesforce's answers that are no success. */
import { shorten } from "../../ground/storable-text.ts";
import type { Json } from "../../ground/json.ts";
import { retryAfter, retryTime } from "../../ground/retry-after.ts";
import { addToNow, parseBody } from "../../connector-kit/calls/send-request.ts";
import type { ProviderResponse } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import {
  describeUnexplained,
  isMarkedAsOthers,
  judgeRefusal,
} from "../../connector-kit/calls/judge-refusal.ts";
import { readFaults, readPlainFault, readSoapFaults, toError } from "./fault.ts";

const RATE_LIMITED_MS = 10_000;

/** Messages of a 401 that a token refresh cannot fix. */
const NOT_ABOUT_THE_TOKEN = ["not valid for use with the REST API", "Connected app is not attached to Agent"];

/** Returns undefined for a success. Quotas come as 403 with a code, not as 429. */
export function classify(response: ProviderResponse): ProviderError | undefined {
  const { status } = response;
  if (status >= 200 && status < 300) return undefined;
  const soapFaults = readSoapFaults(response.text);
  const body = parseBody(response.text);
  const faults = isMarkedAsOthers(response, body)
    ? []
    : [...soapFaults, ...readFaults(body), ...readPlainFault(response.text)];
  const rawResponse = shorten(response.text);
  if (faults.length === 0) {
    const kind = judgeRefusal(response, classifyKind(status), isListOfResults(body));
    return new ProviderError({
      kind,
      message: status === 300 ? SEVERAL : describeUnexplained("Salesforce", response, kind),
      status,
      retryAt: readReportedTime(response, kind) ?? (status === 429 ? addToNow(RATE_LIMITED_MS) : undefined),
      rawResponse,
    });
  }
  // SOAP answers every refusal with 500.
  const otherwise = soapFaults.length > 0 ? "invalid" : judgeRefusal(response, classifyKind(status), true);
  const error = toError(faults, {
    status,
    rawResponse,
    otherwise,
    retryAt: readReportedTime(response, otherwise),
  });
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

/** Records of a refused batch come with status 400 and reasons of their own. */
const isListOfResults = (body: Json | undefined): boolean => Array.isArray(body) && body.length > 0;

function readReportedTime({ headers }: ProviderResponse, kind: ProviderErrorKind): Date | undefined {
  if (kind === "rate_limited") return retryTime(headers);
  return kind === "unavailable" ? retryAfter(headers["retry-after"]) : undefined;
}

const SEVERAL = "more than one record has this value of the external id";

function classifyKind(status: number): ProviderErrorKind {
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
    default:
      // Another redirect than the one above comes from something in between, or from an organisation that moves.
      return status >= 500 || status < 400 ? "unavailable" : "invalid";
  }
}

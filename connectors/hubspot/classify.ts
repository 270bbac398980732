/** Classifies HubSpot's answers that are no success. */
import { shorten } from "../../ground/storable-text.ts";
import { now } from "../../ground/clock.ts";
import { retryAfter, retryTime } from "../../ground/retry-after.ts";
import { addToNow, parseBody } from "../../connector-kit/calls/send-request.ts";
import type { Account, ProviderResponse } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import {
  describeUnexplained,
  isMarkedAsOthers,
  judgeRefusal,
} from "../../connector-kit/calls/judge-refusal.ts";
import { findNextQuotaReset } from "../../connector-kit/calls/daily-quota-reset.ts";
import { isOwnFault, listFields, readFault, type HubspotFault } from "./fault.ts";

const TEN_SECONDS_MS = 10_000;
const LOCKED_MS = 2_000;
const MIGRATION_MS = 3_600_000;

/** Returns undefined for a success. A daily quota resets at midnight of `account.timeZone`, by default UTC. */
export function classify(response: ProviderResponse, account?: Account): ProviderError | undefined {
  if (response.status >= 200 && response.status < 300) return undefined;
  const body = parseBody(response.text);
  const isOwn = isOwnFault(body) && !isMarkedAsOthers(response, body);
  const fault = isOwn ? readFault(body) : undefined;
  const kind = judgeRefusal(response, classifyKind(response.status, fault), fault !== undefined);
  return new ProviderError({
    kind,
    message: fault?.message ?? describeUnexplained("HubSpot", response, kind),
    code: fault?.code,
    fields: listFields(fault),
    status: response.status,
    retryAt:
      kind === "rate_limited" || kind === "unavailable" ? retryAt(response, fault, account) : undefined,
    isPartialLimit: response.status === 429 && isSearch(response) && isSecondly(readPolicy(fault)),
    rawResponse: shorten(response.text),
  });
}

function classifyKind(status: number, fault: HubspotFault | undefined): ProviderErrorKind {
  switch (status) {
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 408:
      return "timeout";
    case 409:
      return "conflict";
    case 423: // The account is locked briefly because of its own volume of writes. `judgeRefusal` knows 429.
      return "rate_limited";
    case 477: // The account is being moved to another data centre.
      return "unavailable";
    default:
      // HubSpot does not redirect: something in between does.
      if (status >= 500 || status < 400) return "unavailable";
      return fault?.category === "OBJECT_NOT_FOUND" ? "not_found" : "invalid";
  }
}

function retryAt(
  response: ProviderResponse,
  fault: HubspotFault | undefined,
  account: Account | undefined,
): Date | undefined {
  const reported = retryAfter(response.headers["retry-after"]);
  if (reported) return reported;
  if (response.status === 423) return addToNow(LOCKED_MS);
  if (response.status === 477) return addToNow(MIGRATION_MS);
  if (response.status !== 429) return retryTime(response.headers);

  const policy = readPolicy(fault);
  if (policy.includes("DAILY")) return findNextQuotaReset(now(), account?.timeZone);
  if (isSecondly(policy)) return addToNow(1000);
  const interval = Number(response.headers["x-hubspot-ratelimit-interval-milliseconds"]);
  return addToNow(interval > 0 ? interval : TEN_SECONDS_MS);
}

/** The policy's name and place differ between endpoints; the message always contains it. */
const readPolicy = (fault: HubspotFault | undefined): string =>
  `${fault?.policy ?? ""} ${fault?.message ?? ""}`.toUpperCase();

const isSecondly = (policy: string): boolean => /(^|[^_])SECONDLY/.test(policy);

/** Searches have a limit of their own (https://developers.hubspot.com/docs/guides/api/crm/search#limits). */
const isSearch = ({ path = "" }: ProviderResponse): boolean => path.endsWith("/search");

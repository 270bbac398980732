/** Answers to writes that say less than "done": accepted for later, or a few words instead of JSON. */
import { ProviderError } from "../../calls/provider-error.ts";
import type { ProviderResponse } from "../../calls/provider-fetch.ts";
import type { RecordWrite } from "../../connector.ts";
import { isJsonObject, type Json } from "../../../ground/json.ts";
import { shorten } from "../../../ground/storable-text.ts";

const ACCEPTED = 202;
const MULTI_STATUS = 207;

/**
 * Returns the doubt that a success leaves: 202 says that the request is accepted, and "might be disallowed" later (RFC 9110, 15.3.3), unless the
 * provider means a success; 207 says that parts have statuses of their own (RFC 4918, 13), of which that of the record is not known.
 */
export function findDoubtOfSuccess(
  response: ProviderResponse | undefined,
  type: RecordWrite["type"],
  rules: { accepted?: boolean } | undefined,
  hasRecord = false,
): ProviderError | undefined {
  if (response?.status === ACCEPTED && !rules?.accepted)
    return buildDoubt(response, `202: it has accepted the ${type}, and does not say that it is done`);
  if (response?.status === MULTI_STATUS && !hasRecord)
    return buildDoubt(response, `207 to the ${type}: some of it may have failed`);
  return undefined;
}

const buildDoubt = ({ status, text }: ProviderResponse, what: string): ProviderError =>
  new ProviderError({
    kind: "unknown_outcome",
    message: `the provider answered ${what}`,
    status,
    rawResponse: shorten(text),
  });

const DENIALS: Partial<Record<RecordWrite["type"], string[]>> = {
  update: ["success", "ok"],
  delete: ["success", "ok", "deleted"],
};

/** Returns the error for a success without the record, in whose body a member says that it is none. A create needs the record's id anyway. */
export function findDenial(
  response: ProviderResponse | undefined,
  type: RecordWrite["type"],
  body: Json | undefined,
): ProviderError | undefined {
  if (!response || body === undefined || !isJsonObject(body)) return undefined;
  if (!DENIALS[type]?.some((name) => body[name] === false)) return undefined;
  const { status, text } = response;
  const message = `the provider answered ${status}, and says that it is not done: ${shorten(text, MAX_WORDS)}`;
  return new ProviderError({ kind: "unreadable", message, status, rawResponse: shorten(text) });
}

const MAX_WORDS = 100;
const DONE =
  /\b(ok|okay|success|successful|successfully|succeeded|done|created|updated|deleted|removed|saved)\b/i;
const NOT_DONE =
  /\b(no|not|never|cannot|fail\w*|error\w*|denied|invalid|un\w+|sign|log|0|being|will|later|queued|scheduled|pending)\b|n't\b/i;

/** Returns a success of plain words, such as `OK`, as one without a body; other words leave open what they mean. */
export function withoutPlainSuccess(response: ProviderResponse): ProviderResponse {
  const text = response.text.trim();
  const isGood = response.status >= 200 && response.status < 300;
  const saysDone = text.length <= MAX_WORDS && /^\w/.test(text) && DONE.test(text) && !NOT_DONE.test(text);
  return isGood && saysDone ? { ...response, text: "" } : response;
}

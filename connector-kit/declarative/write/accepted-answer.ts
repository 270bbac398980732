/** Answers to writes that say less than "done": accepted for later, or a few words instead of JSON. */
import { ProviderError } from "../../calls/provider-error.ts";
import type { ProviderResponse } from "../../calls/provider-fetch.ts";
import type { RecordWrite } from "../../connector.ts";
import { shorten } from "../../../ground/storable-text.ts";

const ACCEPTED = 202;

/** Returns the doubt that 202 leaves (RFC 9110, 15.3.3: the request "might be disallowed" later), unless the provider means a success. */
export function findDoubtOfAccepted(
  response: ProviderResponse | undefined,
  type: RecordWrite["type"],
  rules: { accepted?: boolean } | undefined,
): ProviderError | undefined {
  if (response?.status !== ACCEPTED || rules?.accepted) return undefined;
  return new ProviderError({
    kind: "unknown_outcome",
    message: `the provider answered 202: it has accepted the ${type}, and does not say that it is done`,
    status: ACCEPTED,
    rawResponse: shorten(response.text),
  });
}

const MAX_WORDS = 100;
const DONE =
  /\b(ok|okay|success|successful|successfully|succeeded|done|created|updated|deleted|removed|saved)\b/i;
const NOT_DONE = /\b(no|not|never|cannot|fail\w*|error\w*|denied|invalid|un\w+|sign|log)\b|n't\b/i;

/** Returns a success of plain words, such as `OK`, as one without a body; other words leave open what they mean. */
export function withoutPlainSuccess(response: ProviderResponse): ProviderResponse {
  const text = response.text.trim();
  const isGood = response.status >= 200 && response.status < 300;
  const saysDone = text.length <= MAX_WORDS && /^\w/.test(text) && DONE.test(text) && !NOT_DONE.test(text);
  return isGood && saysDone ? { ...response, text: "" } : response;
}

/** Sends a request whose success has no body, such as a deletion. */
import { shorten } from "../../ground/storable-text.ts";
import type { Connector } from "../connector.ts";
import type { Account, ProviderFetch, ProviderRequest } from "./provider-fetch.ts";
import { ProviderError } from "./provider-error.ts";
import { send } from "./send-request.ts";

const MAX_WORDS = 200;

/**
 * Returns the refusal, or undefined where the answer is 204, or 200 without a body. Another success is not the one that the provider documents: something in
 * between may have answered, or the provider has accepted the request for later. Throws as `send`.
 */
export async function sendForNothing(
  provider: string,
  request: ProviderRequest,
  fetch: ProviderFetch,
  { classify, account }: { classify: NonNullable<Connector["classify"]>; account?: Account | undefined },
): Promise<ProviderError | undefined> {
  const { body, error, response } = await send(request, fetch, classify, account);
  if (error) return error;
  const { status, text } = response;
  if (body === undefined && (status === 204 || status === 200)) return undefined;
  const said = text.trim() === "" ? "" : `: ${shorten(text, MAX_WORDS)}`;
  return new ProviderError({
    kind: "unreadable",
    message: `${provider} answered ${status}, and its success is 204 without a body${said}`,
    status,
    rawResponse: shorten(text),
  });
}

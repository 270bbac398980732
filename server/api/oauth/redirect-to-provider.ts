/** Redirects a browser to the provider's consent page, or ends the consent with the page of its failure. */
import type { IncomingHttpHeaders } from "node:http";
import { Page } from "../../http/endpoint.ts";
import type { ShownConsent } from "../../store/connections/consents.ts";
import type { ConsentServices } from "./begin-consent.ts";
import { ConsentFailed, explainConsentFailure } from "./consent-failure.ts";
import { fail } from "./consent-outcome.ts";
import { leaveForProvider } from "./leave-for-provider.ts";

export async function redirectToProvider(
  deps: ConsentServices,
  consent: ShownConsent,
  browserHash: Buffer,
  headers: IncomingHttpHeaders,
): Promise<Page> {
  try {
    const url = await leaveForProvider(deps, consent, browserHash);
    if (url) return redirect(url);
    throw new ConsentFailed("provider-app", "The provider or the provider app is gone.");
  } catch (error) {
    return fail(deps, consent, explainConsentFailure(error), headers);
  }
}

export const redirect = (url: URL): Page =>
  new Page("", {
    status: 303,
    headers: { location: url.href, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });

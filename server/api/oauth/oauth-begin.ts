/** GET /callbacks/v1/oauth/begin: the page before the provider's consent page. */
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { nowMs } from "../../../ground/clock.ts";
import { endpoint, type Page } from "../../http/endpoint.ts";
import { findConsentByAddress, noteOpened, type ShownConsent } from "../../store/consents.ts";
import { htmlPage } from "../docs/html-page.ts";
import { BEGIN_PATH, type ConsentServices } from "./begin-consent.ts";
import { browserHash, browserSecret, CONSENT_PATH, digest } from "./browser-binding.ts";
import { askingPage, failurePage, usedPage } from "./consent-pages.ts";
import { failedPage, formTargets, findNames } from "./consent-outcome.ts";

export const oauthBegin = (deps: ConsentServices) =>
  endpoint({
    operationId: "oauthBegin",
    tag: "OAuth",
    summary: "Ask the customer before the provider's consent page",
    description:
      "`POST /v1/oauth-connect` returns this URL. The page names the application, the account and the group, and asks " +
      "whether to continue. Only the browser that continues can complete the consent.",
    query: Type.Object({
      consent: Type.String({ maxLength: 255, description: "Token of the consent." }),
    }),
    success: htmlPage("The page."),
    otherPages: { 400: "The URL is unknown, was used or has expired." },
    async handle({ query, headers }) {
      const consent = await findConsentByAddress(deps.database.queries, digest(query.consent));
      if (!consent) return unknownAddress();
      const closed = closedPage(deps, consent, headers);
      if (closed) return closed;
      await noteOpened(deps.database.queries, consent.id);
      const { proof, header: cookie } = browserSecret(
        { id: consent.id, path: CONSENT_PATH },
        headers,
        deps.publicUrl(),
      );
      const form = { action: BEGIN_PATH, token: query.consent, proof, cookie, targets: formTargets(deps) };
      return askingPage(consent, form, findNames(deps, consent));
    },
  });

/** Returns a page if this browser cannot continue with the consent. */
export function closedPage(
  deps: ConsentServices,
  consent: ShownConsent,
  headers: IncomingHttpHeaders,
): Page | undefined {
  const { status, appName: app, id: reference } = consent;
  const refuse = (what: string) =>
    failurePage({ message: `${what} Go back to ${app} and connect again.`, app, reference });
  const own = browserHash(consent.id, headers);
  if (consent.browserHash && !(own && consent.browserHash.equals(own)))
    return refuse("This address was opened in another browser.");
  if (status === "failed") return failedPage(deps, consent, headers);
  if (status === "succeeded") return usedPage(findNames(deps, consent));
  if (status !== "pending") return refuse("This address was used already.");
  if (consent.expireTime.getTime() <= nowMs()) return refuse("This address has expired.");
  return undefined;
}

export const unknownAddress = (): Page =>
  failurePage({
    message:
      "This address is not complete, or it is too old. Go back to the application that sent you here and connect again.",
  });

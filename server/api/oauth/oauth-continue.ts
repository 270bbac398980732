/** POST /callbacks/v1/oauth/begin: continues to the provider's consent page, or cancels. */
import { Type } from "typebox";
import { endpoint, type Page } from "../../http/endpoint.ts";
import { findConsentByAddress } from "../../store/consents.ts";
import type { ConsentServices } from "./begin-consent.ts";
import { digest, provenBrowser } from "./browser-binding.ts";
import { ConsentFailed } from "./consent-failure.ts";
import { failurePage } from "./consent-pages.ts";
import { fail } from "./consent-outcome.ts";
import { FORM_LIMIT_BYTES, parseForm } from "./form-body.ts";
import { closedPage, unknownAddress } from "./oauth-begin.ts";
import { redirectToProvider } from "./redirect-to-provider.ts";

export const oauthContinue = (deps: ConsentServices) =>
  endpoint({
    operationId: "oauthContinue",
    tag: "OAuth",
    summary: "Continue to the provider's consent page",
    description:
      "The form of `oauthBegin` sends `consent`, `proof` and `decision`, `continue` or `cancel`. The browser needs the " +
      "cookie of that page.",
    body: Type.Object({}),
    rawBodyLimitBytes: FORM_LIMIT_BYTES,
    success: { status: 303, description: "Redirect to the provider's consent page." },
    otherPages: { 400: "The customer cancelled, or the browser cannot continue." },
    async handle({ body, headers }) {
      const form = parseForm(body);
      const consent = await findConsentByAddress(deps.database.queries, digest(form.get("consent") ?? ""));
      if (!consent) return unknownAddress();
      const closed = closedPage(deps, consent, headers);
      if (closed) return closed;
      const hash = provenBrowser(consent.id, headers, form.get("proof"));
      if (!hash) return withoutCookie(consent.appName);
      if (form.get("decision") !== "continue") {
        const cancelled = new ConsentFailed("cancelled", "The customer cancelled before leaving.");
        return fail(deps, consent, cancelled, headers);
      }
      return redirectToProvider(deps, consent, hash, headers);
    },
  });

export const withoutCookie = (app: string): Page =>
  failurePage({
    message: `Your browser did not keep a cookie of this page. Allow cookies for this site, go back to ${app} and connect again.`,
    app,
  });

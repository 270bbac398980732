/** POST /callbacks/v1/oauth/retry: sends the browser of a failed consent to the provider's page again. */
import { Type } from "typebox";
import { isUuid } from "../../../ground/ids.ts";
import { endpoint } from "../../http/endpoint.ts";
import { findConsentOfBrowser } from "../../store/consents.ts";
import type { ConsentServices } from "./begin-consent.ts";
import { provenBrowser } from "./browser-binding.ts";
import { mayRetry } from "./consent-outcome.ts";
import { FORM_LIMIT_BYTES, parseForm } from "./form-body.ts";
import { unknownAddress } from "./oauth-begin.ts";
import { redirectToProvider } from "./redirect-to-provider.ts";

export const oauthRetry = (deps: ConsentServices) =>
  endpoint({
    operationId: "oauthRetry",
    tag: "OAuth",
    summary: "Try a failed consent again",
    description:
      "The form of a failure's page sends `consent` and `proof`. Only the browser that continued before can try again, " +
      "for an hour after the application asked. It has seen the page of `oauthBegin`, so that is not repeated.",
    body: Type.Object({}),
    rawBodyLimitBytes: FORM_LIMIT_BYTES,
    success: { status: 303, description: "Redirect to the provider's consent page." },
    otherPages: { 400: "The consent has succeeded, is too old, or belongs to another browser." },
    async handle({ body, headers }) {
      const form = parseForm(body);
      const id = form.get("consent") ?? "";
      const hash = isUuid(id) ? provenBrowser(id, headers, form.get("proof")) : undefined;
      const consent = hash && (await findConsentOfBrowser(deps.database.queries, id, hash));
      if (!consent || consent.status !== "failed" || !mayRetry(consent, hash)) return unknownAddress();
      return redirectToProvider(deps, consent, hash, headers);
    },
  });

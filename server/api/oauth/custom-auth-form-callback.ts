/** POST /callbacks/v1/custom-auth: the same for providers that send a form. */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { htmlPage } from "../docs/html-page.ts";
import type { FlowServices } from "./custom-auth-flow.ts";
import { FORM_LIMIT_BYTES, parseForm } from "./form-body.ts";
import { callbackPage, FORWARDING_DESCRIPTION, resendingPage, strangeBrowser } from "./forwarding-page.ts";

/** In the query of a form that `resendingPage` sends. */
const RESENT = "resent";

export const customAuthFormCallback = (deps: FlowServices) =>
  endpoint({
    operationId: "customAuthFormCallback",
    tag: "OAuth",
    summary: "Callback of custom authentication, by a form",
    description:
      `${FORWARDING_DESCRIPTION} Browsers send no cookie with another site's form, so its page first sends the form ` +
      "once more from here.",
    query: Type.Object({}),
    body: Type.Object({}),
    rawBodyLimitBytes: FORM_LIMIT_BYTES,
    success: htmlPage("The page that posts the parameters, or sends the form once more."),
    otherPages: { 400: "The browser has not continued to the provider's page." },
    async handle({ query, body, headers }) {
      const { [RESENT]: resent, ...rest } = query as Record<string, string | undefined>;
      const sent: [string, string][] = [...Object.entries(rest), ...parseForm(body)].map(([name, value]) => [
        name,
        String(value),
      ]);
      const page = await callbackPage(deps, sent, headers);
      return page ?? (resent === undefined ? resendingPage(sent) : strangeBrowser());
    },
  });

/** POST /callbacks/v1/custom-auth/begin: continues to the provider's page, or cancels. */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { findCustomAuthByAddress } from "../../store/custom-auth-sessions.ts";
import { digest, provenBrowser } from "./browser-binding.ts";
import { leave } from "./custom-auth-begin.ts";
import { openProgress, type FlowServices } from "./custom-auth-flow.ts";
import { FORM_LIMIT_BYTES, parseForm } from "./form-body.ts";
import { forwardingPage } from "./forwarding-page.ts";
import { unknownAddress } from "./oauth-begin.ts";
import { withoutCookie } from "./oauth-continue.ts";

export const customAuthContinue = (deps: FlowServices) =>
  endpoint({
    operationId: "customAuthContinue",
    tag: "OAuth",
    summary: "Continue to the provider's page",
    description:
      "The form of `customAuthBegin` sends `consent`, `proof` and `decision`, `continue` or `cancel`. The browser needs the " +
      "cookie of that page.",
    body: Type.Object({}),
    rawBodyLimitBytes: FORM_LIMIT_BYTES,
    success: { status: 303, description: "Redirect to the provider's page." },
    otherPages: { 200: "The customer cancelled.", 400: "The browser cannot continue." },
    async handle({ body, headers }) {
      const form = parseForm(body);
      const session = await findCustomAuthByAddress(deps.database.queries, digest(form.get("consent") ?? ""));
      if (!session) return unknownAddress();
      const hash = provenBrowser(session.flowId, headers, form.get("proof"));
      if (!hash) return withoutCookie(session.appName);
      if (form.get("decision") === "continue") return leave(deps, session, hash);
      const { state } = openProgress(deps.sealer, session);
      const refusal = { error: "access_denied", error_description: "You cancelled", state };
      return forwardingPage(session, refusal);
    },
  });

/** GET /callbacks/v1/oauth/begin: starts an OAuth flow that is tied to a browser. */
import { Type } from "typebox";
import { endpoint, Page } from "../../http/endpoint.ts";
import { bindToBrowser, findOauthSession } from "../../store/oauth-sessions.ts";
import type { ConsentServices } from "./begin-consent.ts";
import { consentAddress, newCookie } from "./browser-binding.ts";
import { callbackPage } from "./callback-page.ts";

export const oauthBegin = (deps: ConsentServices) =>
  endpoint({
    operationId: "oauthBegin",
    tag: "OAuth",
    summary: "Start an OAuth flow that is tied to the browser",
    description:
      "`POST /v1/oauth-connect` returns this URL with `enableCSRFProtection`. The first browser that opens " +
      "it gets a cookie and is redirected to the provider's consent page. Only that browser can complete " +
      "the flow.",
    query: Type.Object({
      session: Type.String({ description: "State of the OAuth flow that `oauthConnect` started." }),
      to: Type.String({ maxLength: 16_384, description: "The URL of the consent page, encrypted." }),
    }),
    success: { status: 302, description: "Redirect to the provider's consent page." },
    otherPages: { 400: "The URL was already opened or has expired." },
    async handle({ query }) {
      const { queries } = deps.database;
      const session = await findOauthSession(queries, query.session);
      const address = session && consentAddress(deps.sealer, session, query.to);
      if (!session || !address) return expired();
      const { hash, header } = newCookie(session, deps.publicUrl());
      if (!(await bindToBrowser(queries, session.id, hash))) return expired();
      return new Page("", {
        status: 302,
        headers: {
          location: address,
          "set-cookie": header,
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
        },
      });
    },
  });

const expired = (): Page =>
  callbackPage({
    error: "This address has expired or was opened already. Close this window and connect again.",
  });

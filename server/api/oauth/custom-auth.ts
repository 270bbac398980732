/** The pages of a custom sign-in: begin, continue, callback. */
import { Type } from "typebox";
import { nowMs } from "../../../ground/clock.ts";
import { endpoint, type Page, route, type Route } from "../../http/endpoint.ts";
import {
  findCustomAuthByAddress,
  noteCustomAuthDeparture,
  type ShownCustomAuthSession,
} from "../../store/connections/custom-auth-sessions.ts";
import { renderHtmlPage } from "../docs/render-html-page.ts";
import { readBrowserHash, getBrowserSecret, CUSTOM_AUTH_PATH, findProvenBrowser } from "./browser-binding.ts";
import { listFormTargets, findNames } from "./consent-outcome.ts";
import { renderAskingPage, renderFailure } from "./consent-pages.ts";
import { customAuthConnect } from "./custom-auth-connect.ts";
import { CUSTOM_BEGIN_PATH, type FlowServices, openProgress, SESSION_MS } from "./custom-auth-flow.ts";
import { FORM_LIMIT_BYTES, parseForm } from "./form-body.ts";
import {
  renderCallbackPage,
  FORWARDING_DESCRIPTION,
  renderForwardingPage,
  renderResendingPage,
  renderStrangeBrowserPage,
} from "./forwarding-page.ts";
import { renderUnknownAddressPage, withoutCookie } from "./oauth.ts";
import { redirect } from "./redirect-to-provider.ts";
import { hashSecret } from "../../../ground/ids.ts";

export const listCustomAuthRoutes = (deps: FlowServices): Route[] => [
  route("GET /callbacks/v1/custom-auth/begin", "public", customAuthBegin(deps)),
  route("POST /callbacks/v1/custom-auth/begin", "public", customAuthContinue(deps)),
  route("GET /callbacks/v1/custom-auth", "public", customAuthCallback(deps)),
  route("POST /callbacks/v1/custom-auth", "public", customAuthFormCallback(deps)),
  route("POST /v1/custom-auth/connect", "frontend", customAuthConnect(deps)),
];

const customAuthBegin = (deps: FlowServices) =>
  endpoint({
    operationId: "customAuthBegin",
    tag: "OAuth",
    summary: "Ask the customer before the provider's page",
    description:
      "`POST /v1/custom-auth/connect` returns this URL. The page names the application, the account and the group, and asks " +
      "whether to continue. At a later step, the browser that continued before is redirected at once.",
    query: Type.Object({
      consent: Type.String({ maxLength: 255, description: "Token of the session." }),
    }),
    success: renderHtmlPage("The page."),
    otherPages: {
      303: "Redirect to the provider's page.",
      400: "The URL is unknown, was used or has expired.",
    },
    async handle({ query, headers }) {
      const session = await findCustomAuthByAddress(deps.database.control, hashSecret(query.consent));
      if (!session) return renderUnknownAddressPage();
      const { flowId: id } = session;
      if (session.browserHash) {
        const own = readBrowserHash(id, headers);
        return own ? leave(deps, session, own) : renderOtherBrowser(session);
      }
      const { proof, header: cookie } = getBrowserSecret(
        { id, path: CUSTOM_AUTH_PATH },
        headers,
        deps.publicUrl(),
      );
      const action = CUSTOM_BEGIN_PATH;
      const form = { action, token: query.consent, proof, cookie, targets: listFormTargets(deps) };
      const providerWorkspaceRef = session.providerMetadata["workspace"]?.value ?? null;
      return renderAskingPage({ ...session, providerWorkspaceRef }, form, findNames(deps, session));
    },
  });

/** Returns the redirect to the provider's page, if the session belongs to this browser or to none yet. */
async function leave(deps: FlowServices, session: ShownCustomAuthSession, hash: Buffer): Promise<Page> {
  const expireTime = new Date(nowMs() + SESSION_MS);
  const own = await noteCustomAuthDeparture(deps.database.control, session.id, {
    browserHash: hash,
    expireTime,
  });
  return own ? redirect(new URL(openProgress(deps.sealer, session).url)) : renderOtherBrowser(session);
}

const renderOtherBrowser = ({ appName: app }: ShownCustomAuthSession): Page =>
  renderFailure({
    message: `This address was opened in another browser. Go back to ${app} and connect again.`,
    app,
  });

const customAuthContinue = (deps: FlowServices) =>
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
      const session = await findCustomAuthByAddress(
        deps.database.control,
        hashSecret(form.get("consent") ?? ""),
      );
      if (!session) return renderUnknownAddressPage();
      const hash = findProvenBrowser(session.flowId, headers, form.get("proof"));
      if (!hash) return withoutCookie(session.appName);
      if (form.get("decision") === "continue") return leave(deps, session, hash);
      const { state } = openProgress(deps.sealer, session);
      const refusal = { error: "access_denied", error_description: "You cancelled", state };
      return renderForwardingPage(session, refusal);
    },
  });

const customAuthCallback = (deps: FlowServices) =>
  endpoint({
    operationId: "customAuthCallback",
    tag: "OAuth",
    summary: "Callback of custom authentication",
    description: FORWARDING_DESCRIPTION,
    query: Type.Object({}),
    success: renderHtmlPage("The page that posts the parameters."),
    otherPages: { 400: "The browser has not continued to the provider's page." },
    handle: async ({ query, headers }) =>
      (await renderCallbackPage(deps, Object.entries(query), headers)) ?? renderStrangeBrowserPage(),
  });

/** Query parameter of a form that `renderResendingPage` sends. */
const RESENT = "resent";

const customAuthFormCallback = (deps: FlowServices) =>
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
    success: renderHtmlPage("The page that posts the parameters, or sends the form once more."),
    otherPages: { 400: "The browser has not continued to the provider's page." },
    async handle({ query, body, headers }) {
      const { [RESENT]: resent, ...rest } = query as Record<string, string | undefined>;
      const sent: [string, string][] = [...Object.entries(rest), ...parseForm(body)].map(([name, value]) => [
        name,
        String(value),
      ]);
      const page = await renderCallbackPage(deps, sent, headers);
      return page ?? (resent === undefined ? renderResendingPage(sent) : renderStrangeBrowserPage());
    },
  });

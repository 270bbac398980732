/** The callback page of custom authentication: hands what the provider sent back to the page that asked. */
import type { IncomingHttpHeaders } from "node:http";
import { sendsState } from "../../../connector-kit/provider/custom-steps.ts";
import type { Page } from "../../http/endpoint.ts";
import { escapeHtml, renderStyledPage } from "../../http/styled-page.ts";
import {
  listCustomAuthOfBrowser,
  type ShownCustomAuthSession,
} from "../../store/connections/custom-auth-sessions.ts";
import { listBrowserHashes, CUSTOM_AUTH_PATH } from "./browser-binding.ts";
import { renderFailure, renderHeader, toScriptJson } from "./consent-pages.ts";
import { openProgress, type FlowServices } from "./custom-auth-flow.ts";

/** The published UI library looks for this. */
const SOURCE = "ampersand-custom-auth";

export const FORWARDING_DESCRIPTION =
  "Callback URL for providers with a custom authentication scheme. In the browser that continued to the provider, the page " +
  "posts one message to the window that opened it, `{source, params}`; that window calls `POST /v1/custom-auth/connect` with " +
  "them. Only a page of the origin that called before receives the message.";

/** Returns the page for these parameters of the provider; undefined in a browser that has not continued to it. */
export async function renderCallbackPage(
  deps: FlowServices,
  parameters: [string, unknown][],
  headers: IncomingHttpHeaders,
): Promise<Page | undefined> {
  const params = Object.fromEntries(
    // The first of two values with one name counts, so that appending to the URL replaces nothing.
    parameters.toReversed().map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]),
  );
  const sessions = await listCustomAuthOfBrowser(deps.database.control, listBrowserHashes(headers));
  const session = sessions.find((one) => isAnswerTo(deps, one, params));
  return session && renderForwardingPage(session, params);
}

/** Returns whether the parameters hold the session's state, where its step sends one. */
function isAnswerTo(
  deps: FlowServices,
  session: ShownCustomAuthSession,
  params: Record<string, string>,
): boolean {
  const step = deps.catalog.of(session.projectId).find(session.provider)?.customOpts?.connectSteps?.[
    session.step
  ];
  if (!step?.redirect) return false;
  return !sendsState(step.redirect) || openProgress(deps.sealer, session).state === params["state"];
}

/** Returns the page that posts the parameters to the page that asked. */
export function renderForwardingPage(
  { appName, origin }: Pick<ShownCustomAuthSession, "appName" | "origin">,
  params: Record<string, string>,
): Page {
  const script = `history.replaceState(null, "", location.pathname);
const opener = window.opener;
if (opener) opener.postMessage(${toScriptJson({ source: SOURCE, params })}, ${toScriptJson(origin ?? "*")});`;
  return renderStyledPage({
    status: 200,
    layout: "card",
    title: "Almost connected",
    main: `${renderHeader(appName)}<h1>Almost connected</h1>
<p>This window closes automatically. If it does not, close it and return to ${escapeHtml(appName)}.</p>`,
    script,
  });
}

export const renderStrangeBrowserPage = (): Page =>
  renderFailure({
    message:
      "This sign-in was begun in another browser, took too long, or your browser does not keep cookies. Go back to the application that sent you here and connect again.",
  });

/**
 * Returns a page that sends the provider's form once more, from this origin: browsers withhold our cookie from a form that
 * another site sends.
 */
export function renderResendingPage(parameters: [string, string][]): Page {
  const inputs = parameters.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return renderStyledPage({
    status: 200,
    layout: "card",
    title: "One moment",
    formTargets: "",
    main: `<h1>One moment</h1>
<form method="post" action="${CUSTOM_AUTH_PATH}?resent=1">${inputs.join("")}<button class="main">Continue</button></form>`,
    script: `document.forms[0].submit();`,
  });
}

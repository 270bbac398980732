/** The pages of a consent: before the provider's page, and after it. */
import type { Page } from "../../http/endpoint.ts";
import { escapeHtml, renderStyledPage } from "../../http/styled-page.ts";

interface Names {
  app: string;
  provider: string;
}

/** For whom the account will be connected. */
interface Asked {
  providerWorkspaceRef: string | null;
  groupRef: string;
  groupName: string | null;
  consumerRef: string;
  consumerName: string | null;
}

/** Returns the page that names application, account and group, and asks whether to go on. */
export function renderAskingPage(
  asked: Asked,
  form: { action: string; token: string; proof: string; cookie: string; targets: string },
  { app, provider }: Names,
): Page {
  const facts = [
    ["Account", withDetail(provider, asked.providerWorkspaceRef)],
    ["For", withDetail(asked.groupName, asked.groupRef)],
    ["Asked by", withDetail(asked.consumerName, asked.consumerRef)],
  ];
  const rows = facts.map(([name = "", value = ""]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`);
  const [theApp, theProvider] = [escapeHtml(app), escapeHtml(provider)];
  return renderStyledPage({
    status: 200,
    layout: "card",
    title: `Connect ${provider} to ${app}`,
    formTargets: form.targets,
    headers: { "set-cookie": form.cookie },
    main: `${renderHeader(app)}<h1>Connect ${theProvider} to ${theApp}</h1>
<p>${theApp} asks for access to your ${theProvider} account. On the next page, ${theProvider} asks you to sign in and agree.</p>
<dl>${rows.join("")}</dl>
<p class="note">Continue only if you started this in ${theApp} yourself. If somebody sent you this address, cancel: your account
would be connected for them.</p>
<form method="post" action="${form.action}">
<input type="hidden" name="consent" value="${escapeHtml(form.token)}">
<input type="hidden" name="proof" value="${escapeHtml(form.proof)}">
<button class="main" id="continue" name="decision" value="continue">Continue to ${theProvider}</button>
<button id="cancel" name="decision" value="cancel">Cancel</button>
</form>`,
    script: HOLDING_BUTTONS,
  });
}

/**
 * Against pages that put this one under the pointer between the two clicks of a double click. The buttons are not `disabled`: Tab
 * would find nothing on the page and leave it, and coming back begins the wait again.
 */
const HOLDING_BUTTONS = `{
  const form = document.querySelector("form");
  const buttons = form.querySelectorAll("button");
  let timer;
  const hold = () => {
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      for (const button of buttons) button.removeAttribute("aria-disabled");
    }, 600);
  };
  hold();
  addEventListener("focus", hold);
  form.addEventListener("submit", (event) => {
    if (timer !== undefined) event.preventDefault();
  });
}`;

export function renderSuccessPage(connectionId: string, { app, provider }: Names): Page {
  return renderStyledPage({
    status: 200,
    layout: "card",
    title: `${provider} is connected`,
    main: `${renderHeader(app)}${GOOD}<h1>Connected</h1>
<p>${escapeHtml(app)} is now connected to ${escapeHtml(provider)}. You can close this window.</p>`,
    script: renderReport(
      { eventType: "AUTHORIZATION_SUCCEEDED", data: { connection: connectionId } },
      // The opener gets time to read the message: a closed window means that the customer has cancelled.
      "setTimeout(() => window.close(), 1_000);",
    ),
  });
}

/** Returns page for an address that is opened again after its consent has succeeded. */
export const renderUsed = ({ app, provider }: Names): Page =>
  renderStyledPage({
    status: 400,
    layout: "card",
    title: `${provider} is connected`,
    main: `${renderHeader(app)}${GOOD}<h1>Connected already</h1>
<p>${escapeHtml(app)} was connected to ${escapeHtml(provider)} by this address, which works once. You can close this window.</p>`,
  });

interface FailureShown {
  /** The text that the customer reads. */
  message: string;
  /** Name of the application, if known. */
  app?: string;
  /** The consent's id, for the customer's question to the builder. */
  reference?: string;
  /** Form that starts the consent again; without it, the customer has to go back to the application. */
  again?: { action: string; consentId: string; proof: string; targets: string };
}

export function renderFailure({ message, app, reference, again }: FailureShown): Page {
  const form = again
    ? `<form method="post" action="${again.action}">
<input type="hidden" name="consent" value="${escapeHtml(again.consentId)}">
<input type="hidden" name="proof" value="${escapeHtml(again.proof)}">
<button class="main" id="again">Try again</button>
</form>`
    : "";
  return renderStyledPage({
    status: 400,
    layout: "card",
    title: "Not connected",
    formTargets: again?.targets,
    main: `${app === undefined ? "" : renderHeader(app)}${BAD}<h1>Not connected</h1>
<p>${escapeHtml(message)}</p>
${reference === undefined ? "" : `<p class="soft small">Reference: ${escapeHtml(reference)}</p>`}
${form}`,
    script: renderReport({ eventType: "AUTHORIZATION_FAILED", message, data: { error: message } }),
  });
}

/** Posts exactly one message, with the members that the published UI library reads. */
const renderReport = (message: object, then = ""): string =>
  // The URL contains code and state, so it is removed from the history.
  `history.replaceState(null, "", location.pathname);
const opener = window.opener;
if (opener) {
  opener.postMessage(${toScriptJson(message)}, "*");
  ${then}
}`;

/** Returns JSON that cannot end the script element around it. */
export const toScriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Returns the application's name behind a tile with its first letter. */
export function renderHeader(app: string): string {
  const [letter = "?"] = app.trim();
  return `<div class="app"><span class="mark" aria-hidden="true">${escapeHtml(letter.toUpperCase())}</span><span>${escapeHtml(app)}</span></div>\n`;
}

const withDetail = (name: string | null, detail: string | null): string =>
  name && detail && name !== detail ? `${name} (${detail})` : name || detail || "";

const sign = (kind: string, path: string): string =>
  `<svg class="sign ${kind}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="12" cy="12" r="10"/>${path}</svg>\n`;
const GOOD = sign("good", '<path d="m7.5 12.5 3 3 6-7"/>');
const BAD = sign("bad", '<path d="m9 9 6 6m0-6-6 6"/>');

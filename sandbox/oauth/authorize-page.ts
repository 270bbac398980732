// Consent page of both providers: "Allow" and "Deny" lead back to the app with a code or an error.

import type { SandboxAnswer, SandboxExchange } from "../exchange.ts";
import type { Grants } from "./grants.ts";

type AuthorizeSettings = {
  title: string;
  /** Path of the page itself, with the provider's prefix. */
  action: string;
  grants: Grants;
  knownClient(clientId: string): boolean;
  /** Whether to skip the page and consent at once. */
  autoApprove: boolean;
};

/** Answers `?auto=1` and `decision=allow|deny` with the redirect, other requests with the page. */
export function authorize(exchange: SandboxExchange, settings: AuthorizeSettings): SandboxAnswer {
  const { query } = exchange;
  const clientId = query.get("client_id") ?? "";
  const redirectUri = query.get("redirect_uri") ?? "";
  if (clientId === "" || !settings.knownClient(clientId))
    return answerRefusal("The client_id is missing or unknown.");
  if (!URL.canParse(redirectUri)) return answerRefusal("The redirect_uri is missing or not a URL.");
  const decision = query.get("decision");
  if (decision === "deny") {
    return redirect(redirectUri, query, {
      error: "access_denied",
      error_description: "end-user denied authorization",
    });
  }
  const auto = settings.autoApprove || query.get("auto") === "1";
  if (decision !== "allow" && !auto) return renderPage(settings, query);
  const scopes = [query.get("scope") ?? "", query.get("optional_scope") ?? ""].join(" ").split(/[\s+]+/);
  const code = settings.grants.issueCode({
    clientId,
    redirectUri,
    scopes: scopes.filter((scope) => scope !== ""),
    challenge: query.get("code_challenge") ?? undefined,
    method: query.get("code_challenge_method") ?? "plain",
  });
  return redirect(redirectUri, query, { code });
}

function redirect(
  redirectUri: string,
  query: URLSearchParams,
  members: Record<string, string>,
): SandboxAnswer {
  const target = new URL(redirectUri);
  for (const [name, value] of Object.entries(members)) target.searchParams.set(name, value);
  const state = query.get("state");
  if (state !== null) target.searchParams.set("state", state);
  return { status: 302, headers: { location: target.href } };
}

function renderPage(settings: AuthorizeSettings, query: URLSearchParams): SandboxAnswer {
  const link = (decision: string): string => {
    const next = new URLSearchParams(query);
    next.set("decision", decision);
    return escapeHtml(`${settings.action}?${next.toString()}`);
  };
  const scopes = (query.get("scope") ?? "").split(/[\s+]+/).filter((scope) => scope !== "");
  const items = scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join("");
  return answerHtml(
    200,
    `<h1>${escapeHtml(settings.title)}</h1>
<p>The app <b>${escapeHtml(query.get("client_id") ?? "")}</b> asks for access to the sandbox account.</p>
<ul>${items}</ul>
<p><a class="button" id="allow" href="${link("allow")}">Allow</a>
<a class="button" id="deny" href="${link("deny")}">Deny</a></p>`,
  );
}

function answerRefusal(text: string): SandboxAnswer {
  return answerHtml(400, `<h1>This authorization request cannot be answered</h1><p>${escapeHtml(text)}</p>`);
}

function answerHtml(status: number, content: string): SandboxAnswer {
  return {
    status,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Sandbox</title><link rel="icon" href="data:,"><style>
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui;margin:2rem auto;max-width:32rem;padding:0 1rem}
.button{display:inline-block;padding:.5rem 1.5rem;border:1px solid;border-radius:.25rem;text-decoration:none}
</style></head><body>${content}</body></html>`,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

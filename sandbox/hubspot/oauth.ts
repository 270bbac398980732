// HubSpot's OAuth: consent page, token endpoints of all versions, token information and revocation.

import { randomUUID } from "node:crypto";
import { parseForm, Refused, type SandboxAnswer, type SandboxExchange } from "../exchange.ts";
import { authorize } from "../oauth/authorize-page.ts";
import { isVerifier, type Grants, type IssuedTokens } from "../oauth/grants.ts";
import type { KnownClient } from "../provider.ts";
import type { Router } from "../router.ts";
import { PORTAL_ID } from "./account.ts";
import { refuse } from "./errors.ts";

export const USER_ID = 41001;

type OAuthSettings = {
  grants: Grants;
  clients: KnownClient[];
  autoApprove: boolean;
  /** Returns whether an app gets a token of its own with this scope. */
  grantsApp(scope: string): boolean;
};

export function addOAuthRoutes(router: Router, settings: OAuthSettings): void {
  const showPage = (exchange: SandboxExchange): SandboxAnswer =>
    authorize(exchange, {
      title: "HubSpot sandbox: connect an app",
      action: "/hubspot/oauth/authorize",
      grants: settings.grants,
      autoApprove: settings.autoApprove,
      knownClient: (id) =>
        settings.clients.length === 0 || settings.clients.some((client) => client.id === id),
    });
  router.add("GET", "/oauth/authorize", showPage);
  router.add("GET", "/oauth/:account/authorize", showPage);
  router.add("POST", "/oauth/:version/token", (exchange) => answerToken(exchange, settings));
  router.add("POST", "/oauth/:version/token/introspect", (exchange) => introspect(exchange, settings.grants));
  router.add("POST", "/oauth/:version/token/revoke", (exchange) => {
    const text = parseForm(exchange)["token"] ?? "";
    settings.grants.dropRefresh(text);
    settings.grants.dropAccess(text);
    return { status: 200 };
  });
  router.add("GET", "/oauth/:version/access-tokens/:token", (exchange) =>
    showToken(exchange, settings.grants),
  );
  router.add("DELETE", "/oauth/:version/refresh-tokens/:token", (exchange) => {
    settings.grants.dropRefresh(exchange.params["token"] ?? "");
    return { status: 204 };
  });
}

function answerToken(exchange: SandboxExchange, settings: OAuthSettings): SandboxAnswer {
  const form = parseForm(exchange);
  const { client_id: clientId = "", client_secret: secret = "" } = form;
  if (clientId === "") throw refuseToken("BAD_CLIENT_ID", "invalid_client", "missing or unknown client id");
  if (settings.clients.length > 0) {
    const client = settings.clients.find((candidate) => candidate.id === clientId);
    if (client === undefined)
      throw refuseToken("BAD_CLIENT_ID", "invalid_client", "missing or unknown client id");
    if (client.secret !== secret)
      throw refuseToken("BAD_CLIENT_SECRET", "invalid_client", "missing or invalid client secret");
  }
  const version = exchange.params["version"] ?? "v1";
  if (form["grant_type"] === "authorization_code")
    return answerIssued(redeem(form, settings.grants), version);
  if (form["grant_type"] === "refresh_token") {
    const renewed = settings.grants.refresh(form["refresh_token"] ?? "", clientId);
    if (renewed === undefined) {
      throw refuseToken("BAD_REFRESH_TOKEN", "invalid_grant", "refresh token is invalid, expired or revoked");
    }
    return answerIssued(renewed, version);
  }
  if (form["grant_type"] === "client_credentials") return issueAppToken(form, settings);
  throw refuseToken(
    "BAD_GRANT_TYPE",
    "unsupported_grant_type",
    `unsupported grant type ${form["grant_type"] ?? ""}`,
  );
}

/** Issues a token for the app itself, without a refresh token. */
function issueAppToken(form: Record<string, string>, { grants, grantsApp }: OAuthSettings): SandboxAnswer {
  const scopes = (form["scope"] ?? "").split(/[ ,]+/).filter(Boolean);
  const refused = scopes.filter((scope) => !grantsApp(scope));
  if (scopes.length === 0 || refused.length > 0) {
    const message = `the app has not been granted the scopes ${refused.join(" ")}`;
    throw refuseToken("BAD_SCOPES", "invalid_scope", message);
  }
  const { accessToken, expiresAt } = grants.mint({ clientId: form["client_id"], scopes, refresh: false });
  const expires_in = Math.round((expiresAt - Date.now()) / 1000);
  return {
    status: 200,
    body: { access_token: accessToken, expires_in, token_type: "bearer", token_use: "access_token" },
  };
}

function redeem(form: Record<string, string>, grants: Grants): IssuedTokens {
  const pending = grants.takeCode(form["code"] ?? "");
  if (pending === undefined || pending.clientId !== form["client_id"]) {
    throw refuseToken("BAD_AUTH_CODE", "invalid_grant", "missing or unknown auth code");
  }
  if (pending.redirectUri !== form["redirect_uri"]) {
    throw refuseToken(
      "BAD_REDIRECT_URI",
      "invalid_request",
      "the redirect uri differs from the authorized one",
    );
  }
  if (!isVerifier(pending, form["code_verifier"])) {
    throw refuseToken("BAD_CODE_VERIFIER", "invalid_grant", "the code verifier does not match the challenge");
  }
  return grants.mint({ clientId: pending.clientId, scopes: pending.scopes });
}

function answerIssued(result: IssuedTokens, version: string): SandboxAnswer {
  const body = {
    token_type: "bearer",
    refresh_token: result.refreshToken,
    access_token: result.accessToken,
    expires_in: Math.round((result.expiresAt - Date.now()) / 1000),
  };
  if (version === "v1") return { status: 200, body };
  const details = {
    hub_id: PORTAL_ID,
    user_id: USER_ID,
    scopes: result.grant.scopes,
    token_use: "access_token",
  };
  return { status: 200, body: { ...body, ...details } };
}

/** Builds an error with both the OAuth members and HubSpot's own. */
function refuseToken(status: string, error: string, message: string): Refused {
  const body = { error, error_description: message, status, message, correlationId: randomUUID() };
  return new Refused({ status: 400, body });
}

function introspect(exchange: SandboxExchange, grants: Grants): SandboxAnswer {
  const text = parseForm(exchange)["token"] ?? "";
  const checked = grants.check(text);
  if (checked.state === "valid") {
    const { grant, expiresAt } = checked.token;
    const expires_in = Math.round((expiresAt - Date.now()) / 1000);
    const body = {
      active: true,
      token_use: "access_token",
      hub_id: PORTAL_ID,
      user_id: USER_ID,
      scopes: grant.scopes,
    };
    return {
      status: 200,
      body: { ...body, client_id: grant.clientId, ...(Number.isFinite(expires_in) ? { expires_in } : {}) },
    };
  }
  const refreshable = grants.findRefresh(text);
  if (refreshable === undefined) return { status: 200, body: { active: false } };
  const body = { active: true, token_use: "refresh_token", hub_id: PORTAL_ID, scopes: refreshable.scopes };
  return { status: 200, body };
}

function showToken(exchange: SandboxExchange, grants: Grants): SandboxAnswer {
  const text = exchange.params["token"] ?? "";
  const checked = grants.check(text);
  if (checked.state !== "valid") throw refuse(404, "access token is invalid, expired or unknown");
  const { grant, expiresAt } = checked.token;
  const body = {
    token: text,
    user: "admin@sandbox.example",
    hub_domain: "sandbox.example",
    scopes: grant.scopes,
    hub_id: PORTAL_ID,
    app_id: 4100,
    expires_in: Number.isFinite(expiresAt) ? Math.round((expiresAt - Date.now()) / 1000) : 0,
    user_id: USER_ID,
    token_type: "access",
  };
  return { status: 200, body };
}

// Salesforce's OAuth: consent page, token endpoint with rotating refresh tokens, introspection, revocation and user info.

import { createHmac } from "node:crypto";
import {
  readBearer,
  parseForm,
  readHeader,
  Refused,
  type SandboxAnswer,
  type Data,
  type SandboxExchange,
} from "../exchange.ts";
import { authorize } from "../oauth/authorize-page.ts";
import { isVerifier, type Grants, type IssuedTokens } from "../oauth/grants.ts";
import type { KnownClient } from "../provider.ts";
import type { Router } from "../router.ts";
import { refuse } from "./errors.ts";
import { ORG_ID, USER_ID } from "./org.ts";

type OAuthSettings = {
  grants: Grants;
  clients: KnownClient[];
  autoApprove: boolean;
  origin(): string;
};

export function addOAuthRoutes(router: Router, settings: OAuthSettings): void {
  const { grants } = settings;
  router.add("GET", "/services/oauth2/authorize", (exchange) =>
    authorize(exchange, {
      title: "Salesforce sandbox: allow access?",
      action: "/salesforce/services/oauth2/authorize",
      grants,
      autoApprove: settings.autoApprove,
      knownClient: (id) =>
        settings.clients.length === 0 || settings.clients.some((client) => client.id === id),
    }),
  );
  router.add("POST", "/services/oauth2/token", (exchange) => answerToken(exchange, settings));
  router.add("POST", "/services/oauth2/introspect", (exchange) => introspect(exchange, grants));
  router.add("POST", "/services/oauth2/revoke", (exchange) => revoke(exchange, grants));
  router.add("GET", "/services/oauth2/revoke", (exchange) => revoke(exchange, grants));
  for (const method of ["GET", "POST"]) {
    router.add(method, "/services/oauth2/userinfo", (exchange) => answerUserInfo(exchange, settings));
    router.add(method, "/id/:org/:user", (exchange) => answerUserInfo(exchange, settings));
  }
}

function answerToken(exchange: SandboxExchange, settings: OAuthSettings): SandboxAnswer {
  const form = { ...readBasicCredentials(exchange), ...parseForm(exchange) };
  const clientId = form["client_id"] ?? "";
  checkClient(clientId, form["client_secret"], settings.clients);
  switch (form["grant_type"]) {
    case "authorization_code":
      return answerIssued(redeem(form, settings.grants), settings);
    case "refresh_token": {
      const renewed = settings.grants.refresh(form["refresh_token"] ?? "", clientId);
      if (renewed === undefined) throw refuseToken("invalid_grant", "expired access/refresh token");
      return answerIssued(renewed, settings);
    }
    case "client_credentials":
      return answerIssued(settings.grants.mint({ clientId, scopes: ["api"], refresh: false }), settings);
    default:
      throw refuseToken("unsupported_grant_type", "grant type not supported");
  }
}

function readBasicCredentials(exchange: SandboxExchange): Record<string, string> {
  const match = /^Basic (.+)$/i.exec(readHeader(exchange, "authorization"));
  if (match?.[1] === undefined) return {};
  const [id = "", ...secret] = Buffer.from(match[1], "base64").toString("utf8").split(":");
  return { client_id: id, client_secret: secret.join(":") };
}

function checkClient(clientId: string, secret: string | undefined, clients: KnownClient[]): void {
  if (clientId === "") throw refuseToken("invalid_client_id", "client identifier invalid");
  if (clients.length === 0) return;
  const client = clients.find((candidate) => candidate.id === clientId);
  if (client === undefined) throw refuseToken("invalid_client_id", "client identifier invalid");
  if (client.secret !== secret) throw refuseToken("invalid_client", "invalid client credentials");
}

function redeem(form: Record<string, string>, grants: Grants): IssuedTokens {
  const pending = grants.takeCode(form["code"] ?? "");
  if (pending === undefined || pending.clientId !== form["client_id"]) {
    throw refuseToken("invalid_grant", "expired authorization code");
  }
  if (pending.redirectUri !== form["redirect_uri"]) {
    throw refuseToken("redirect_uri_mismatch", "redirect_uri must match configuration");
  }
  if (!isVerifier(pending, form["code_verifier"]))
    throw refuseToken("invalid_grant", "invalid code verifier");
  const { scopes } = pending;
  // Without a scope, the app's own scopes apply, which include refreshing; `full` alone does not.
  const refresh =
    scopes.length === 0 || scopes.includes("refresh_token") || scopes.includes("offline_access");
  const granted = scopes.length === 0 ? ["api", "refresh_token"] : scopes;
  return grants.mint({ clientId: pending.clientId, scopes: granted, refresh });
}

/** Builds the answer. There is no `expires_in`, and the time is text. */
function answerIssued(result: IssuedTokens, settings: OAuthSettings): SandboxAnswer {
  const base = `${settings.origin()}/salesforce`;
  const id = `${base}/id/${ORG_ID}/${USER_ID}`;
  const issuedAt = String(Date.now());
  const body = {
    access_token: result.accessToken,
    ...(result.refreshToken === undefined ? {} : { refresh_token: result.refreshToken }),
    signature: createHmac("sha256", "sandbox")
      .update(id + issuedAt)
      .digest("base64"),
    scope: result.grant.scopes.join(" "),
    instance_url: base,
    id,
    token_type: "Bearer",
    issued_at: issuedAt,
  };
  return { status: 200, headers: { "cache-control": "no-store" }, body };
}

function refuseToken(error: string, description: string): Refused {
  return new Refused({ status: 400, body: { error, error_description: description } });
}

function introspect(exchange: SandboxExchange, grants: Grants): SandboxAnswer {
  const form = parseForm(exchange);
  const text = form["token"] ?? "";
  const checked = grants.check(text);
  const grant = checked.state === "valid" ? checked.token.grant : grants.findRefresh(text);
  if (grant === undefined) return { status: 200, body: { active: false } };
  const body: Data = {
    active: true,
    scope: grant.scopes.join(" "),
    client_id: grant.clientId ?? form["client_id"],
    username: "admin@sandbox.example",
    sub: USER_ID,
    token_type: checked.state === "valid" ? "access_token" : "refresh_token",
  };
  if (checked.state === "valid" && Number.isFinite(checked.token.expiresAt)) {
    body["exp"] = Math.floor(checked.token.expiresAt / 1000);
  }
  return { status: 200, body };
}

function revoke(exchange: SandboxExchange, grants: Grants): SandboxAnswer {
  const text = parseForm(exchange)["token"] ?? exchange.query.get("token") ?? "";
  const checked = grants.check(text);
  const grant = checked.state === "valid" ? checked.token.grant : grants.findRefresh(text);
  if (grant === undefined) throw refuseToken("invalid_token", "the token is invalid");
  if (checked.state === "valid") grants.dropAccess(text);
  else grant.revoked = true;
  return { status: 200 };
}

function answerUserInfo(exchange: SandboxExchange, settings: OAuthSettings): SandboxAnswer {
  const checked = settings.grants.check(readBearer(exchange) ?? exchange.query.get("oauth_token") ?? "");
  if (checked.state !== "valid") throw refuse(401, "INVALID_SESSION_ID", "Session expired or invalid");
  const base = `${settings.origin()}/salesforce`;
  const body = {
    id: `${base}/id/${ORG_ID}/${USER_ID}`,
    sub: `${base}/id/${ORG_ID}/${USER_ID}`,
    user_id: USER_ID,
    organization_id: ORG_ID,
    preferred_username: "admin@sandbox.example",
    username: "admin@sandbox.example",
    display_name: "Ada Admin",
    nick_name: "ada",
    name: "Ada Admin",
    email: "admin@sandbox.example",
    email_verified: true,
    active: true,
    user_type: "STANDARD",
    language: "en_US",
    locale: "en_US",
    zoneinfo: "America/New_York",
    utcOffset: -18_000_000,
    urls: {
      rest: `${base}/services/data/v{version}/`,
      metadata: `${base}/services/Soap/m/{version}/${ORG_ID}`,
    },
  };
  return { status: 200, body };
}

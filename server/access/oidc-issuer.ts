/** The OpenID Connect issuer that this Busbar trusts: its addresses, its keys, and the exchange of a sign-in's code. */
import { createRemoteJWKSet, customFetch } from "jose";
import { EgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/open-egress.ts";
import type { EgressRequest, EgressResponse } from "../egress/send.ts";
import { Problem } from "../ground/errors.ts";
import { isJsonObject, type JsonObject } from "../ground/json.ts";

export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Undefined for a public client, which proves itself by PKCE alone. */
  clientSecret?: string;
  trustEmail: boolean;
}

export interface OidcIssuer {
  readonly settings: OidcSettings;
  /** Throws `unavailable` if the issuer does not answer. */
  keys(): Promise<ReturnType<typeof createRemoteJWKSet>>;
  /** Returns the address where people sign in, without a query. */
  authorizationUrl(): Promise<URL>;
  /** Returns the ID token of a sign-in; undefined if the issuer refuses the code. */
  exchange(code: { code: string; redirectUri: string; verifier: string }): Promise<string | undefined>;
}

export function openOidcIssuer(deps: { egress: Egress; oidc: OidcSettings }): OidcIssuer {
  const { egress, oidc } = deps;
  const configuration = loadOnce(() => discover(egress, oidc.issuer));
  const keys = loadOnce(async () => {
    const url = addressIn(await configuration(), "jwks_uri");
    return createRemoteJWKSet(url, {
      // Outgoing calls go through the egress only.
      [customFetch]: async (asked: string) => {
        const { status, body } = await send(egress, { url: new URL(asked), method: "GET" });
        return new Response(new Uint8Array(body), { status });
      },
    });
  });
  return {
    settings: oidc,
    keys,
    authorizationUrl: async () => addressIn(await configuration(), "authorization_endpoint"),
    async exchange({ code, redirectUri, verifier }) {
      const document = await configuration();
      const form = new URLSearchParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        client_id: oidc.clientId,
        code_verifier: verifier,
      });
      const headers: Record<string, string> = {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
      };
      authenticate(oidc, document, { form, headers });
      const url = addressIn(document, "token_endpoint");
      const { status, body } = await send(egress, { url, method: "POST", headers, body: form.toString() });
      if (status >= 500) throw issuerUnavailable(new Error(`${url.host} answered ${status}`));
      const answer = status === 200 ? parse(body) : undefined;
      return typeof answer?.["id_token"] === "string" ? answer["id_token"] : undefined;
    },
  };
}

/** Adds the client's secret in the way that the issuer takes. RFC 6749 section 2.3.1: the header, unless it is not listed. */
function authenticate(
  { clientId, clientSecret }: OidcSettings,
  configuration: JsonObject,
  request: { form: URLSearchParams; headers: Record<string, string> },
): void {
  if (clientSecret === undefined) return;
  const methods = configuration["token_endpoint_auth_methods_supported"];
  if (Array.isArray(methods) && !methods.includes("client_secret_basic")) {
    request.form.set("client_secret", clientSecret);
    return;
  }
  const pair = [clientId, clientSecret].map((part) => encodeURIComponent(part)).join(":");
  request.headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** Loads once, and again after a failure. */
function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}

async function discover(egress: Egress, issuer: string): Promise<JsonObject> {
  const url = new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const { status, body } = await send(egress, { url, method: "GET" });
  if (status !== 200) throw issuerUnavailable(new Error(`${url.host} answered ${status}`));
  return parse(body);
}

function parse(body: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw issuerUnavailable(cause);
  }
  throw issuerUnavailable(new Error("the issuer's answer is not a JSON object"));
}

function addressIn(configuration: JsonObject, name: string): URL {
  const address = configuration[name];
  const url = typeof address === "string" ? URL.parse(address) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw issuerUnavailable(new Error(`the issuer's configuration names no ${name}`));
}

const send = (egress: Egress, request: EgressRequest): Promise<EgressResponse> =>
  egress
    .send({
      headers: { accept: "application/json" },
      totalTimeoutMs: 10_000,
      maxBytes: 1_000_000,
      ...request,
    })
    .catch((error: unknown) => {
      throw error instanceof EgressError ? issuerUnavailable(error) : error;
    });

export const issuerUnavailable = (cause: unknown): Problem =>
  new Problem("unavailable", {
    detail:
      "The sign-in issuer of BUSBAR_OIDC_ISSUER does not answer, so people cannot be identified. Try again later.",
    cause,
  });

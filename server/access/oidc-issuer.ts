/** The OpenID Connect issuer that this Busbar trusts: its addresses, its keys, the exchange of a sign-in's code, and UserInfo. */
import { EgressError } from "../egress/egress-error.ts";
import type { EgressRequest, Egress, EgressResponse } from "../egress/egress.ts";
import { Problem } from "../../ground/errors.ts";
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { Log } from "../../ground/log.ts";
import { fetchIssuerDocument, openIssuerKeys, type IssuerKeys } from "./issuer-keys.ts";

interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Undefined for a public client, which proves itself by PKCE alone. */
  clientSecret?: string;
  trustEmail: boolean;
}

export interface OidcIssuer {
  readonly settings: OidcSettings;
  /** Throws `unavailable` if the issuer does not answer. */
  keys(): Promise<IssuerKeys>;
  /** Returns the address where people sign in, without a query. */
  authorizationUrl(): Promise<URL>;
  /** Returns the tokens of a sign-in. Throws a Problem with the issuer's words if it refuses the code or this client. */
  exchange(code: { code: string; redirectUri: string; verifier: string }): Promise<IssuerTokens>;
  /**
   * Returns what UserInfo tells about the person of an access token (OpenID Connect Core 5.3): claims, or the text of a
   * signed answer. Undefined if the issuer has no UserInfo or refuses. Throws `unavailable` if it does not answer.
   */
  userInfo(accessToken: string): Promise<JsonObject | string | undefined>;
}

/** What the token endpoint answers with, as far as it is read. */
export interface IssuerTokens {
  idToken: string;
  accessToken?: string;
}

export function openOidcIssuer(deps: { egress: Egress; oidc: OidcSettings; log: Log }): OidcIssuer {
  const { egress, oidc, log } = deps;
  const configuration = loadOnce(() => discover(egress, oidc.issuer));
  const keys = loadOnce(async () =>
    openIssuerKeys(egress, readAddress(await configuration(), "jwks_uri"), refuseWithoutIssuer),
  );
  return {
    settings: oidc,
    keys,
    authorizationUrl: async () => readAddress(await configuration(), "authorization_endpoint"),
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
      const url = readAddress(document, "token_endpoint");
      const { status, body } = await send(egress, { url, method: "POST", headers, body: form.toString() });
      if (status >= 500 || status === 429)
        throw refuseWithoutIssuer(new Error(`${url.host} answered ${status}`));
      return readTokens(status, parse(body));
    },
    async userInfo(accessToken) {
      const document = await configuration();
      if (document["userinfo_endpoint"] === undefined) return undefined;
      const url = readAddress(document, "userinfo_endpoint");
      const headers = { accept: "application/json, application/jwt", authorization: `Bearer ${accessToken}` };
      const { status, headers: answered, body } = await send(egress, { url, method: "GET", headers });
      if (status === 200) {
        const isSigned = /^application\/jwt\b/i.test(String(answered["content-type"] ?? ""));
        return isSigned ? body.toString("utf8").trim() : parse(body);
      }
      const cause = new Error(`UserInfo of ${url.host} answered ${status}`);
      if (status >= 500 || status === 429) throw refuseWithoutIssuer(cause);
      log.warn({ err: cause }, "UserInfo of the sign-in issuer was not read");
      return undefined;
    },
  };
}

/** Refusals that only the operator can end (RFC 6749 section 5.2). */
const REFUSALS_OF_THE_CLIENT = ["invalid_client", "unauthorized_client"];

function readTokens(status: number, answer: JsonObject): IssuerTokens {
  const { id_token: idToken, access_token: accessToken } = answer;
  if (status === 200 && typeof idToken === "string") {
    return { idToken, ...(typeof accessToken === "string" && { accessToken }) };
  }
  const { error, error_description: description } = answer;
  const code = typeof error === "string" ? error : status === 200 ? "no `id_token`" : String(status);
  const words = [code, typeof description === "string" ? description : ""].filter(Boolean).join(": ");
  const said = words.slice(0, LONGEST_WORDS);
  if (REFUSALS_OF_THE_CLIENT.includes(code)) {
    throw new Problem("unavailable", {
      detail:
        `The sign-in issuer refuses this server (${said}). Its operator must compare BUSBAR_OIDC_CLIENT_ID and ` +
        "BUSBAR_OIDC_CLIENT_SECRET with the client that is registered at the issuer.",
      retryable: false,
    });
  }
  throw new Problem("unauthenticated", {
    detail: `The sign-in issuer refuses this sign-in (${said}). Sign in again.`,
  });
}

const LONGEST_WORDS = 500;

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
  return fetchIssuerDocument(egress, url).catch((error: unknown) => {
    throw refuseWithoutIssuer(error);
  });
}

function parse(body: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw refuseWithoutIssuer(cause);
  }
  throw refuseWithoutIssuer(new Error("the issuer's answer is not a JSON object"));
}

function readAddress(configuration: JsonObject, name: string): URL {
  const address = configuration[name];
  const url = typeof address === "string" ? URL.parse(address) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw refuseWithoutIssuer(new Error(`the issuer's configuration names no ${name}`));
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
      throw error instanceof EgressError ? refuseWithoutIssuer(error) : error;
    });

export const refuseWithoutIssuer = (cause: unknown): Problem =>
  new Problem("unavailable", {
    detail:
      "The sign-in issuer of BUSBAR_OIDC_ISSUER does not answer, so people cannot be identified. Try again later.",
    cause,
  });

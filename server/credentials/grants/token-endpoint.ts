/** Requests OAuth 2.0 tokens from a provider's token endpoint and classifies its failures. */
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { parseExactly } from "../../../connector-kit/calls/exact-json.ts";
import { fillTokenUrl, type UrlOptions } from "../../../connector-kit/provider/template.ts";
import { EgressError } from "../../egress/egress-error.ts";
import type { Egress } from "../../egress/egress.ts";
import { nowMs } from "../../../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { TokenEndpointError } from "./token-endpoint-error.ts";
import { toTokenError } from "./token-refusal.ts";
import { computeExpiry } from "../stored/refresh-time.ts";
import type { Token } from "../stored/credential-envelope.ts";
import { readMessage } from "../../../ground/errors.ts";

export interface TokenAnswer {
  accessToken: Token;
  refreshToken?: Token;
  scopes?: string[];
  /** The whole response; the catalog names metadata in it. */
  fields: JsonObject;
}

interface TokenRequest {
  provider: ProviderInfo;
  urlOptions: UrlOptions;
  clientId: string;
  clientSecret: string;
  /** `grant_type` and its parameters. */
  grant: Record<string, string>;
}

export const TOKEN_TIMEOUT_MS = 20_000;
const TOKEN_MAX_BYTES = 256 * 1024;

/** Requests a token. Throws `TokenEndpointError`. */
export async function requestToken(egress: Egress, request: TokenRequest): Promise<TokenAnswer> {
  const { provider, clientId, clientSecret, grant } = request;
  const url = fillTokenUrl(provider, request.urlOptions);
  const asBasic = provider.oauth2Opts?.tokenAuthStyle === "basic";
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  const body = new URLSearchParams(
    asBasic ? grant : { ...grant, client_id: clientId, client_secret: clientSecret },
  );
  const answer = await egress
    .send({
      url,
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
        ...(asBasic && { authorization: `Basic ${Buffer.from(pair).toString("base64")}` }),
      },
      body: body.toString(),
      totalTimeoutMs: TOKEN_TIMEOUT_MS,
      maxBytes: TOKEN_MAX_BYTES,
    })
    .catch((error: unknown) => {
      const sent = !(error instanceof EgressError) || error.sent;
      const text = readMessage(error);
      throw new TokenEndpointError("transient", text, { sent, cause: error });
    });
  const scopesField = provider.oauth2Opts?.tokenMetadataFields.scopesField ?? "scope";
  const { status } = answer;
  const fields = parse(answer.text());
  const token = fields["access_token"];
  // Some providers refuse with status 200 (GitHub, Slack), so the presence of a token decides.
  if (status < 300 && isToken(token)) return toAnswer(fields, token, scopesField);
  const isRefresh = grant["grant_type"] === "refresh_token";
  const secrets = [clientSecret, ...listSecrets(grant)];
  throw toTokenError(
    { status, fields, host: url.host },
    { otherwise: isRefresh ? "transient" : "configuration", isRefresh, secrets },
  );
}

/** These are no secrets, and a refusal is understood by them. */
const SHOWN = new Set(["grant_type", "scope", "redirect_uri"]);

const listSecrets = (grant: Record<string, string>): string[] =>
  Object.entries(grant).flatMap(([name, value]) => (SHOWN.has(name) ? [] : [value]));

/** Visible ASCII, as in RFC 6749, appendix A.12. No header could carry other text. */
const isToken = (value: Json | undefined): value is string =>
  typeof value === "string" && /^[\u0020-\u007e]+$/.test(value);

function parse(text: string): JsonObject {
  try {
    const value = parseExactly(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Old endpoints answer in form encoding. Any other response has no access token either way.
  }
  return Object.fromEntries(new URLSearchParams(text));
}

function toAnswer(fields: JsonObject, token: string, scopesField: string): TokenAnswer {
  const issuedAt = new Date(nowMs()).toISOString();
  // Without a lifetime (Salesforce), a token is used until it is refused.
  const expiresAt = computeExpiry(readLifetime(fields));
  const refresh = fields["refresh_token"];
  return {
    accessToken: { token, issuedAt, expiresAt },
    refreshToken: typeof refresh === "string" && refresh ? { token: refresh, issuedAt } : undefined,
    scopes: parseScopes(fields[scopesField]),
    fields,
  };
}

/** A time with its zone. */
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

/** Returns the seconds until the token ends; not a number where the answer does not tell. Square tells the moment. */
function readLifetime({ expires_in: seconds, expires_at: end }: JsonObject): number {
  if ((seconds ?? null) !== null || typeof end !== "string" || !MOMENT.test(end)) return Number(seconds);
  // Where the clock is ahead of the provider's, a token that has ended already is still one that ends.
  return Math.max(1, (Date.parse(end) - nowMs()) / 1_000);
}

/** Reads a list, or text separated by spaces or commas. */
function parseScopes(value: Json | undefined): string[] | undefined {
  if (Array.isArray(value)) return value.filter((scope) => typeof scope === "string");
  const scopes = typeof value === "string" ? value.split(/[ ,]+/).filter(Boolean) : [];
  return scopes.length > 0 ? scopes : undefined;
}

/** The authorization code grant: builds the URL of the consent page and the grant for the token endpoint. */
import { createHash } from "node:crypto";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import {
  authorizeUrl,
  fillTemplate,
  TemplateError,
  type UrlOptions,
} from "../../../connector-kit/provider/template.ts";
import { listMetadataValues, buildAddress } from "../stored/provider-metadata.ts";
import type { ProviderMetadata } from "../../store/connections/connections.ts";

interface ConsentRequest {
  provider: ProviderInfo;
  providerMetadata: ProviderMetadata;
  allowPlainHttp: UrlOptions["allowPlainHttp"];
  clientId: string;
  /** Scopes as the provider app names them; the catalog maps short names. */
  scopes: string[];
  /** Extra parameters of the provider app, for example HubSpot's `optional_scope`. */
  authQueryParams?: Record<string, string[]>;
  redirectUri: string;
  state: string;
  codeVerifier?: string;
}

/** Returns whether the provider supports or requires PKCE. */
export const takesPkce = ({ oauth2Opts }: ProviderInfo): boolean =>
  oauth2Opts?.grantType === "authorizationCodePKCE" || oauth2Opts?.pkce === true;

/** Returns whether customers connect by consenting in a browser. */
export const usesConsent = ({ authType, oauth2Opts }: ProviderInfo): boolean =>
  authType === "oauth2" &&
  (oauth2Opts?.grantType === "authorizationCode" || oauth2Opts?.grantType === "authorizationCodePKCE");

/** Builds the URL of the consent page. Throws a 400 Problem that names missing metadata. */
export function buildConsentUrl(request: ConsentRequest): URL {
  const { provider, providerMetadata, allowPlainHttp, codeVerifier } = request;
  const values = listMetadataValues(providerMetadata);
  const url = buildAddress(provider, () => authorizeUrl(provider, { values, allowPlainHttp }));
  const { authURLParams = {}, audience, scopeSeparator = " " } = provider.oauth2Opts ?? {};
  const fixed = new Map(Object.entries(authURLParams));
  for (const [name, parts] of Object.entries(request.authQueryParams ?? {})) fixed.set(name, parts.join(" "));
  for (const [name, value] of fixed) url.searchParams.set(name, value);
  if (audience?.length) url.searchParams.set("audience", audience.join(" "));
  const scope = request.scopes.map((name) => mapScope(provider, name, values)).join(scopeSeparator);
  if (scope) url.searchParams.set("scope", scope);
  // Set last, so that extra parameters of the provider app cannot replace them.
  url.searchParams.set("response_type", "code");
  url.searchParams.set("client_id", request.clientId);
  url.searchParams.set("redirect_uri", request.redirectUri);
  url.searchParams.set("state", request.state);
  if (codeVerifier) {
    url.searchParams.set("code_challenge", createHash("sha256").update(codeVerifier).digest("base64url"));
    url.searchParams.set("code_challenge_method", "S256");
  }
  return url;
}

/** Builds the parameters for the token endpoint. */
export const buildCodeGrant = (
  { oauth2Opts }: ProviderInfo,
  code: string,
  redirectUri: string,
  codeVerifier: string | undefined,
): Record<string, string> => ({
  ...oauth2Opts?.tokenParams,
  grant_type: "authorization_code",
  code,
  redirect_uri: redirectUri,
  ...(codeVerifier && { code_verifier: codeVerifier }),
});

function mapScope(provider: ProviderInfo, name: string, values: Record<string, string>): string {
  const mappings = provider.oauth2Opts?.scopeMappings ?? {};
  const mapped = Object.hasOwn(mappings, name) ? mappings[name] : undefined;
  if (mapped === undefined) return name;
  try {
    return fillTemplate(mapped, values);
  } catch (error) {
    if (error instanceof TemplateError) return name;
    throw error;
  }
}

/** Short forms for the facts of a provider, one per authentication scheme. Everything they leave out has a default. */
import type { CustomOptions, Oauth2Options, StepRequest } from "./auth-options.ts";
import { supports, type Ability, type ProviderFacts } from "./define-provider.ts";
import type { Support } from "../provider-support.ts";

/** Facts in addition to name, address and authentication. */
interface More extends Partial<Omit<ProviderFacts, "displayName" | "authType" | "baseURL" | "support">> {
  /** Actions that a manifest may declare, in addition to calls through the proxy, which every provider accepts. */
  declares?: (Ability | Partial<Support>)[];
  /** Values that the customer enters. */
  inputs?: NonNullable<NonNullable<ProviderFacts["metadata"]>["input"]>;
  /** Page of the provider's documentation on its authentication. */
  docs?: string;
}

interface Oauth2More extends Omit<More, "docs"> {
  /** Authorization URL. Absent for grants without a consent. */
  authorize?: string;
  /** Token URL. */
  token: string;
  /** Default: `authorizationCode`. */
  grant?: Oauth2Options["grantType"];
  /** How the client authenticates at the token endpoint. Default: in the body. */
  tokenAuth?: Oauth2Options["tokenAuthStyle"];
  /** Whether a provider app must list its scopes. */
  needsScopes?: boolean;
  /** Members of the token response that describe the account. */
  tokenFields?: Oauth2Options["tokenMetadataFields"];
  /** Further options of OAuth 2. */
  oauth?: Partial<Oauth2Options>;
}

/** Declares a provider with OAuth 2. */
export function oauth2(displayName: string, baseURL: string, options: Oauth2More): ProviderFacts {
  const { authorize, token, grant, tokenAuth, needsScopes, tokenFields, oauth, ...more } = options;
  const facts = declareCommon(displayName, baseURL, "oauth2", more);
  facts.oauth2Opts = {
    grantType: grant ?? "authorizationCode",
    ...(authorize !== undefined && { authURL: authorize }),
    tokenURL: token,
    ...(tokenAuth && { tokenAuthStyle: tokenAuth }),
    ...(needsScopes && { explicitScopesRequired: true }),
    ...(tokenFields && { tokenMetadataFields: tokenFields }),
    ...oauth,
  };
  return facts;
}

/** Declares a provider whose API key is sent as `Authorization: Bearer`. */
export const bearerKey = (displayName: string, baseURL: string, more: More = {}): ProviderFacts =>
  headerKey(displayName, baseURL, "Authorization: Bearer ", more);

/** Declares a provider whose API key is sent in a header: `X-Api-Key`, or `Authorization: Token ` with a prefix. */
export function headerKey(
  displayName: string,
  baseURL: string,
  header: string,
  { docs, ...more }: More = {},
): ProviderFacts {
  const [name = header, ...prefix] = header.split(": ");
  const facts = declareCommon(displayName, baseURL, "apiKey", more);
  facts.apiKeyOpts = {
    attachmentType: "header",
    header: { name, ...(prefix.length > 0 && { valuePrefix: prefix.join(": ") }) },
    ...(docs !== undefined && { docsURL: docs }),
  };
  return facts;
}

/** Declares a provider whose API key is sent in a query parameter. */
export function queryKey(
  displayName: string,
  baseURL: string,
  parameter: string,
  { docs, ...more }: More = {},
): ProviderFacts {
  const facts = declareCommon(displayName, baseURL, "apiKey", more);
  facts.apiKeyOpts = {
    attachmentType: "query",
    query: { name: parameter },
    ...(docs !== undefined && { docsURL: docs }),
  };
  return facts;
}

/** Declares a provider with a user name and a password, or a pair of keys in their place. */
export function basic(displayName: string, baseURL: string, { docs, ...more }: More = {}): ProviderFacts {
  const facts = declareCommon(displayName, baseURL, "basic", more);
  if (docs !== undefined) facts.basicOpts = { docsURL: docs };
  return facts;
}

/** Declares a provider with one API key that is sent as HTTP Basic. `format` is `user:password` with `%s` for the key. */
export function keyAsBasic(
  displayName: string,
  baseURL: string,
  format: string,
  { docs, ...more }: More = {},
): ProviderFacts {
  const facts = declareCommon(displayName, baseURL, "basic", more);
  facts.basicOpts = {
    apiKeyAsBasic: true,
    apiKeyAsBasicOpts: { keyFormat: format },
    ...(docs !== undefined && { docsURL: docs }),
  };
  return facts;
}

/** Declares a provider with a sign-in of its own, which `customOpts` describe. */
export const custom = (
  displayName: string,
  baseURL: string,
  more: Omit<More, "docs"> & Pick<ProviderFacts, "customOpts">,
): ProviderFacts => declareCommon(displayName, baseURL, "custom", more);

/**
 * Declares a provider that exchanges an assertion, signed with the customer's key, for an access token: when it is
 * connected, and whenever the token expires.
 */
export function assertion(
  displayName: string,
  baseURL: string,
  {
    asks,
    tokenRequest,
    ...more
  }: Omit<More, "docs"> & { asks: NonNullable<CustomOptions["inputs"]>; tokenRequest: StepRequest },
): ProviderFacts {
  const steps = [{ request: tokenRequest }];
  const headers = [{ name: "Authorization", valueTemplate: "Bearer {{.accessToken}}" }];
  const customOpts = { multiStep: true, inputs: asks, connectSteps: steps, refreshSteps: steps, headers };
  return custom(displayName, baseURL, { ...more, customOpts });
}

function declareCommon(
  displayName: string,
  baseURL: string,
  authType: ProviderFacts["authType"],
  { declares = [], inputs, metadata, ...more }: Omit<More, "docs">,
): ProviderFacts {
  return {
    displayName,
    authType,
    baseURL,
    support: supports("proxy", ...declares),
    ...((inputs ?? metadata) && { metadata: { ...(inputs && { input: inputs }), ...metadata } }),
    ...more,
  };
}

/** Words how a customer's account at a provider is connected. */
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";

/** Returns the sign-in in a few words, for a table. */
export function signIn({
  authType,
  oauth2Opts,
  apiKeyOpts,
  basicOpts,
  awsSignature,
  documentationOnly,
}: ProviderInfo): string {
  if (documentationOnly !== undefined) return "documentation only";
  if (authType === "apiKey")
    return apiKeyOpts?.attachmentType === "query" ? "API key in the query" : "API key in a header";
  if (awsSignature) return "access key, which signs requests (AWS Signature Version 4)";
  if (authType === "basic")
    return basicOpts?.apiKeyAsBasic ? "API key as HTTP Basic" : "user name and password";
  if (authType === "custom") return "values of its own";
  if (authType !== "oauth2") return authType;
  return oauth2Opts === undefined ? "OAuth 2" : GRANTS[oauth2Opts.grantType];
}

const GRANTS: Record<NonNullable<ProviderInfo["oauth2Opts"]>["grantType"], string> = {
  authorizationCode: "OAuth 2, consent page",
  authorizationCodePKCE: "OAuth 2, consent page, PKCE",
  clientCredentials: "OAuth 2, client credentials",
  password: "OAuth 2, password",
};

/** Returns the lines of a page about the sign-in, the values that the customer enters, and the address. */
export function connectSection(info: ProviderInfo): string[] {
  const inputs = [...(info.metadata?.input ?? []), ...(info.customOpts?.inputs ?? [])];
  return [
    "| | |",
    "|---|---|",
    `| sign-in | ${signIn(info)}${describeKey(info)} |`,
    ...(info.oauth2Opts ? [`| your OAuth client | ${describeClient(info.oauth2Opts)} |`] : []),
    ...inputs.map((input) => `| the customer enters | ${describeInput(input)} |`),
    ...listAsked(info).map((name) => `| asked of the provider after the sign-in | \`${name}\` |`),
    `| base address | \`${info.baseURL}\` |`,
    ...(info.fixedHeaders ?? []).map(
      ({ name, valueTemplate }) => `| sent with every call | \`${name}: ${valueTemplate}\` |`,
    ),
    ...findDocumentation(info).map((url) => `| documentation of the sign-in | <${url}> |`),
  ];
}

function describeKey({ authType, apiKeyOpts }: ProviderInfo): string {
  if (authType !== "apiKey" || !apiKeyOpts) return "";
  const { query, header } = apiKeyOpts;
  if (query) return `: \`${query.name}\``;
  return header ? `: \`${header.name}: ${header.valuePrefix ?? ""}…\`` : "";
}

const describeClient = ({ explicitScopesRequired }: NonNullable<ProviderInfo["oauth2Opts"]>): string =>
  `\`busbar create provider-app\` with its id and secret${explicitScopesRequired ? ", and with scopes" : ""}`;

function describeInput(input: { name: string; displayName?: string; prompt?: string }): string {
  const { name, displayName, prompt } = input;
  const about = prompt === undefined ? (displayName ?? "") : prompt;
  return `\`${name}\`${about === "" ? "" : `: ${about.replaceAll("|", "\\|")}`}`;
}

const listAsked = ({ metadata }: ProviderInfo): string[] =>
  (metadata?.postAuthentication ?? []).map(({ name }) => name);

function findDocumentation({ oauth2Opts, apiKeyOpts, basicOpts }: ProviderInfo): string[] {
  return [oauth2Opts?.docsURL, apiKeyOpts?.docsURL, basicOpts?.docsURL].filter((url) => url !== undefined);
}

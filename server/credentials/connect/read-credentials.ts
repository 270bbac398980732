/** Reads credentials from a request, by the provider's authentication scheme. */
import { Type, type Static } from "typebox";
import { buildAuthorization, CredentialsError } from "../../../connector-kit/provider/authorization.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { TemplateError } from "../../../connector-kit/provider/template.ts";
import { described, describeTime } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { toCallCredentials, type StoredCredentials } from "../stored/credential-envelope.ts";

/** Long enough for certificates and keys in PEM. Credentials in use are kept in memory. */
const LONGEST = 16_384;
const MAX_SCOPES = 1_000;
const MAX_INPUTS = 100;

const text = (description: string) => Type.String({ minLength: 1, maxLength: LONGEST, description });
/** One half of basic authentication: either may be empty. */
const describeHalf = (description: string) => Type.String({ maxLength: LONGEST, description });
const TokenInput = Type.Object({
  token: text("The token."),
  issuedAt: Type.Optional(describeTime("When the token was issued.")),
  expiresAt: Type.Optional(describeTime("When the token expires. Absent if unknown.")),
});
const Scopes = Type.Optional(
  Type.Array(Type.String({ maxLength: 1_000 }), {
    maxItems: MAX_SCOPES,
    description: "OAuth scopes that were granted.",
  }),
);

/** A request has one of these members, the one of the provider's scheme. */
export const CredentialsInput = {
  apiKey: Type.Optional(text("API key, for providers with API key authentication.")),
  basicAuth: Type.Optional(
    Type.Object(
      {
        username: describeHalf("User name."),
        password: describeHalf("Password. Stored encrypted, never returned."),
      },
      { description: "Credentials for providers with basic authentication." },
    ),
  ),
  oauth2ClientCredentials: Type.Optional(
    Type.Object(
      {
        clientId: text("OAuth client id of the customer."),
        clientSecret: text("OAuth client secret. Stored encrypted, never returned."),
        scopes: Scopes,
      },
      { description: "Credentials for providers with the OAuth client credentials flow." },
    ),
  ),
  oauth2PasswordCredentials: Type.Optional(
    Type.Object(
      {
        username: text("User name."),
        password: text("Password. Stored encrypted, never returned."),
        clientId: text("OAuth client id."),
        clientSecret: text("OAuth client secret. Stored encrypted, never returned."),
        scopes: Scopes,
      },
      { description: "Credentials for providers with the OAuth password flow." },
    ),
  ),
  oauth2AuthorizationCode: Type.Optional(
    Type.Object(
      {
        accessToken: Type.Optional(described(TokenInput, "The access token.")),
        refreshToken: Type.Optional(described(TokenInput, "The refresh token.")),
        scopes: Scopes,
      },
      { description: "Tokens from an OAuth flow that you completed elsewhere." },
    ),
  ),
  customAuth: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: MAX_INPUTS,
      description: "The inputs that the provider's catalog entry names.",
    }),
  ),
};

const CredentialsInputSchema = Type.Object(CredentialsInput);
export type CredentialsInput = Static<typeof CredentialsInputSchema>;
type Member = keyof CredentialsInput;

/** Throws a 400 Problem that names the member that the provider needs, 422 where the provider cannot be called. */
export function readCredentials(provider: ProviderInfo, input: CredentialsInput): StoredCredentials {
  if (provider.documentationOnly !== undefined) {
    const detail = `${provider.displayName} cannot be connected: ${provider.documentationOnly}`;
    throw new Problem("semantically-invalid", { detail, issues: [{ in: "body", name: "provider", detail }] });
  }
  const [first, ...others] = listMembers(provider);
  const given = (Object.keys(CredentialsInput) as Member[]).filter((name) => input[name] !== undefined);
  const member = given.find((name) => name === first || others.includes(name));
  const extra = given.find((name) => name !== member);
  if (extra)
    throw toMemberProblem(
      extra,
      `${provider.name} authenticates by ${first ?? "nothing"}; leave \`${extra}\` out.`,
    );
  if (first === undefined) return { scheme: "none" };
  if (member === undefined) throw toMemberProblem(first, `is missing: ${provider.name} authenticates by it.`);
  const credentials = read(provider, input, member);
  requireSendable(provider, credentials, member);
  return credentials;
}

/** Refuses values that no header can carry, such as a pasted key with a line break: every call would fail. */
function requireSendable(provider: ProviderInfo, credentials: StoredCredentials, member: Member): void {
  const wire = toCallCredentials(credentials);
  try {
    if (wire) buildAuthorization(provider, wire);
  } catch (error) {
    // Missing values come from later steps.
    if (error instanceof TemplateError) return;
    if (!(error instanceof CredentialsError)) throw error;
    throw toMemberProblem(
      member,
      `${error.message}; look for a line break or blanks that were copied along.`,
    );
  }
}

/** Returns whether a provider's connection may change from an API key to a user name with password, and back. */
export const takesKeyOrPair = (provider: ProviderInfo): boolean => listMembers(provider).length > 1;

/** Returns the members for a provider, the preferred one first. */
function listMembers({ authType, oauth2Opts, basicOpts }: ProviderInfo): Member[] {
  if (authType === "apiKey") return ["apiKey"];
  // The published UI library always shows both fields for basic authentication.
  if (authType === "basic") return basicOpts?.apiKeyAsBasic ? ["apiKey", "basicAuth"] : ["basicAuth"];
  if (authType === "none") return [];
  if (authType !== "oauth2") return ["customAuth"];
  if (oauth2Opts?.grantType === "clientCredentials") return ["oauth2ClientCredentials"];
  return [oauth2Opts?.grantType === "password" ? "oauth2PasswordCredentials" : "oauth2AuthorizationCode"];
}

function read(provider: ProviderInfo, input: CredentialsInput, member: Member): StoredCredentials {
  const { apiKey, basicAuth, oauth2ClientCredentials, oauth2PasswordCredentials, oauth2AuthorizationCode } =
    input;
  if (member === "apiKey" && apiKey !== undefined) return { scheme: "apiKey", apiKey };
  if (member === "basicAuth" && basicAuth) return readPair(provider, basicAuth);
  if (oauth2ClientCredentials) return { scheme: "oauth2/clientCredentials", ...oauth2ClientCredentials };
  if (oauth2PasswordCredentials) return { scheme: "oauth2/password", ...oauth2PasswordCredentials };
  if (oauth2AuthorizationCode) {
    const { accessToken, refreshToken } = oauth2AuthorizationCode;
    if (!accessToken && !refreshToken) {
      throw toMemberProblem(
        "oauth2AuthorizationCode.accessToken",
        "is missing; give it, a refresh token, or both.",
      );
    }
    if (accessToken) requireTimes(accessToken);
    const pkce = provider.oauth2Opts?.grantType === "authorizationCodePKCE";
    return {
      scheme: pkce ? "oauth2/authorizationCodePKCE" : "oauth2/authorizationCode",
      ...oauth2AuthorizationCode,
    };
  }
  return { scheme: "custom", values: readCustomValues(provider, input.customAuth ?? {}) };
}

/** Refuses leap seconds, which the schema allows but `Date` does not. */
function requireTimes(token: { issuedAt?: string; expiresAt?: string }): void {
  for (const name of ["issuedAt", "expiresAt"] as const) {
    const time = token[name];
    if (time === undefined || !Number.isNaN(Date.parse(time))) continue;
    throw toMemberProblem(
      `oauth2AuthorizationCode.accessToken.${name}`,
      `\`${time}\` is no time that can be kept.`,
    );
  }
}

/** Where a provider takes an API key as basic authentication, a pair with an empty half is that key. */
function readPair(
  { basicOpts }: ProviderInfo,
  { username, password }: { username: string; password: string },
): StoredCredentials {
  if (!username && !password) throw toMemberProblem("basicAuth", "user name and password are both empty.");
  if (basicOpts?.apiKeyAsBasic && !(username && password)) {
    return { scheme: "apiKey", apiKey: username || password };
  }
  return { scheme: "basic", username, password };
}

function readCustomValues(provider: ProviderInfo, given: Record<string, unknown>): Record<string, string> {
  const missing = (provider.customOpts?.inputs ?? []).filter(({ name }) => given[name] === undefined);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `customAuth.${name}`).join(", ");
    throw toMemberProblem(
      `customAuth.${missing[0]?.name}`,
      `${names} missing: ${provider.name} needs ${missing.length === 1 ? "it" : "them"}.`,
    );
  }
  const values = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const long = values.find(([name = "", value = ""]) => name.length + value.length > LONGEST);
  if (long)
    throw toMemberProblem(`customAuth.${long[0]?.slice(0, 100)}`, `is longer than ${LONGEST} characters.`);
  return Object.fromEntries(values);
}

/** What a customer types to connect an account, by the provider's authentication. */
import type { Provider, UpdateConnectionRequest } from "@busbar/client";
import type { Texts } from "./texts.js";

/** One value that the customer types. */
export interface CredentialField {
  name: string;
  /** The provider's own label; `text` names ours where it has none. */
  label?: string;
  text?: keyof Texts;
  prompt?: string;
  docsUrl?: string;
  defaultValue?: string;
  options?: { value: string; label: string }[];
  isSecret: boolean;
  isRequired: boolean;
  /** Whether it describes the account (its workspace, say) and is no credential. */
  isMetadata: boolean;
}

/** `consent`: the customer agrees on the provider's page. `steps`: in a scheme of the provider's own. `credentials`: the customer types them. */
export type ConnectWay = "consent" | "steps" | "credentials";

export function chooseWay({ authType, oauth2Opts }: Provider): ConnectWay {
  if (authType === "custom") return "steps";
  return authType === "oauth2" && oauth2Opts?.grantType.startsWith("authorizationCode")
    ? "consent"
    : "credentials";
}

/** Returns the fields of the form, in order. */
export function listCredentialFields(provider: Provider, module = provider.defaultModule): CredentialField[] {
  const own = ({ name, displayName, prompt, docsURL }: NamedInput) => ({
    name,
    label: displayName ?? name,
    ...(prompt && { prompt }),
    ...(docsURL && { docsUrl: docsURL }),
  });
  const metadata = (provider.metadata?.input ?? [])
    .filter(({ moduleDependencies }) => !moduleDependencies || module in moduleDependencies)
    .map((input): CredentialField => {
      const isOptional = input.name === "workspace" && provider.oauth2Opts?.withoutWorkspace !== undefined;
      const { defaultValue } = input;
      const more = { isSecret: false, isRequired: !isOptional, isMetadata: true };
      return { ...own(input), ...(defaultValue && { defaultValue }), ...more };
    });
  const inputs = (provider.customOpts?.inputs ?? []).map((input): CredentialField => ({
    ...own(input),
    ...(input.options?.length && { options: input.options }),
    isSecret: input.fieldType === "fieldTypePassword",
    isRequired: true,
    isMetadata: false,
  }));
  return [...listNamedFields(provider), ...inputs, ...metadata];
}

interface NamedInput {
  name: string;
  displayName?: string;
  prompt?: string;
  docsURL?: string;
}

function listNamedFields(provider: Provider): CredentialField[] {
  const { authType, oauth2Opts, basicOpts, apiKeyOpts } = provider;
  const field = (text: keyof Texts, more: Partial<CredentialField> = {}): CredentialField => ({
    name: text,
    text,
    isSecret: false,
    isRequired: true,
    isMetadata: false,
    ...more,
  });
  const secret = (text: keyof Texts, docsUrl?: string) =>
    field(text, { isSecret: true, ...(docsUrl && { docsUrl }) });
  if (authType === "apiKey") return [secret("apiKey", apiKeyOpts?.docsURL)];
  if (authType === "basic")
    return basicOpts?.apiKeyAsBasic
      ? [secret("apiKey", basicOpts.docsURL)]
      : [field("username"), secret("password", basicOpts?.docsURL)];
  const client = [field("clientId"), secret("clientSecret", oauth2Opts?.docsURL)];
  const scopes = oauth2Opts?.explicitScopesRequired ? [field("scopes", { isRequired: false })] : [];
  if (oauth2Opts?.grantType === "clientCredentials") return [...client, ...scopes];
  if (oauth2Opts?.grantType === "password")
    return [field("username"), secret("password"), ...client, ...scopes];
  return [];
}

type Credentials = Pick<
  UpdateConnectionRequest["connection"],
  "apiKey" | "basicAuth" | "oauth2ClientCredentials" | "oauth2PasswordCredentials" | "customAuth"
>;

/** Returns the member of a request that holds the typed credentials, as the provider's authentication wants them. */
export function readTypedCredentials(provider: Provider, values: Record<string, string>): Credentials {
  const { apiKey = "", username = "", password = "", clientId = "", clientSecret = "" } = values;
  const scopes = values["scopes"]?.split(/\s+/).filter(Boolean) ?? [];
  const client = { clientId, clientSecret, ...(scopes.length > 0 && { scopes }) };
  const { authType, basicOpts, oauth2Opts } = provider;
  if (authType === "none") return {};
  if (authType === "apiKey" || basicOpts?.apiKeyAsBasic) return { apiKey };
  if (authType === "basic") return { basicAuth: { username, password } };
  if (oauth2Opts?.grantType === "clientCredentials") return { oauth2ClientCredentials: client };
  if (oauth2Opts?.grantType === "password")
    return { oauth2PasswordCredentials: { username, password, ...client } };
  return { customAuth: pickTyped(provider, values, false) };
}

/** Returns the typed values that describe the account, as a connection's `providerMetadata`. */
export const readTypedMetadata = (provider: Provider, values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(pickTyped(provider, values, true))
      .filter(([, value]) => value !== "")
      .map(([name, value]) => [name, { value, source: "input" as const }]),
  );

function pickTyped(
  provider: Provider,
  values: Record<string, string>,
  isMetadata: boolean,
): Record<string, string> {
  const fields = listCredentialFields(provider).filter((field) => field.isMetadata === isMetadata);
  return Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? ""]));
}

/** Turns opened credentials into the headers, query parameters or signer that a provider expects. Pure. */
import { readSignatureRegion } from "./signature-facts.ts";
import type { ProviderInfo } from "../provider-info.ts";
import { fillTemplate, listPlaceholders } from "./template.ts";

export type Credentials =
  | { type: "oauth2"; accessToken: string }
  | { type: "apiKey"; key: string }
  | { type: "basic"; username: string; password: string }
  | { type: "custom"; values: Record<string, string> }
  | { type: "none" };

/** What signs the requests of a connection to AWS. */
export interface AwsSigner {
  service: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface Authorization {
  headers: [name: string, value: string][];
  query: [name: string, value: string][];
  /** Headers that a request must have besides, such as the version of the API. The caller's own take precedence. */
  defaults: [name: string, value: string][];
  /** Signs each request, where the provider requires it; see `signRequest`. */
  signer?: AwsSigner;
}

/** Credentials that do not fit the provider, or that hold characters a header cannot carry. */
export class CredentialsError extends Error {
  override name = "CredentialsError";
}

/**
 * Returns what to add to a request. `metadata` is the connection's, by name; a default header whose value is not known
 * yet is left out. Throws `CredentialsError` if the credentials do not fit the provider or a value is unusable.
 */
export function buildAuthorization(
  provider: ProviderInfo,
  credentials: Credentials,
  metadata: Record<string, string> = {},
): Authorization {
  const signer =
    provider.awsSignature && createAwsSigner(provider, provider.awsSignature, credentials, metadata);
  const added = signer ? { headers: [], query: [] } : attachCredential(provider, credentials);
  const defaults = (provider.fixedHeaders ?? []).flatMap(({ name, valueTemplate }): Header[] =>
    listPlaceholders(valueTemplate).every((value) => metadata[value])
      ? [[name, fillTemplate(valueTemplate, metadata)]]
      : [],
  );
  for (const [name, value] of [...added.headers, ...defaults]) requireHeaderText(provider, name, value);
  return { ...added, defaults, ...(signer && { signer }) };
}

/** Returns the headers of a request by lower-case name: ours take precedence over `own`, and `own` over the defaults. */
export const withDefaults = (
  { headers, defaults }: Authorization,
  own: Record<string, string>,
): Record<string, string> => ({
  accept: "application/json",
  ...lowerCase(defaults),
  ...lowerCase(Object.entries(own)),
  ...lowerCase(headers),
});

const lowerCase = (headers: Header[]): Record<string, string> =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));

type Header = [name: string, value: string];
type Added = Omit<Authorization, "defaults">;

/** Refuses control characters: a line break would let a stored secret add headers, and HTTP clients send no others. */
export function requireHeaderText(provider: ProviderInfo, name: string, value: string): void {
  // oxlint-disable-next-line no-control-regex
  if (!/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value) && !/[^\u0000-\u00ff]/.test(value)) return;
  throw new CredentialsError(`the credentials for ${provider.name} hold characters not allowed in ${name}`);
}

function attachCredential(provider: ProviderInfo, credentials: Credentials): Added {
  switch (credentials.type) {
    case "none":
      return { headers: [], query: [] };
    case "oauth2":
      return addAccessToken(provider, credentials.accessToken);
    case "apiKey":
      return provider.authType === "basic"
        ? addKeyAsBasic(provider, credentials.key)
        : addApiKey(provider, credentials.key);
    case "basic":
      return addBasic(`${credentials.username}:${credentials.password}`, provider);
    case "custom":
      return addCustom(provider, credentials.values);
  }
}

function addAccessToken(provider: ProviderInfo, accessToken: string): Added {
  if (provider.authType !== "oauth2") throw buildMismatch(provider, "an access token");
  const header = provider.oauth2Opts?.accessTokenOpts?.header;
  if (header) return addHeader(header.name, `${header.valuePrefix ?? ""}${accessToken}`);
  return addHeader("Authorization", `Bearer ${accessToken}`);
}

function addApiKey(provider: ProviderInfo, key: string): Added {
  const options = provider.apiKeyOpts;
  if (provider.authType !== "apiKey" || !options) throw buildMismatch(provider, "an API key");
  if (options.attachmentType === "query" && options.query)
    return { headers: [], query: [[options.query.name, key]] };
  if (options.attachmentType === "header" && options.header) {
    return addHeader(options.header.name, `${options.header.valuePrefix ?? ""}${key}`);
  }
  throw new CredentialsError(`the facts of ${provider.name} do not say where its API key goes`);
}

/** Sends an API key as one half of HTTP Basic. */
function addKeyAsBasic(provider: ProviderInfo, key: string): Added {
  if (!provider.basicOpts?.apiKeyAsBasic) throw buildMismatch(provider, "an API key");
  const { fieldUsed, keyFormat } = provider.basicOpts.apiKeyAsBasicOpts ?? {};
  if (keyFormat)
    return addBasic(
      keyFormat.replaceAll("%s", () => key),
      provider,
    );
  return addBasic(fieldUsed === "password" ? `:${key}` : `${key}:`, provider);
}

function addBasic(pair: string, provider: ProviderInfo): Added {
  if (provider.authType !== "basic") throw buildMismatch(provider, "a user name and password");
  return addHeader("Authorization", `Basic ${Buffer.from(pair, "utf8").toString("base64")}`);
}

function createAwsSigner(
  provider: ProviderInfo,
  { service, region }: NonNullable<ProviderInfo["awsSignature"]>,
  credentials: Credentials,
  metadata: Record<string, string>,
): AwsSigner {
  if (credentials.type !== "basic") throw buildMismatch(provider, credentials.type);
  const { username: accessKeyId, password: secretAccessKey } = credentials;
  // The header has the ID between `=` and `/`; a pasted key often brings a blank.
  if (!/^[\w+=.@-]+$/.test(accessKeyId) || !/^[!-~]+$/.test(secretAccessKey)) {
    const message = `${provider.name} needs an access key: its ID as user name, the secret access key as password`;
    throw new CredentialsError(message);
  }
  return { service, region: readSignatureRegion(region, metadata), accessKeyId, secretAccessKey };
}

function addCustom(provider: ProviderInfo, values: Record<string, string>): Added {
  if (provider.authType !== "custom") throw buildMismatch(provider, "custom credentials");
  const { headers = [], queryParams = [] } = provider.customOpts ?? {};
  return {
    headers: headers.map(({ name, valueTemplate }) => [name, fillTemplate(valueTemplate, values)]),
    query: queryParams.map(({ name, valueTemplate }) => [name, fillTemplate(valueTemplate, values)]),
  };
}

const addHeader = (name: string, value: string): Added => ({ headers: [[name, value]], query: [] });

const buildMismatch = (provider: ProviderInfo, given: string): CredentialsError =>
  new CredentialsError(`${provider.name} uses ${provider.authType}, not ${given}`);

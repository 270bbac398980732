/** What a connection knows about its account: entered by the customer, or read from the provider's token answer. */
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { baseUrl, normalizeInputs, TemplateError, type UrlOptions } from "../../../connector-kit/template.ts";
import { textAt } from "../../../connector-kit/text-at.ts";
import { Problem } from "../../ground/errors.ts";
import type { JsonObject } from "../../ground/json.ts";
import type { ProviderMetadata } from "../../store/connections.ts";

const LONGEST_NAME = 255;

/** What the customer entered, cut down to what the templates want, defaults filled in. */
export function enteredMetadata(
  provider: ProviderInfo,
  given: ProviderMetadata = {},
  workspaceRef?: string,
): ProviderMetadata {
  const entered: ProviderMetadata = { ...given };
  const long = Object.keys(entered).find(({ length }) => length > LONGEST_NAME);
  if (long !== undefined) {
    throw wrong("providerMetadata", `\`${long.slice(0, 100)}…\` is too long for a name.`);
  }
  if (workspaceRef && !entered["workspace"]?.value) {
    entered["workspace"] = { value: workspaceRef, source: "input" };
  }
  return Object.fromEntries(
    Object.entries(normalizeInputs(provider, metadataValues(entered))).map(([name, value]) => [
      name,
      { ...entered[name], value, source: entered[name]?.source ?? "input" },
    ]),
  );
}

export const metadataValues = (metadata: ProviderMetadata): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, { value }]) => [name, value]));

/** The values for a connection's addresses: its metadata, and the workspace it was connected with where that names none. */
export function addressValues(connection: {
  providerMetadata: ProviderMetadata;
  providerWorkspaceRef: string | null;
}): Record<string, string> {
  const values = metadataValues(connection.providerMetadata);
  if (connection.providerWorkspaceRef && !values["workspace"])
    values["workspace"] = connection.providerWorkspaceRef;
  return values;
}

/** A connection whose address cannot be built would fail at its first use: throws a 400 Problem that names what is missing. */
export function requireAddress(
  provider: ProviderInfo,
  metadata: ProviderMetadata,
  allowPlainHttp: UrlOptions["allowPlainHttp"],
): void {
  buildAddress(provider, () => baseUrl(provider, { values: metadataValues(metadata), allowPlainHttp }));
}

/** The address, or a 400 Problem naming the metadata that it lacks. */
export function buildAddress(provider: ProviderInfo, build: () => URL): URL {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const name = error.placeholder ? `providerMetadata.${error.placeholder}` : "providerMetadata";
    throw wrong(name, `${provider.name} needs it for its address: ${error.message}.`);
  }
}

const wrong = (name: string, detail: string): Problem =>
  new Problem("invalid-request", { detail: `${name}: ${detail}`, issues: [{ in: "body", name, detail }] });

export interface AccountFacts {
  providerWorkspaceRef?: string;
  providerConsumerRef?: string;
  providerMetadata: ProviderMetadata;
}

/** What a token answer says about the account, put over what is known already. */
export function accountFacts(
  provider: ProviderInfo,
  answer: JsonObject,
  known: ProviderMetadata,
): AccountFacts {
  const {
    workspaceRefField,
    consumerRefField,
    otherFields = [],
  } = provider.oauth2Opts?.tokenMetadataFields ?? {};
  const metadata: ProviderMetadata = { ...known };
  for (const { name, displayName, path, capture } of otherFields) {
    const value = captured(textAt(answer, path), capture);
    if (value) metadata[name] = { value, source: "token", ...(displayName && { displayName }) };
  }
  const told = workspaceRefField ? textAt(answer, workspaceRefField) : undefined;
  const workspace = told === undefined ? undefined : workspaceOf(provider, told);
  if (workspace && (workspace.isCertain || !metadata["workspace"]?.value) && asksForWorkspace(provider)) {
    metadata["workspace"] = { value: workspace.value, source: "token" };
  }
  const consumerRef = consumerRefField ? textAt(answer, consumerRefField) : undefined;
  const workspaceRef = metadata["workspace"]?.value ?? workspace?.value;
  return {
    ...(workspaceRef && { providerWorkspaceRef: workspaceRef }),
    ...(consumerRef && { providerConsumerRef: consumerRef }),
    providerMetadata: metadata,
  };
}

const asksForWorkspace = ({ metadata }: ProviderInfo): boolean =>
  metadata?.input?.some(({ name }) => name === "workspace") ?? false;

/**
 * Salesforce tells its `instance_url`, of which the part before `.my.salesforce.com` is asked for. Where the part
 * could be cut out it is right even if the customer entered another: the organisation may have been renamed.
 */
function workspaceOf(provider: ProviderInfo, told: string): { value: string; isCertain: boolean } {
  const value = normalizeInputs(provider, { workspace: told })["workspace"] ?? told;
  return { value, isCertain: value !== told && value !== URL.parse(told)?.host };
}

/** The group `result` of the pattern where there is one, otherwise the whole text. */
export function captured(text: string | undefined, pattern: string | undefined): string | undefined {
  if (text === undefined || pattern === undefined) return text;
  const match = new RegExp(pattern).exec(text);
  return match?.groups?.["result"] ?? match?.[1] ?? match?.[0];
}

/** A connection's metadata about the account: entered by the customer, or read from the provider's token response. */
import { PatternBudget } from "./pattern-budget.ts";
import { readSignatureRegion } from "../../../connector-kit/provider/signature-facts.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import {
  fillBaseUrl,
  normalizeInputs,
  TemplateError,
  type UrlOptions,
} from "../../../connector-kit/provider/template.ts";
import { getTextAt } from "../../../connector-kit/calls/get-text-at.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { ProviderMetadata } from "../../store/connections/connections.ts";

const LONGEST_NAME = 255;
const LONGEST_VALUE = 1_000;

/** Normalizes the values that the customer entered and adds defaults. */
export function normalizeMetadata(
  provider: ProviderInfo,
  given: ProviderMetadata = {},
  workspaceRef?: string,
): ProviderMetadata {
  const entered: ProviderMetadata = { ...given };
  const long = Object.keys(entered).find(({ length }) => length > LONGEST_NAME);
  if (long !== undefined) {
    throw toMemberProblem("providerMetadata", `\`${long.slice(0, 100)}…\` is too long for a name.`);
  }
  if (workspaceRef && !entered["workspace"]?.value) {
    entered["workspace"] = { value: workspaceRef, source: "input" };
  }
  return Object.fromEntries(
    Object.entries(normalizeInputs(provider, listMetadataValues(entered))).map(([name, value]) => [
      name,
      { ...entered[name], value, source: entered[name]?.source ?? "input" },
    ]),
  );
}

export const listMetadataValues = (metadata: ProviderMetadata): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, { value }]) => [name, value]));

/** Returns the values for URL templates: the metadata, with the connection's workspace if it has none. */
export function listAddressValues(connection: {
  providerMetadata: ProviderMetadata;
  providerWorkspaceRef: string | null;
}): Record<string, string> {
  const values = listMetadataValues(connection.providerMetadata);
  if (connection.providerWorkspaceRef && !values["workspace"])
    values["workspace"] = connection.providerWorkspaceRef;
  return values;
}

/** Throws a 400 Problem that names the metadata if base URL or signatures cannot be made with it: every call would fail. */
export function requireAddress(
  provider: ProviderInfo,
  metadata: ProviderMetadata,
  allowPlainHttp: UrlOptions["allowPlainHttp"],
): void {
  const values = listMetadataValues(metadata);
  buildAddress(provider, () => {
    if (provider.awsSignature) readSignatureRegion(provider.awsSignature.region, values);
    return fillBaseUrl(provider, { values, allowPlainHttp });
  });
}

/** Builds a URL. Throws a 400 Problem that names missing metadata. */
export function buildAddress(provider: ProviderInfo, build: () => URL): URL {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const name = error.placeholder ? `providerMetadata.${error.placeholder}` : "providerMetadata";
    throw toMemberProblem(name, `${provider.name} needs it for its address: ${error.message}.`);
  }
}

export interface AccountFacts {
  providerWorkspaceRef?: string;
  providerConsumerRef?: string;
  providerMetadata: ProviderMetadata;
}

/** Reads what a token response says about the account, and merges it over `known`. */
export function readAccountFacts(
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
  const budget = new PatternBudget();
  for (const { name, displayName, path, capture } of otherFields) {
    const value = captureText(getTextAt(answer, path), capture, budget);
    if (value) metadata[name] = { value, source: "token", ...(displayName && { displayName }) };
  }
  const reported = workspaceRefField ? getTextAt(answer, workspaceRefField) : undefined;
  const workspace = reported === undefined ? undefined : findWorkspace(provider, reported);
  if (workspace && (workspace.isCertain || !metadata["workspace"]?.value) && asksForWorkspace(provider)) {
    metadata["workspace"] = { value: workspace.value, source: "token" };
  }
  const consumerRef = consumerRefField ? getTextAt(answer, consumerRefField) : undefined;
  const workspaceRef = metadata["workspace"]?.value ?? workspace?.value;
  return {
    ...(workspaceRef && { providerWorkspaceRef: workspaceRef }),
    ...(consumerRef && { providerConsumerRef: consumerRef }),
    providerMetadata: metadata,
  };
}

/** Adds the parameters of the OAuth callback that the catalog names, for example the company that was chosen. */
export function withCallbackFields(
  provider: ProviderInfo,
  params: Record<string, unknown>,
  known: ProviderMetadata,
): ProviderMetadata {
  const metadata = { ...known };
  for (const { name, displayName } of provider.oauth2Opts?.callbackFields ?? []) {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (typeof value === "string" && value !== "" && value.length <= LONGEST_VALUE)
      metadata[name] = { value, source: "provider", displayName };
  }
  return metadata;
}

const asksForWorkspace = ({ metadata }: ProviderInfo): boolean =>
  metadata?.input?.some(({ name }) => name === "workspace") ?? false;

/**
 * Reads the workspace from the URL that a provider returns, for example Salesforce's `instance_url`. If the URL has the
 * expected form, its workspace is right even if the customer entered another: the organisation may have been renamed.
 */
function findWorkspace(provider: ProviderInfo, reported: string): { value: string; isCertain: boolean } {
  const value = normalizeInputs(provider, { workspace: reported })["workspace"] ?? reported;
  return { value, isCertain: value !== reported && value !== URL.parse(reported)?.host };
}

/** Returns what the pattern captures of the text; without a pattern the whole text. */
export function captureText(
  text: string | undefined,
  pattern: string | undefined,
  budget: PatternBudget,
): string | undefined {
  if (text === undefined || pattern === undefined) return text;
  return text.length > LONGEST_VALUE ? undefined : budget.capture(pattern, text);
}

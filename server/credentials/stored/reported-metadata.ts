/**
 * Keeps callers without the scope `full` from setting what the provider itself tells of an account. Pushed events go to
 * the connections of the account that they name, so a customer who could claim another account would get its events.
 */
import { isDeepStrictEqual } from "node:util";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { ProviderMetadata } from "../../store/connections/connections.ts";

interface GivenFacts {
  providerMetadata?: ProviderMetadata;
  providerWorkspaceRef?: string;
}

/** Removes the facts that the provider itself reports; the rest is marked as entered. */
export function omitReported(caller: Caller, provider: ProviderInfo, given: GivenFacts): GivenFacts {
  if (maySetReported(caller)) return given;
  const reported = listProvidedNames(provider);
  const { providerMetadata, providerWorkspaceRef } = given;
  return {
    ...(providerMetadata && { providerMetadata: markEntered(providerMetadata, reported) }),
    ...(!reportsWorkspace(provider, reported) && { providerWorkspaceRef }),
  };
}

/** Throws a 403 Problem if a fact that the provider reports differs from the stored one; marks the rest as entered. */
export function requireUnreported(
  caller: Caller,
  provider: ProviderInfo,
  given: GivenFacts,
  stored: { providerMetadata: ProviderMetadata; providerWorkspaceRef: string | null },
): GivenFacts {
  if (maySetReported(caller)) return given;
  const reported = listProvidedNames(provider);
  const { providerMetadata = {}, providerWorkspaceRef } = given;
  const changed = Object.keys(providerMetadata).find(
    (name) =>
      reported.has(name) &&
      !isDeepStrictEqual(providerMetadata[name]?.value, stored.providerMetadata[name]?.value),
  );
  if (changed !== undefined) throw refuseForeignMetadata(provider, `providerMetadata.${changed}`);
  const isOther = providerWorkspaceRef !== undefined && providerWorkspaceRef !== stored.providerWorkspaceRef;
  if (isOther && reportsWorkspace(provider, reported))
    throw refuseForeignMetadata(provider, "providerWorkspaceRef");
  return omitReported(caller, provider, given);
}

const maySetReported = ({ scopes }: Caller): boolean => scopes.includes("full");

/** What customers are asked for is theirs to say, even if the provider confirms it. */
function listProvidedNames({ accountInfo, oauth2Opts, metadata }: ProviderInfo): Set<string> {
  const names = new Set(
    [
      ...(accountInfo?.fields ?? []),
      ...(oauth2Opts?.tokenMetadataFields?.otherFields ?? []),
      ...(oauth2Opts?.callbackFields ?? []),
    ].map(({ name }) => name),
  );
  // The connection's workspace is taken from the value of this name as well.
  if (accountInfo?.workspaceField !== undefined) names.add("workspace");
  for (const { name } of metadata?.input ?? []) names.delete(name);
  return names;
}

const reportsWorkspace = ({ accountInfo }: ProviderInfo, reported: Set<string>): boolean =>
  accountInfo?.workspaceField !== undefined && reported.has(accountInfo.workspaceField);

const markEntered = (metadata: ProviderMetadata, reported: Set<string>): ProviderMetadata =>
  Object.fromEntries(
    Object.entries(metadata)
      .filter(([name]) => !reported.has(name))
      .map(([name, one]) => [name, { ...one, source: "input" as const }]),
  );

function refuseForeignMetadata({ name: provider }: ProviderInfo, name: string): Problem {
  const detail = `${name} is told by ${provider} and identifies the account. Only a server with a \`full\` key can set it.`;
  return new Problem("forbidden", { detail, issues: [{ in: "body", name, detail }] });
}

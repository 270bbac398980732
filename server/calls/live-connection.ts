/** A connection that is ready for calls: credentials opened, what authenticates a call built from them. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import {
  buildAuthorization,
  CredentialsError,
  type Authorization,
} from "../../connector-kit/provider/authorization.ts";
import type { Account } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";
import { TemplateError } from "../../connector-kit/provider/template.ts";
import { isOauth, openCredentials, toCallCredentials } from "../credentials/stored/credential-envelope.ts";
import { listAddressValues } from "../credentials/stored/provider-metadata.ts";
import { refreshAtMs } from "../credentials/stored/refresh-time.ts";
import { isRefreshable, describeToken } from "../credentials/stored/refreshable.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { ConnectionRow } from "../store/connections/connections.ts";

export interface LiveConnection {
  id: string;
  projectId: string;
  provider: ProviderInfo;
  status: ConnectionRow["status"];
  /** The credentials as they are stored; differs as soon as others are stored. */
  sealed: string;
  providerWorkspaceRef: string | null;
  providerMetadata: ConnectionRow["providerMetadata"];
  /** What a connector needs to know of the account in order to read the provider's responses. */
  account: Account;
  authorization: Authorization;
  /** OAuth only. */
  accessToken?: string;
  /** Differs between a token and its successor; undefined while there is no token yet. */
  tokenGeneration?: string;
  /** Whether other credentials can be obtained without the customer when the provider refuses these. */
  refreshable: boolean;
  /** Milliseconds since the epoch; undefined when the provider gave no lifetime. */
  expiresAtMs?: number;
  /** Time after which the token is refreshed, although it is still valid. */
  refreshAtMs?: number;
}

/** Opens a stored connection. Throws `ProviderError` (`forbidden`) when it cannot be used with this catalog. */
export function openLiveConnection(
  deps: { catalog: Catalog; sealer: Sealer },
  row: ConnectionRow,
): LiveConnection {
  const provider = deps.catalog.of(row.projectId).find(row.provider);
  if (!provider) throw buildUnusableError(`The provider ${row.provider} is no longer in the catalog.`);
  const stored = openCredentials(deps.sealer, row);
  const wire = toCallCredentials(stored);
  const { id, projectId, status, providerWorkspaceRef, providerMetadata } = row;
  const current = describeToken(stored);
  const expiresAtMs = !current ? 0 : current.expiresAt ? Date.parse(current.expiresAt) : undefined;
  const refreshable = isRefreshable(provider, stored);
  return {
    id,
    projectId,
    provider,
    status,
    sealed: row.credentialsSealed,
    providerWorkspaceRef,
    providerMetadata,
    account: { timeZone: providerMetadata["timeZone"]?.value, values: listAddressValues(row) },
    authorization: wire
      ? attachCredentials(provider, wire, listAddressValues(row))
      : { headers: [], query: [], defaults: [] },
    accessToken: isOauth(stored) ? stored.accessToken?.token : undefined,
    tokenGeneration: current?.tokenGeneration,
    refreshable,
    expiresAtMs,
    // A token that cannot be refreshed is used until it expires.
    refreshAtMs: current && refreshable ? refreshAtMs(current) : expiresAtMs,
  };
}

function attachCredentials(provider: ProviderInfo, ...rest: [Wire, Record<string, string>]): Authorization {
  try {
    return buildAuthorization(provider, ...rest);
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof TemplateError)
      throw buildUnusableError(`${error.message}.`, error);
    throw error;
  }
}

type Wire = Parameters<typeof buildAuthorization>[1];

/** Returns the error for a connection that no call can use until the catalog or the connection is changed. */
export const buildUnusableError = (message: string, cause?: unknown): ProviderError =>
  new ProviderError({ kind: "forbidden", message, cause });

/** Lists what authenticates the calls, to redact it: some providers repeat it in an error, which is logged, stored and shown. */
export function listSecrets({ authorization: own, accessToken = "" }: LiveConnection): string[] {
  const { headers, query, signer } = own;
  const ofHeaders = headers.flatMap(([, value]) => {
    const bare = value.split(" ").at(-1) ?? value;
    const pair = Buffer.from(bare, "base64").toString("utf8");
    const password = value.startsWith("Basic ") ? pair.slice(pair.indexOf(":") + 1) : "";
    return [value, bare, password];
  });
  const ofQuery = query.flatMap(([, value]) => [value, encodeURIComponent(value)]);
  return [accessToken, signer?.secretAccessKey ?? "", ...ofHeaders, ...ofQuery];
}

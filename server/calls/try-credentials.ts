/** Tries credentials: by the provider's health check, else by the cheapest read of an object that its connector describes. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { askProvider } from "../credentials/refresh/ask-provider.ts";
import { TokenEndpointError } from "../credentials/grants/token-endpoint-error.ts";
import {
  isOauth,
  sealCredentials,
  type StoredCredentials,
} from "../credentials/stored/credential-envelope.ts";
import type { Egress } from "../egress/egress.ts";
import { nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { ConnectionRow, ProviderMetadata } from "../store/connections/connections.ts";
import type { Database } from "../store/database/database.ts";
import { fetchOnce } from "./authorized-fetch.ts";
import { buildBaseAddress } from "./base-address.ts";
import { askHealth, type HealthAnswer } from "./health-check.ts";
import { openLiveConnection, type LiveConnection } from "./live-connection.ts";

const TIMEOUT_MS = 10_000;

/** Returns what the provider says of the credentials; `unknown` also where there is nothing to try them by. */
export async function tryLive(
  deps: { egress: Egress; catalog: Catalog },
  live: LiveConnection,
): Promise<HealthAnswer> {
  const connector = deps.catalog.of(live.projectId).connector(live.provider.name);
  if (live.provider.authHealthCheck) return askHealth(deps.egress, live, connector?.classify);
  const reader = connector?.read;
  const objectName = reader?.cheapestObject;
  if (!reader || objectName === undefined) return { health: "unknown" };
  try {
    const base = buildBaseAddress(deps, live, reader.module);
    const plan = { objectName, fields: [], filters: [], associations: [], account: live.account };
    await reader.readSample(plan, fetchOnce({ egress: deps.egress, base, live, timeoutMs: TIMEOUT_MS }));
    return { health: "fine" };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return refusesCredentials(error)
      ? { health: "refused", words: error.message }
      : { health: "unknown", words: error.message };
  }
}

/** Returns whether a 401 is the provider's: a description does not know each form of it, and what stands in between answers with a page. */
const refusesCredentials = ({ kind, status, rawResponse = "" }: ProviderError): boolean =>
  kind === "unauthorized" || (kind === "unavailable" && status === 401 && !/^\s*</.test(rawResponse));

export interface TrialServices {
  database: Database;
  egress: Egress;
  catalog: Catalog;
  sealer: Sealer;
}

/** Credentials that are about to be stored. */
interface UnstoredConnection {
  projectId: string;
  provider: string;
  providerAppId?: string | undefined;
  providerWorkspaceRef?: string | undefined;
  providerMetadata: ProviderMetadata;
  credentials: StoredCredentials;
}

export interface TriedCredentials {
  /** The credentials, with other tokens where those that were given had to be refreshed. */
  credentials: StoredCredentials;
  /** Whether the provider accepts them; otherwise nothing is known. */
  isVerified: boolean;
  /** Whether a later trial may have a result. */
  canBeTried: boolean;
}

/**
 * Tries credentials before they are stored. An access token that has expired is left to its first use; one that is refused is refreshed,
 * where there is a refresh token. Throws a 422 Problem with the provider's words for credentials that it refuses.
 */
export async function tryCredentials(
  deps: TrialServices,
  wanted: UnstoredConnection,
): Promise<TriedCredentials> {
  const { credentials } = wanted;
  const row = buildUnstoredRow(deps.sealer, wanted);
  const live = openUnstored(deps, row);
  if (!live || !isUsable(credentials)) return { credentials, isVerified: false, canBeTried: false };
  const { health, words } = await tryLive(deps, live);
  if (health === "fine") return { credentials, isVerified: true, canBeTried: true };
  if (health === "unknown") return { credentials, isVerified: false, canBeTried: canTry(deps, live) };
  if (!isOauth(credentials) || !credentials.refreshToken) throw refuseCredentials(live, words);
  try {
    const refreshed = await askProvider(deps, row, credentials, async () => {});
    return { credentials: refreshed.credentials, isVerified: true, canBeTried: true };
  } catch (error) {
    if (!(error instanceof TokenEndpointError)) throw error;
    const { failure, message } = error;
    if (failure === "transient" || failure === "configuration")
      return { credentials, isVerified: false, canBeTried: true };
    throw refuseCredentials(live, `${words ?? ""}; a refresh does not help: ${message}`);
  }
}

const buildUnstoredRow = (sealer: Sealer, wanted: UnstoredConnection): ConnectionRow => {
  const { projectId, provider, providerAppId, providerWorkspaceRef, providerMetadata, credentials } = wanted;
  const id = newId();
  const key = { id, projectId };
  const now = new Date(nowMs());
  const nobody = { projectId, createTime: now, updateTime: null };
  return {
    ...key,
    provider,
    providerAppId: providerAppId ?? null,
    authScheme: credentials.scheme,
    status: "created",
    verifiedTime: null,
    providerWorkspaceRef: providerWorkspaceRef ?? null,
    providerConsumerRef: null,
    providerMetadata,
    credentialsSealed: sealCredentials(sealer, key, credentials),
    accessExpireTime: null,
    refreshFailure: null,
    createTime: now,
    updateTime: null,
    group: { groupRef: "", groupName: "", ...nobody },
    consumer: { consumerRef: "", consumerName: "", ...nobody },
  };
};

/** Returns undefined for what no call could be made with; that is told where the connection is used. */
function openUnstored(deps: TrialServices, row: ConnectionRow): LiveConnection | undefined {
  try {
    return openLiveConnection(deps, row);
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

function isUsable(credentials: StoredCredentials): boolean {
  if (credentials.scheme === "none") return false;
  const current = isOauth(credentials) ? credentials.accessToken : credentials;
  const expiresAt = current && "expiresAt" in current ? current.expiresAt : undefined;
  return current !== undefined && (expiresAt === undefined || Date.parse(expiresAt) > nowMs());
}

/** Returns whether there is a way to verify the credentials of a connection. */
const canTry = ({ catalog }: { catalog: Catalog }, live: LiveConnection): boolean =>
  live.provider.authHealthCheck !== undefined ||
  catalog.of(live.projectId).connector(live.provider.name)?.read?.cheapestObject !== undefined;

function refuseCredentials({ provider }: LiveConnection, words = ""): Problem {
  const name = provider.displayName ?? provider.name;
  return new Problem("provider-refused", {
    detail: `${name} refuses these credentials${words === "" ? "" : `: ${words}`}. Nothing was stored.`,
    remedy: "Check the credentials in the account at the provider, and send them again.",
  });
}

/** Builds the columns for a connection's credentials, and schedules their refresh. */
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { scheduleRefresh } from "../../store/connections/token-refreshes.ts";
import { refreshTime } from "./refresh-time.ts";
import { canExpire, isRefreshable, describeToken } from "./refreshable.ts";
import { sealCredentials, type StoredCredentials } from "./credential-envelope.ts";

interface ConnectionKey {
  id: string;
  projectId: string;
}

/** The caller also calls `refreshWhenDue` in the same transaction, once the row exists. */
export function credentialColumns(sealer: Sealer, connection: ConnectionKey, credentials: StoredCredentials) {
  const expiresAt = describeToken(credentials)?.expiresAt;
  return {
    authScheme: credentials.scheme,
    credentialsSealed: sealCredentials(sealer, connection, credentials),
    accessExpireTime: expiresAt ? new Date(expiresAt) : null,
    refreshFailure: null,
  };
}

export async function refreshWhenDue(
  queries: ControlQueries,
  connection: ConnectionKey,
  provider: ProviderInfo | undefined,
  credentials: StoredCredentials,
): Promise<void> {
  if (!canExpire(credentials) && !isRefreshable(provider, credentials)) return;
  await scheduleRefresh(queries, connection, refreshTime(provider, credentials));
}

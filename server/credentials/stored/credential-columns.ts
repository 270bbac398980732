/** The columns that hold a connection's credentials, and the time at which they are renewed: stored together. */
import type { ProviderInfo } from "../../../connector-kit/provider.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { Queries } from "../../store/database.ts";
import { scheduleRenewal } from "../../store/token-refreshes.ts";
import { renewalTime } from "./refresh-time.ts";
import { canEnd, isRenewable, serving } from "./refreshable.ts";
import { sealCredentials, type StoredCredentials } from "./credential-envelope.ts";

interface ConnectionKey {
  id: string;
  projectId: string;
}

/** Whoever writes these calls `renewWhenDue` in the same transaction, once the row exists. */
export function credentialColumns(sealer: Sealer, connection: ConnectionKey, credentials: StoredCredentials) {
  const expiresAt = serving(credentials)?.expiresAt;
  return {
    authScheme: credentials.scheme,
    credentialsSealed: sealCredentials(sealer, connection, credentials),
    accessExpireTime: expiresAt ? new Date(expiresAt) : null,
  };
}

export async function renewWhenDue(
  queries: Queries,
  connection: ConnectionKey,
  provider: ProviderInfo | undefined,
  credentials: StoredCredentials,
): Promise<void> {
  if (!canEnd(credentials) && !isRenewable(provider, credentials)) return;
  await scheduleRenewal(queries, connection, renewalTime(provider, credentials));
}

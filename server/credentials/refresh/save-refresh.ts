/** Saves the outcome of a refresh: new tokens, or what their refusal means for the connection. Outlasts database outages. */
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { updateRefreshedConnection, type ConnectionRow } from "../../store/connections/connections.ts";
import { markBadCredentials, saveRefreshFailure } from "../../store/connections/connection-states.ts";
import { endRefresh, markLacksApp } from "../../store/connections/token-refreshes.ts";
import type { TokenEndpointError } from "../grants/token-endpoint-error.ts";
import { credentialColumns, refreshWhenDue } from "../stored/credential-columns.ts";
import { isOauth } from "../stored/credential-envelope.ts";
import { EXPIRY_MARGIN_MS, hasEnded } from "../stored/refresh-time.ts";
import type { RefreshedCredentials } from "./ask-provider.ts";
import type { RefreshLease } from "./refresh-lease.ts";
import { recordTokenFailure, recordTokenRefresh } from "./token-events.ts";

interface Services {
  sealer: Sealer;
  catalog: Catalog;
  log: Log;
  countRefresh?: (outcome: "refreshed" | "failed") => void;
}

/** Stores the new tokens and returns the connection with them, or with those that were stored meanwhile. */
export function saveTokens(
  deps: Services,
  lease: RefreshLease,
  { credentials, factsOver }: RefreshedCredentials,
): Promise<ConnectionRow> {
  return lease.settle(true, async (queries, row) => {
    const facts = factsOver(row.providerMetadata);
    const change = {
      ...credentialColumns(deps.sealer, row, credentials),
      status: "created" as const,
      // Salesforce repeats `instance_url` with every refresh; it changes when the organisation is renamed.
      ...(!isDeepStrictEqual(facts.providerMetadata, row.providerMetadata) && facts),
    };
    await updateRefreshedConnection(queries, row, change);
    await refreshWhenDue(queries, row, deps.catalog.of(row.projectId).find(row.provider), credentials);
    const refreshed = { ...row, ...change };
    if (isOauth(lease.stored) && lease.stored.refreshToken)
      await recordTokenRefresh(deps, queries, refreshed);
    return refreshed;
  });
}

/**
 * Saves a failed refresh, so that a refused grant is not tried again, and throws the `ProviderError` for it. `isRejected`: the provider has refused
 * the token that was to be replaced.
 */
export async function saveFailure(
  deps: Services,
  lease: RefreshLease,
  error: TokenEndpointError,
  isRejected = false,
): Promise<ConnectionRow> {
  const { id, projectId, provider } = lease.row;
  deps.log.warn({ connectionId: id, projectId, provider, failure: error.failure }, "token refresh failed");
  const failure = asProviderError(error, provider);
  // Applies to a lost answer too, because no other one will come.
  const saved = await lease.settle(true, async (queries, fresh) => {
    if (error.failure === "no-app") await markLacksApp(queries, id);
    if (isFinal(lease, error)) {
      await markBadCredentials(queries, fresh, { mayWorkAgain: false });
      await endRefresh(queries, id);
      await recordTokenFailure(deps, queries, fresh, failure.message);
    } else if (error.failure === "configuration" || isRejected || hasEnded(lease.stored)) {
      // Nothing can be sent for the customer, although the connection is as good as before.
      await saveRefreshFailure(queries, fresh.projectId, id, failure.message);
    }
    return "failed" as const;
  });
  // The refused token was replaced meanwhile; the tokens that replaced it are the answer.
  if (saved !== "failed") return saved;
  throw failure;
}

/**
 * Returns whether the connection no longer works. A token that is still valid stays in use, although it cannot be refreshed. A lost answer is not
 * final, even where the provider revokes on reuse: if it has replaced the refresh token, the successor is lost either way, and if it has not,
 * the token is still good.
 */
const isFinal = ({ stored }: RefreshLease, { failure }: TokenEndpointError): boolean =>
  failure === "no-app" || failure === "nothing-to-refresh"
    ? hasEnded(stored, EXPIRY_MARGIN_MS)
    : failure === "grant-refused";

function asProviderError(error: TokenEndpointError, provider: string): ProviderError {
  const message = `A new access token for ${provider} could not be obtained: ${error.message}.`;
  if (error.failure === "configuration")
    return new ProviderError({
      kind: "unavailable",
      message: `${message} Check client id, client secret and scopes of the project's provider app for ${provider}; customers need not connect again.`,
      cause: error,
    });
  const kind = error.failure === "transient" ? "unavailable" : "unauthorized";
  if (error.failure === "transient" || error.failure === "no-app" || error.failure === "nothing-to-refresh")
    return new ProviderError({ kind, message, cause: error });
  return new ProviderError({
    kind,
    message: `The connection to ${provider} must be made again: ${error.message}.`,
  });
}

/**
 * Refreshes a connection's tokens under a lease: at most one refresh at a time over all processes, and no database
 * connection in use while the provider answers.
 */
import { setTimeout as wait } from "node:timers/promises";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Log } from "../../../ground/log.ts";
import { runInSpan } from "../../../ground/span.ts";
import type { SpanStart } from "../../../ground/tracer.ts";
import type { ConnectionRow } from "../../store/connections/connections.ts";
import { TokenEndpointError } from "../grants/token-endpoint-error.ts";
import { isOauth, type StoredCredentials } from "../stored/credential-envelope.ts";
import { hasEnded } from "../stored/refresh-time.ts";
import { isRefreshable, describeToken } from "../stored/refreshable.ts";
import { askProvider, type RefreshableCredentials } from "./ask-provider.ts";
import {
  claimLease,
  Superseded,
  watchHolder,
  type LeaseServices,
  type RefreshTarget,
} from "./refresh-lease.ts";
import { SlotGivenUp, type RefreshSlots } from "./refresh-slots.ts";
import { saveFailure, saveTokens } from "./save-refresh.ts";

export interface RefreshServices extends LeaseServices {
  egress: Egress;
  log: Log;
  /** Counts for /metrics. */
  countRefresh?: (outcome: "refreshed" | "failed") => void;
}

interface RefreshRequest {
  connection: RefreshTarget;
  /** The access token that the provider rejected or that is about to expire; undefined when there was none. */
  staleToken?: string;
  /** Returns whether the provider has rejected it. */
  isRejected?(): boolean;
  /** Returns whether any caller still waits for the refresh. */
  isWanted(): boolean;
}

/** How often a process checks whether another one has finished its refresh of the same connection. */
const CHECK_EVERY_MS = 200;

/**
 * Returns the connection with another access token than `staleToken`. Throws `ProviderError`: `unauthorized` when the
 * customer must connect again, `unavailable` when the token endpoint or a free slot was not available in time.
 *
 *   free     → claimed   the lease is committed, then the stored tokens are read again
 *   claimed  → free      another process has refreshed them meanwhile: its tokens are the answer
 *   claimed  → sent      where a token that is sent twice revokes everything, its hash is committed before it leaves
 *   sent     → free      the answer is stored, retried for as long as the database is down, and only then used
 *   sent     → free      the answer was lost: the token is sent again with the next attempt
 *   claimed, sent → free the holder died or its lease expired: the next process claims the refresh, and waits for a late
 *                        result of a token whose hash it finds before it sends that again
 */
export async function refreshTokens(
  deps: RefreshServices & { slots: RefreshSlots },
  request: RefreshRequest,
): Promise<ConnectionRow> {
  const { connection, isWanted } = request;
  const watch = watchHolder(deps, connection.id);
  for (let deadClaim: string | undefined; ;) {
    const claim = deadClaim;
    const row = await deps.slots
      .run(connection, isWanted, () => refreshOnce(deps, request, claim))
      .catch((error: unknown) => {
        throw error instanceof SlotGivenUp ? buildTookTooLong(connection.provider) : error;
      });
    if (row) return row;
    if (!isWanted()) throw buildTookTooLong(connection.provider);
    await wait(CHECK_EVERY_MS);
    deadClaim = await watch();
  }
}

const buildTookTooLong = (provider: string): ProviderError =>
  new ProviderError({
    kind: "unavailable",
    message: `A new access token for ${provider} could not be obtained in time. Try again in a few seconds.`,
  });

/** Returns undefined while another process holds the lease. */
async function refreshOnce(
  deps: RefreshServices,
  { connection, staleToken, isRejected }: RefreshRequest,
  deadClaim: string | undefined,
): Promise<ConnectionRow | undefined> {
  const lease = await claimLease(deps, connection, deadClaim);
  if (!lease) return undefined;
  const { row, stored } = lease;
  if (!isAskable(deps, row, stored) || hasChanged(stored, staleToken)) {
    await lease.release();
    return row;
  }
  try {
    if (row.status === "bad_credentials")
      throw mustReconnect(row, "the provider refused its credentials before");
    const refreshed = await runInSpan(refreshSpan(row), () =>
      askProvider(deps, row, stored, (refreshToken) => lease.markSent(refreshToken)),
    );
    return await saveTokens(deps, lease, refreshed);
  } catch (error) {
    if (error instanceof TokenEndpointError) return saveFailure(deps, lease, error, isRejected?.());
    if (error instanceof Superseded) {
      await lease.release();
      return error.row;
    }
    // Not awaited: the lease expires anyway.
    lease.release().catch((cause: unknown) => {
      const { id, projectId } = row;
      deps.log.warn({ connectionId: id, projectId, error: String(cause) }, "a lease was not released");
    });
    throw error;
  }
}

const refreshSpan = ({ id, provider }: ConnectionRow): SpanStart => ({
  name: `refresh token of ${provider}`,
  kind: "client",
  attributes: { "busbar.connection.id": id, "busbar.provider": provider },
});

/** Credentials of other kinds stay as they are until they are replaced. */
const isAskable = (
  deps: RefreshServices,
  row: ConnectionRow,
  stored: StoredCredentials,
): stored is RefreshableCredentials =>
  isOauth(stored) || isRefreshable(deps.catalog.of(row.projectId).find(row.provider), stored);

function hasChanged(stored: RefreshableCredentials, staleToken: string | undefined): boolean {
  const current = describeToken(stored);
  return current !== undefined && current.tokenGeneration !== staleToken && !hasEnded(stored);
}

const mustReconnect = (row: ConnectionRow, why: string): ProviderError =>
  new ProviderError({
    kind: "unauthorized",
    message: `The connection to ${row.provider} must be made again: ${why}.`,
  });

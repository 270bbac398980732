/**
 * Refreshes a connection's tokens under a lease: at most one refresh at a time over all processes, and no database
 * connection in use while the provider answers.
 */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { Egress } from "../../egress/open-egress.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import { newId } from "../../../ground/ids.ts";
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import { inSpan } from "../../../ground/span.ts";
import type { SpanStart } from "../../../ground/tracer.ts";
import type { ProcessIdentity } from "../../jobs/process-identity.ts";
import { findConnection, lockConnection, type ConnectionRow } from "../../store/connections/connections.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import {
  claimRefresh,
  findRefreshLease,
  markRefreshSent,
  releaseRefresh,
} from "../../store/connections/token-refreshes.ts";
import { STEP_TIMEOUT_MS } from "../grants/custom-steps.ts";
import { TOKEN_TIMEOUT_MS } from "../grants/token-endpoint.ts";
import { TokenEndpointError } from "../grants/token-endpoint-error.ts";
import { isOauth, openCredentials, type StoredCredentials } from "../stored/credential-envelope.ts";
import { hasEnded } from "../stored/refresh-time.ts";
import { isRefreshable, describeToken } from "../stored/refreshable.ts";
import { askProvider, type RefreshableCredentials } from "./ask-provider.ts";
import { SlotGivenUp, type RefreshSlots } from "./refresh-turns.ts";
import { saveFailure, saveTokens } from "./save-refresh.ts";

export interface RefreshServices {
  database: Database;
  sealer: Sealer;
  egress: Egress;
  catalog: Catalog;
  identity: Pick<ProcessIdentity, "id" | "findDead">;
  log: Log;
  /** Counts for /metrics. */
  countRefresh?: (outcome: "refreshed" | "failed") => void;
}

export interface RefreshRequest {
  connection: { id: string; projectId: string; provider: string };
  /** The access token that the provider rejected or that is about to expire; undefined when there was none. */
  staleToken?: string;
  /** Returns whether any caller still waits for the refresh. */
  isWanted(): boolean;
}

/** How often a process looks whether another one has finished its refresh of the same connection. */
const LOOK_EVERY_MS = 200;
/** How often it looks whether that other process has died. */
const FIND_DEAD_EVERY_MS = 1_000;
/** A lease outlasts the token endpoint's time limit by this, for the statements around the call. */
const LEASE_MARGIN_MS = 30_000;
/**
 * How long a process waits for the result of a refresh token that another one has sent, before it declares the result
 * lost. A live process stores its result within this time after an outage of the database.
 */
const LATE_RESULT_MS = 3_000;

/**
 * Returns the connection with another access token than `staleToken`. Throws `ProviderError`: `unauthorized` when the
 * customer must connect again, `unavailable` when the token endpoint or a free place was not available in time.
 *
 *   free     → claimed   the lease is committed, then the stored tokens are read again
 *   claimed  → free      another process has refreshed them meanwhile: its tokens are the answer
 *   claimed  → sent      where a token that is sent twice revokes everything, its hash is committed before it leaves
 *   sent     → free      the answer is stored, retried for as long as the database is down, and only then used
 *   claimed, sent → free the holder died or its lease expired: the next process claims the refresh, and sends a token
 *                        whose hash it finds only if that is harmless
 */
export async function refreshTokens(
  deps: RefreshServices & { turns: RefreshSlots },
  request: RefreshRequest,
): Promise<ConnectionRow> {
  const { connection, isWanted } = request;
  const watch = watchHolder(deps, connection.id);
  for (let deadClaim: string | undefined; ;) {
    const claim = deadClaim;
    const row = await deps.turns
      .run(connection, isWanted, () => refreshOnce(deps, request, claim))
      .catch((error: unknown) => {
        throw error instanceof SlotGivenUp ? tookTooLong(connection.provider) : error;
      });
    if (row) return row;
    if (!isWanted()) throw tookTooLong(connection.provider);
    await wait(LOOK_EVERY_MS);
    deadClaim = await watch();
  }
}

const tookTooLong = (provider: string): ProviderError =>
  new ProviderError({
    kind: "unavailable",
    message: `A new access token for ${provider} could not be obtained in time. Try again in a few seconds.`,
  });

/** Returns undefined while another process holds the lease. */
async function refreshOnce(
  deps: RefreshServices,
  { connection, staleToken }: RefreshRequest,
  deadClaim: string | undefined,
): Promise<ConnectionRow | undefined> {
  const claimId = newId();
  const found = await readUnderLease(deps, connection, { claimId, deadClaim });
  if (!found) return undefined;
  const { row, sentHash } = found;
  const release = () =>
    retryWhileDatabaseIsDown(() =>
      releaseRefresh(deps.database.control, row.id, { claimId, answered: false }),
    );
  const stored = openCredentials(deps.sealer, row);
  const claim = { claimId, row, stored };
  try {
    if (!canBeAsked(deps, row, stored) || hasChanged(stored, staleToken)) {
      await release();
      return row;
    }
    if (row.status === "bad_credentials")
      throw mustReconnect(row, "the provider refused its credentials before");
    const beforeSending = (token: string) => markSent(deps, { row, stored, claimId, sentHash }, token);
    const span = refreshSpan(row);
    const refreshed = await inSpan(span, () => askProvider(deps, row, stored, beforeSending));
    return await saveTokens(deps, { ...claim, stored }, refreshed);
  } catch (error) {
    if (error instanceof Superseded) {
      await release();
      return error.row;
    }
    if (error instanceof TokenEndpointError && canBeAsked(deps, row, stored))
      return saveFailure(deps, { ...claim, stored }, error);
    // Not awaited: the lease expires anyway.
    release().catch((cause: unknown) => {
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

/** Claims the lease and reads the connection in one transaction. Returns undefined while another process holds it. */
async function readUnderLease(
  deps: RefreshServices,
  connection: RefreshRequest["connection"],
  { claimId, deadClaim }: { claimId: string; deadClaim: string | undefined },
): Promise<{ row: ConnectionRow; sentHash?: Buffer } | undefined> {
  const { id, projectId } = connection;
  const seconds = leaseSeconds(deps.catalog.of(projectId).find(connection.provider));
  return transactControl(deps.database, async (queries) => {
    // A version without leases holds this lock while it refreshes; both may run during an upgrade.
    if (!(await lockConnection(queries, projectId, id))) throw goneError();
    const lease = { claimId, claimedBy: deps.identity.id, seconds, deadClaim };
    const claimed = await claimRefresh(queries, connection, lease);
    if (!claimed) return undefined;
    const row = await findConnection(queries, projectId, id);
    if (!row) throw goneError();
    return { row, ...claimed };
  });
}

const leaseSeconds = (provider: ReturnType<Catalog["find"]>): number => {
  const steps = provider?.customOpts?.refreshSteps?.length ?? 0;
  return (Math.max(TOKEN_TIMEOUT_MS, steps * STEP_TIMEOUT_MS) + LEASE_MARGIN_MS) / 1_000;
};

/** Returns a function that looks for the claim of a process that has died, so that callers need not wait for its expiry. */
function watchHolder(deps: RefreshServices, id: string): () => Promise<string | undefined> {
  let lookedMs = elapsedMs();
  return async () => {
    if (elapsedMs() - lookedMs < FIND_DEAD_EVERY_MS) return undefined;
    lookedMs = elapsedMs();
    const lease = await findRefreshLease(deps.database.control, id);
    const dead = lease ? await deps.identity.findDead([lease.claimedBy]) : [];
    return dead.length > 0 ? lease?.claimId : undefined;
  };
}

/** Thrown when other tokens were stored while this process was about to refresh. */
class Superseded extends Error {
  override name = "Superseded";
  readonly row: ConnectionRow;

  constructor(row: ConnectionRow) {
    super("another process has refreshed the connection");
    this.row = row;
  }
}

/**
 * Commits that a refresh token is about to be sent, so that no process sends it again. Throws if it was sent before and
 * its result has not been stored.
 */
async function markSent(
  deps: RefreshServices,
  claim: { claimId: string; row: ConnectionRow; stored: StoredCredentials; sentHash?: Buffer },
  refreshToken: string,
): Promise<void> {
  const { row, claimId, sentHash } = claim;
  const hash = createHash("sha256").update(refreshToken).digest();
  if (sentHash?.equals(hash)) {
    await wait(LATE_RESULT_MS);
    const fresh = await findConnection(deps.database.control, row.projectId, row.id);
    if (!fresh) throw goneError();
    if (!isDeepStrictEqual(openCredentials(deps.sealer, fresh), claim.stored)) throw new Superseded(fresh);
    throw new TokenEndpointError(
      "grant-refused",
      "its refresh token was sent once and the answer was lost; sending it again would revoke everything",
    );
  }
  if (await markRefreshSent(deps.database.control, row.id, { claimId, hash })) return;
  throw new ProviderError({
    kind: "unavailable",
    message: `Another process refreshes the connection to ${row.provider}. Try again in a few seconds.`,
  });
}

/** Credentials of other kinds stay as they are until they are replaced. */
const canBeAsked = (
  deps: RefreshServices,
  row: ConnectionRow,
  stored: StoredCredentials,
): stored is RefreshableCredentials =>
  isOauth(stored) || isRefreshable(deps.catalog.of(row.projectId).find(row.provider), stored);

function hasChanged(stored: RefreshableCredentials, staleToken: string | undefined): boolean {
  const current = describeToken(stored);
  return current !== undefined && current.tokenGeneration !== staleToken && !hasEnded(stored);
}

const goneError = (): ProviderError =>
  new ProviderError({ kind: "unauthorized", message: "The connection no longer exists." });

const mustReconnect = (row: ConnectionRow, why: string): ProviderError =>
  new ProviderError({
    kind: "unauthorized",
    message: `The connection to ${row.provider} must be made again: ${why}.`,
  });

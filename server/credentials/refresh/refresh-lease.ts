/** The lease on a connection's token refresh: at most one process refreshes the connection at a time. */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import { newId } from "../../../ground/ids.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ProcessIdentity } from "../../jobs/process-identity.ts";
import { findConnection, lockConnection, type ConnectionRow } from "../../store/connections/connections.ts";
import {
  claimRefresh,
  findRefreshClaim,
  markRefreshSent,
  releaseRefresh,
} from "../../store/connections/token-refreshes.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { STEP_TIMEOUT_MS } from "../grants/custom-steps.ts";
import { TOKEN_TIMEOUT_MS } from "../grants/token-endpoint.ts";
import { openCredentials, type StoredCredentials } from "../stored/credential-envelope.ts";

export interface LeaseServices {
  database: Database;
  sealer: Sealer;
  catalog: Catalog;
  identity: Pick<ProcessIdentity, "id" | "findDead">;
}

export interface RefreshTarget {
  id: string;
  projectId: string;
  provider: string;
}

export interface RefreshLease {
  /** The connection and its credentials as read under the lease. */
  row: ConnectionRow;
  stored: StoredCredentials;
  /**
   * Commits that a refresh token is about to be sent. If it was sent before and its result has not been stored, waits for that result, and
   * throws `Superseded` if it arrives.
   */
  markSent(refreshToken: string): Promise<void>;
  /**
   * Ends the lease, and runs `save` in the same transaction if the stored credentials are still those of the lease. Otherwise returns
   * the connection as it is: the credentials were replaced, or an earlier attempt of `save` was committed although its confirmation was
   * lost. `isAnswered`: the provider has answered, so it is certain whether the refresh token was used.
   */
  settle<Result>(
    isAnswered: boolean,
    save: (queries: ControlQueries, fresh: ConnectionRow) => Promise<Result>,
  ): Promise<Result | ConnectionRow>;
  /** Ends the lease of a refresh about which nothing is to be stored. */
  release(): Promise<void>;
}

/** Thrown when other tokens were stored while this process was about to refresh. */
export class Superseded extends Error {
  override name = "Superseded";
  readonly row: ConnectionRow;

  constructor(row: ConnectionRow) {
    super("another process has refreshed the connection");
    this.row = row;
  }
}

/** A lease outlasts the token endpoint's time limit by this, for the statements around the call. */
const LEASE_MARGIN_MS = 30_000;
/**
 * How long a process waits for the result of a refresh token that another one has sent, before it takes the result for lost and
 * sends the token again. A live process stores its result within this time after an outage of the database.
 */
const LATE_RESULT_MS = 3_000;

/** Claims the lease and reads the connection in one transaction. Returns undefined while another claim than `deadClaim` is valid. */
export async function claimLease(
  deps: LeaseServices,
  connection: RefreshTarget,
  deadClaim: string | undefined,
): Promise<RefreshLease | undefined> {
  const { id, projectId } = connection;
  const claimId = newId();
  const seconds = computeLeaseSeconds(deps.catalog.of(projectId).find(connection.provider));
  const claimed = await transactControl(deps.database, async (queries) => {
    // A version without leases holds this lock while it refreshes; both may run during an upgrade.
    if (!(await lockConnection(queries, projectId, id))) throw refuseGone();
    const claim = await claimRefresh(queries, connection, {
      claimId,
      claimedBy: deps.identity.id,
      seconds,
      deadClaim,
    });
    return claim && { row: await getConnection(queries, connection), ...claim };
  });
  if (!claimed) return undefined;
  const { row, sentHash } = claimed;
  const stored = openCredentials(deps.sealer, row);
  const isSame = (fresh: ConnectionRow) => isDeepStrictEqual(openCredentials(deps.sealer, fresh), stored);
  const { control } = deps.database;
  return {
    row,
    stored,
    async markSent(refreshToken) {
      const hash = createHash("sha256").update(refreshToken).digest();
      if (sentHash?.equals(hash)) {
        await wait(LATE_RESULT_MS);
        const fresh = await getConnection(control, connection);
        if (!isSame(fresh)) throw new Superseded(fresh);
      }
      if (!(await markRefreshSent(control, id, { claimId, hash }))) throw buildTakenOver(connection.provider);
    },
    settle: (isAnswered, save) =>
      retryWhileDatabaseIsDown(() =>
        transactControl(deps.database, async (queries) => {
          await lockConnection(queries, projectId, id);
          const fresh = await getConnection(queries, connection);
          const isCurrent = isSame(fresh);
          await releaseRefresh(queries, id, { claimId, answered: isAnswered || !isCurrent });
          return isCurrent ? save(queries, fresh) : fresh;
        }),
      ),
    release: () => retryWhileDatabaseIsDown(() => releaseRefresh(control, id, { claimId, answered: false })),
  };
}

const computeLeaseSeconds = (provider: ReturnType<Catalog["find"]>): number => {
  const steps = provider?.customOpts?.refreshSteps?.length ?? 0;
  return (Math.max(TOKEN_TIMEOUT_MS, steps * STEP_TIMEOUT_MS) + LEASE_MARGIN_MS) / 1_000;
};

async function getConnection(
  queries: ControlQueries,
  { id, projectId }: RefreshTarget,
): Promise<ConnectionRow> {
  const row = await findConnection(queries, projectId, id);
  if (row) return row;
  throw refuseGone();
}

const refuseGone = (): ProviderError =>
  new ProviderError({ kind: "unauthorized", message: "The connection no longer exists." });

const buildTakenOver = (provider: string): ProviderError =>
  new ProviderError({
    kind: "unavailable",
    message: `Another process refreshes the connection to ${provider}. Try again in a few seconds.`,
  });

/** How often a process that waits for a lease checks whether its holder has died. */
const FIND_DEAD_EVERY_MS = 1_000;

/** Returns a function that finds the claim of a process that has died, so that callers need not wait for its expiry. */
export function watchHolder(deps: LeaseServices, id: string): () => Promise<string | undefined> {
  let checkedMs = elapsedMs();
  return async () => {
    if (elapsedMs() - checkedMs < FIND_DEAD_EVERY_MS) return undefined;
    checkedMs = elapsedMs();
    const lease = await findRefreshClaim(deps.database.control, id);
    const dead = lease ? await deps.identity.findDead([lease.claimedBy]) : [];
    return dead.length > 0 ? lease?.claimId : undefined;
  };
}

/** Gets a connection a new access token: one refresh at a time over all processes, stored before anyone uses it. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../../connectors/catalog.ts";
import { ProviderError } from "../../../connector-kit/provider-error.ts";
import type { Egress } from "../../egress/open-egress.ts";
import { nowMs } from "../../ground/clock.ts";
import type { Log } from "../../ground/log.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { Database, Queries } from "../../store/database.ts";
import {
  findConnection,
  lockConnection,
  updateConnection,
  type ConnectionRow,
} from "../../store/connections.ts";
import {
  clearRefreshSent,
  endRefresh,
  findRefreshSent,
  markLacksApp,
  markRefreshSent,
} from "../../store/token-refreshes.ts";
import { TokenEndpointError } from "../grants/token-endpoint.ts";
import { credentialColumns, refreshWhenDue } from "../stored/credential-columns.ts";
import { isOauth, openCredentials, type StoredCredentials } from "../stored/credential-envelope.ts";
import { isRefreshable, serving } from "../stored/refreshable.ts";
import { askProvider, type RefreshableCredentials, type RefreshedCredentials } from "./ask-provider.ts";
import { recordTokenFailure, recordTokenRefresh } from "./token-events.ts";

/** A token this close to its end is not sent any more: the call could arrive after it. */
export const EXPIRY_MARGIN_MS = 5_000;

export interface RefreshServices {
  database: Database;
  sealer: Sealer;
  egress: Egress;
  catalog: Catalog;
  log: Log;
  /** Counts for /metrics. */
  countRefresh?: (outcome: "refreshed" | "failed") => void;
}

/** What the caller saw before it asked, so that a token someone else has just fetched is not fetched again. */
export interface RefreshReason {
  /** The access token that the provider rejected or that is about to expire; undefined when there was none. */
  staleToken?: string;
}

/**
 * A connection row whose access token is not `staleToken`. Waits for the row lock, re-reads, asks the provider only
 * if nobody else has. Throws `ProviderError`: `unauthorized` when the customer must connect again, `unavailable`
 * when the token endpoint cannot be reached.
 */
export async function refreshTokens(
  deps: RefreshServices,
  connection: { id: string; projectId: string },
  reason: RefreshReason,
): Promise<ConnectionRow> {
  const { projectId, id } = connection;
  const failure: { error?: unknown } = {};
  const once = sendOnce(deps.database, id);
  // Not `transact`, which may run twice: a refresh token is sent in here, and some providers take it once only.
  const row = await deps.database.queries.transaction().execute(async (queries) => {
    await lockConnection(queries, projectId, id);
    const fresh = await findConnection(queries, projectId, id);
    if (!fresh) throw gone();
    const stored = openCredentials(deps.sealer, fresh);
    if (!canBeAsked(deps, fresh, stored) || hasChanged(stored, reason)) return fresh;
    if (fresh.status === "bad_credentials")
      throw mustReconnect(fresh, "the provider refused its credentials before");
    try {
      const refreshed = await askProvider(deps, queries, fresh, stored, (token) => once(queries, token));
      return await store(deps, queries, fresh, stored, refreshed);
    } catch (error) {
      if (!(error instanceof TokenEndpointError)) throw error;
      failure.error = asProviderError(error, fresh);
      await noteFailure(deps, queries, fresh, { stored, error });
      return fresh;
    }
  });
  if (failure.error) throw failure.error;
  return row;
}

/** Credentials of other kinds stay what they are until somebody changes them. */
const canBeAsked = (
  deps: RefreshServices,
  row: ConnectionRow,
  stored: StoredCredentials,
): stored is RefreshableCredentials =>
  isOauth(stored) || isRefreshable(deps.catalog.find(row.provider), stored);

function hasChanged(stored: RefreshableCredentials, { staleToken }: RefreshReason): boolean {
  const current = serving(stored);
  return current !== undefined && current.tokenGeneration !== staleToken && !hasEnded(stored);
}

/** `earlyMs`: so long before its end a token counts as ended. */
function hasEnded(stored: RefreshableCredentials, earlyMs = 0): boolean {
  const current = serving(stored);
  if (current === undefined) return true;
  return current.expiresAt !== undefined && Date.parse(current.expiresAt) <= nowMs() + earlyMs;
}

/** Committed with the transaction, so that nobody tries a refused grant again. */
async function noteFailure(
  deps: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  { stored, error }: { stored: RefreshableCredentials; error: TokenEndpointError },
): Promise<void> {
  const { id, projectId, provider } = row;
  deps.log.warn({ connectionId: id, provider, failure: error.failure }, "token refresh failed");
  const isLost = error.failure === "transient" && error.cause !== undefined && error.sent;
  if (!isLost) await clearRefreshSent(queries, id);
  if (error.failure === "no-app") await markLacksApp(queries, id);
  if (!isFinal(deps, row, stored, error, isLost)) return;
  await updateConnection(queries, projectId, id, { status: "bad_credentials" });
  await endRefresh(queries, id, isLost);
  await recordTokenFailure(deps, queries, row, asProviderError(error, row).message);
}

/** Whether the connection is of no use any more. What still serves goes on serving although it cannot be refreshed. */
function isFinal(
  deps: RefreshServices,
  row: ConnectionRow,
  stored: RefreshableCredentials,
  { failure }: TokenEndpointError,
  isLost: boolean,
): boolean {
  if (failure === "no-app" || failure === "nothing-to-refresh") return hasEnded(stored, EXPIRY_MARGIN_MS);
  return failure === "grant-refused" || (isLost && reuseRevokes(deps, row));
}

const reuseRevokes = (deps: RefreshServices, row: ConnectionRow): boolean =>
  deps.catalog.find(row.provider)?.oauth2Opts?.reuseRevokes === true;

/** Remembers that a refresh token is about to be sent, outside the transaction: it must outlive this process. */
type SendOnce = (queries: Queries, refreshToken: string) => Promise<void>;

function sendOnce(database: Database, id: string): SendOnce {
  return async (queries, refreshToken) => {
    const hash = createHash("sha256").update(refreshToken).digest();
    if ((await findRefreshSent(queries, id))?.equals(hash)) {
      throw new TokenEndpointError(
        "grant-refused",
        "its refresh token was sent once and the answer was lost; sending it again would revoke everything",
      );
    }
    await markRefreshSent(database.queries, id, hash);
  };
}

async function store(
  deps: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: RefreshableCredentials,
  { credentials, facts }: RefreshedCredentials,
): Promise<ConnectionRow> {
  const change = {
    ...credentialColumns(deps.sealer, row, credentials),
    status: "created" as const,
    // Salesforce repeats `instance_url` on every refresh; after an organisation was renamed it is another one.
    ...(!isDeepStrictEqual(facts.providerMetadata, row.providerMetadata) && facts),
  };
  await updateConnection(queries, row.projectId, row.id, change);
  await refreshWhenDue(queries, row, deps.catalog.find(row.provider), credentials);
  const refreshed = { ...row, ...change };
  if (isOauth(stored) && stored.refreshToken) await recordTokenRefresh(deps, queries, refreshed);
  return refreshed;
}

const gone = (): ProviderError =>
  new ProviderError({ kind: "unauthorized", message: "The connection no longer exists." });

const mustReconnect = (row: ConnectionRow, why: string): ProviderError =>
  new ProviderError({
    kind: "unauthorized",
    message: `The connection to ${row.provider} must be made again: ${why}.`,
  });

function asProviderError(error: TokenEndpointError, row: ConnectionRow): ProviderError {
  const message = `A new access token for ${row.provider} could not be had: ${error.message}.`;
  if (error.failure === "transient") return new ProviderError({ kind: "unavailable", message, cause: error });
  if (error.failure === "no-app" || error.failure === "nothing-to-refresh")
    return new ProviderError({ kind: "unauthorized", message, cause: error });
  return mustReconnect(row, error.message);
}

/** Gets a connection a new access token: one refresh at a time over all processes, stored before anyone uses it. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../connectors/catalog.ts";
import type { ProviderInfo } from "../../connectors/kit/provider.ts";
import { ProviderError } from "../../connectors/kit/errors.ts";
import type { Egress } from "../egress.ts";
import { nowMs } from "../ground/clock.ts";
import type { Log } from "../ground/log.ts";
import type { Sealer } from "../ground/seal.ts";
import type { Database, Queries } from "../store/database.ts";
import {
  findConnection,
  lockConnection,
  updateConnection,
  type ConnectionRow,
} from "../store/connections.ts";
import { clearRefreshSent, endRenewal, findRefreshSent, markRefreshSent } from "../store/token-renewals.ts";
import { findDefaultProviderApp, findProviderApp } from "../store/provider-apps.ts";
import type { ConnectionEvents } from "./connection-events.ts";
import { openProviderAppSecret } from "./provider-app-secret.ts";
import { accountFacts, metadataValues, type AccountFacts } from "./provider-metadata.ts";
import { credentialColumns, renewWhenDue } from "./store-credentials.ts";
import {
  isOauth,
  openCredentials,
  type OauthCredentials,
  type StoredCredentials,
} from "./stored-credentials.ts";
import { requestToken, TokenEndpointError, type TokenAnswer } from "./token-endpoint.ts";

export interface RefreshServices {
  database: Database;
  sealer: Sealer;
  egress: Egress;
  catalog: Catalog;
  log: Log;
  connectionEvents: ConnectionEvents;
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
  on: RefreshServices,
  connection: { id: string; projectId: string },
  reason: RefreshReason,
): Promise<ConnectionRow> {
  const { projectId, id } = connection;
  const failure: { error?: unknown } = {};
  const once = sendOnce(on.database, id);
  const row = await on.database.queries.transaction().execute(async (queries) => {
    await lockConnection(queries, projectId, id);
    const fresh = await findConnection(queries, projectId, id);
    if (!fresh) throw gone();
    const stored = openCredentials(on.sealer, fresh);
    if (!isOauth(stored) || hasChanged(stored, reason)) return fresh;
    if (fresh.status === "bad_credentials")
      throw mustReconnect(fresh, "the provider refused its credentials before");
    try {
      const answer = await askProvider(on, queries, fresh, stored, once);
      return await store(on, queries, fresh, stored, answer);
    } catch (error) {
      if (!(error instanceof TokenEndpointError)) throw error;
      failure.error = asProviderError(error, fresh);
      await noteFailure(on, queries, fresh, error);
      return fresh;
    }
  });
  if (failure.error) throw failure.error;
  return row;
}

const hasChanged = (stored: OauthCredentials, { staleToken }: RefreshReason): boolean =>
  stored.accessToken !== undefined &&
  stored.accessToken.token !== staleToken &&
  (stored.accessToken.expiresAt === undefined || Date.parse(stored.accessToken.expiresAt) > nowMs());

/** Committed with the transaction, so that nobody tries a refused grant again. */
async function noteFailure(
  on: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  error: TokenEndpointError,
): Promise<void> {
  const { id, projectId, provider } = row;
  on.log.warn({ connectionId: id, provider, failure: error.failure }, "token refresh failed");
  const isLost = error.failure === "transient" && error.cause !== undefined && error.sent;
  if (!isLost) await clearRefreshSent(queries, id);
  const isFinal = error.failure === "grant-refused" || (isLost && reuseRevokes(on, row));
  if (!isFinal) return;
  await updateConnection(queries, projectId, id, { status: "bad_credentials" });
  await endRenewal(queries, id, isLost);
  await on.connectionEvents.failed(queries, row, mustReconnect(row, error.message).message);
}

const reuseRevokes = (on: RefreshServices, row: ConnectionRow): boolean =>
  on.catalog.find(row.provider)?.oauth2Opts?.reuseRevokes === true;

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

async function askProvider(
  on: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: OauthCredentials,
  once: SendOnce,
): Promise<TokenAnswer> {
  const provider = providerOf(on, row);
  const values = metadataValues(row.providerMetadata);
  if (row.providerWorkspaceRef && !values["workspace"]) values["workspace"] = row.providerWorkspaceRef;
  const urlOptions = { values, allowPlainHttp: on.egress.allowsPlainHttp };
  const { clientId, clientSecret } = await client(on, queries, row, stored);
  const grant = grantOf(row, stored);
  if (provider.oauth2Opts?.reuseRevokes && grant["refresh_token"])
    await once(queries, grant["refresh_token"]);
  return requestToken(on.egress, { provider, urlOptions, clientId, clientSecret, grant });
}

function providerOf(on: RefreshServices, row: ConnectionRow): ProviderInfo {
  const provider = on.catalog.find(row.provider);
  if (!provider) throw new TokenEndpointError("configuration", `the catalog no longer has ${row.provider}`);
  return provider;
}

function grantOf(row: ConnectionRow, stored: OauthCredentials): Record<string, string> {
  const scope = stored.scopes?.length ? { scope: stored.scopes.join(" ") } : undefined;
  if (stored.scheme === "oauth2/clientCredentials") return { grant_type: "client_credentials", ...scope };
  if (stored.refreshToken) return { grant_type: "refresh_token", refresh_token: stored.refreshToken.token };
  if (stored.scheme === "oauth2/password") {
    return { grant_type: "password", username: stored.username, password: stored.password, ...scope };
  }
  throw new TokenEndpointError("grant-refused", `the connection to ${row.provider} has no refresh token`);
}

async function client(
  on: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: OauthCredentials,
): Promise<{ clientId: string; clientSecret: string }> {
  if ("clientId" in stored) return { clientId: stored.clientId, clientSecret: stored.clientSecret };
  const app = row.providerAppId
    ? await findProviderApp(queries, row.projectId, row.providerAppId)
    : await findDefaultProviderApp(queries, row.projectId, row.provider);
  if (!app) {
    throw new TokenEndpointError(
      "configuration",
      `the project has no provider app for ${row.provider}; create one with the OAuth client the tokens came from`,
    );
  }
  return { clientId: app.clientId, clientSecret: openProviderAppSecret(on.sealer, app) };
}

async function store(
  on: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: OauthCredentials,
  answer: TokenAnswer,
): Promise<ConnectionRow> {
  const next: StoredCredentials = {
    ...stored,
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken ?? stored.refreshToken,
    scopes: answer.scopes ?? stored.scopes,
  };
  const provider = on.catalog.find(row.provider);
  const change = {
    ...credentialColumns(on.sealer, row, next),
    status: "created" as const,
    ...(provider && newFacts(provider, row, answer)),
  };
  await updateConnection(queries, row.projectId, row.id, change);
  await renewWhenDue(queries, row, provider, next);
  const renewed = { ...row, ...change };
  if (stored.refreshToken) await on.connectionEvents.refreshed(queries, renewed);
  return renewed;
}

/** Salesforce repeats `instance_url` on every refresh; after an organisation was renamed it is another one. */
function newFacts(provider: ProviderInfo, row: ConnectionRow, answer: TokenAnswer): Partial<AccountFacts> {
  const facts = accountFacts(provider, answer.fields, row.providerMetadata);
  return isDeepStrictEqual(facts.providerMetadata, row.providerMetadata) ? {} : facts;
}

const gone = (): ProviderError =>
  new ProviderError({ kind: "unauthorized", message: "The connection no longer exists." });

const mustReconnect = (row: ConnectionRow, why: string): ProviderError =>
  new ProviderError({
    kind: "unauthorized",
    message: `The connection to ${row.provider} must be made again: ${why}.`,
  });

function asProviderError(error: TokenEndpointError, row: ConnectionRow): ProviderError {
  if (error.failure === "transient") {
    const message = `A new access token for ${row.provider} could not be had: ${error.message}.`;
    return new ProviderError({ kind: "unavailable", message, cause: error });
  }
  return mustReconnect(row, error.message);
}

/** Gets a connection a new access token: one refresh at a time over all processes, stored before anyone uses it. */
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
import { findDefaultProviderApp, findProviderApp } from "../store/provider-apps.ts";
import { openProviderAppSecret } from "./provider-app-secret.ts";
import {
  isOauth,
  openCredentials,
  sealCredentials,
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
  const row = await on.database.queries.transaction().execute(async (queries) => {
    await lockConnection(queries, projectId, id);
    const fresh = await findConnection(queries, projectId, id);
    if (!fresh) throw gone();
    const stored = openCredentials(on.sealer, fresh);
    if (!isOauth(stored) || hasChanged(stored, reason)) return fresh;
    if (fresh.status === "bad_credentials")
      throw mustReconnect(fresh, "the provider refused its credentials before");
    try {
      const answer = await askProvider(on, queries, fresh, stored);
      return await store(on, queries, fresh, stored, answer);
    } catch (error) {
      if (!(error instanceof TokenEndpointError)) throw error;
      on.log.warn(
        { connectionId: id, provider: fresh.provider, failure: error.failure },
        "token refresh failed",
      );
      // Committed with the transaction, so that nobody tries a refused grant again.
      if (isFinal(error, fresh))
        await updateConnection(queries, projectId, id, { status: "bad_credentials" });
      failure.error = asProviderError(error, fresh);
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

/**
 * Salesforce revokes everything when a rotated refresh token is presented twice, so a lost answer there leaves a
 * token that must not be sent again.
 */
const isFinal = (error: TokenEndpointError, row: ConnectionRow): boolean =>
  error.failure === "grant-refused" ||
  (error.failure === "transient" && error.cause !== undefined && error.sent && row.provider === "salesforce");

async function askProvider(
  on: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: OauthCredentials,
): Promise<TokenAnswer> {
  const provider = providerOf(on, row);
  const urlOptions = {
    values: Object.fromEntries(
      Object.entries(row.providerMetadata).map(([name, { value }]) => [name, value]),
    ),
    allowPlainHttp: on.egress.allowsPlainHttp,
  };
  const { clientId, clientSecret } = await client(on, queries, row, stored);
  return requestToken(on.egress, {
    provider,
    urlOptions,
    clientId,
    clientSecret,
    grant: grantOf(row, stored),
  });
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
  const change = {
    credentialsSealed: sealCredentials(on.sealer, row, next),
    accessExpireTime: answer.accessToken.expiresAt ? new Date(answer.accessToken.expiresAt) : null,
    status: "created" as const,
    ...movedHost(row, answer),
  };
  await updateConnection(queries, row.projectId, row.id, change);
  return { ...row, ...change };
}

/** Salesforce repeats `instance_url` on every refresh; after an org migration it is another one. */
function movedHost(
  row: ConnectionRow,
  answer: TokenAnswer,
): Partial<Pick<ConnectionRow, "providerMetadata">> {
  const value = answer.fields["instance_url"];
  if (typeof value !== "string" || row.providerMetadata["instance_url"]?.value === value) return {};
  return { providerMetadata: { ...row.providerMetadata, instance_url: { value, source: "token" } } };
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

/** Gets a connection a new access token: one refresh at a time over all processes, stored before anyone uses it. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../../connectors/catalog.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
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
import { findDefaultProviderApp, findProviderApp, type ProviderAppRow } from "../../store/provider-apps.ts";
import type { ConnectionEvents } from "../connection-events.ts";
import {
  lasting,
  takeStep,
  valuesOfApp,
  type CustomCredentials,
  type StepState,
} from "../grants/custom-steps.ts";
import { openProviderAppSecret } from "../stored/provider-app-secret.ts";
import { accountFacts, metadataValues, type AccountFacts } from "../stored/provider-metadata.ts";
import { credentialColumns, refreshWhenDue } from "../stored/credential-columns.ts";
import {
  isOauth,
  openCredentials,
  type OauthCredentials,
  type StoredCredentials,
} from "../stored/credential-envelope.ts";
import { isRefreshable, serving } from "../stored/refreshable.ts";
import { requestToken, TokenEndpointError } from "../grants/token-endpoint.ts";

/** A token this close to its end is not sent any more: the call could arrive after it. */
export const MARGIN_MS = 5_000;

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
      const refresh = isOauth(stored)
        ? await askTokenEndpoint(deps, queries, fresh, stored, once)
        : await takeRefreshSteps(deps, queries, fresh, stored);
      return await store(deps, queries, fresh, stored, refresh);
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
): stored is Refreshable => isOauth(stored) || isRefreshable(deps.catalog.find(row.provider), stored);

type Refreshable = OauthCredentials | CustomCredentials;

function hasChanged(stored: Refreshable, { staleToken }: RefreshReason): boolean {
  const current = serving(stored);
  return current !== undefined && current.mark !== staleToken && !hasEnded(stored);
}

/** `earlyMs`: so long before its end a token counts as ended. */
function hasEnded(stored: Refreshable, earlyMs = 0): boolean {
  const current = serving(stored);
  if (current === undefined) return true;
  return current.expiresAt !== undefined && Date.parse(current.expiresAt) <= nowMs() + earlyMs;
}

/** Committed with the transaction, so that nobody tries a refused grant again. */
async function noteFailure(
  deps: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  { stored, error }: { stored: Refreshable; error: TokenEndpointError },
): Promise<void> {
  const { id, projectId, provider } = row;
  deps.log.warn({ connectionId: id, provider, failure: error.failure }, "token refresh failed");
  const isLost = error.failure === "transient" && error.cause !== undefined && error.sent;
  if (!isLost) await clearRefreshSent(queries, id);
  if (error.failure === "no-app") await markLacksApp(queries, id);
  if (!isFinal(deps, row, stored, error, isLost)) return;
  await updateConnection(queries, projectId, id, { status: "bad_credentials" });
  await endRefresh(queries, id, isLost);
  await deps.connectionEvents.failed(queries, row, asProviderError(error, row).message);
}

/** Whether the connection is of no use any more. What still serves goes on serving although it cannot be refreshed. */
function isFinal(
  deps: RefreshServices,
  row: ConnectionRow,
  stored: Refreshable,
  { failure }: TokenEndpointError,
  isLost: boolean,
): boolean {
  if (failure === "no-app" || failure === "nothing-to-refresh") return hasEnded(stored, MARGIN_MS);
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

/** New credentials, and what the provider said about the account along with them. */
interface Refreshed {
  credentials: StoredCredentials;
  facts: Partial<AccountFacts>;
}

async function askTokenEndpoint(
  deps: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: OauthCredentials,
  once: SendOnce,
): Promise<Refreshed> {
  const provider = providerOf(deps, row);
  const values = metadataValues(row.providerMetadata);
  if (row.providerWorkspaceRef && !values["workspace"]) values["workspace"] = row.providerWorkspaceRef;
  const urlOptions = { values, allowPlainHttp: deps.egress.allowsPlainHttp };
  const grant = grantOf(row, stored);
  const { clientId, clientSecret } = await client(deps, queries, row, stored);
  if (provider.oauth2Opts?.reuseRevokes && grant["refresh_token"])
    await once(queries, grant["refresh_token"]);
  const answer = await requestToken(deps.egress, { provider, urlOptions, clientId, clientSecret, grant });
  const credentials: StoredCredentials = {
    ...stored,
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken ?? stored.refreshToken,
    scopes: answer.scopes ?? stored.scopes,
  };
  return { credentials, facts: accountFacts(provider, answer.fields, row.providerMetadata) };
}

async function takeRefreshSteps(
  deps: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: CustomCredentials,
): Promise<Refreshed> {
  const provider = providerOf(deps, row);
  const { providerInputs = [], refreshSteps = [] } = provider.customOpts ?? {};
  const app = providerInputs.length > 0 ? await appOf(queries, row) : undefined;
  // The times are those of the values that go: where the provider names none this time, the new ones have none.
  const credentials = { scheme: stored.scheme, values: stored.values };
  let state: StepState = { provider, metadata: row.providerMetadata, credentials };
  for (const { request } of refreshSteps) {
    state = await takeStep(deps, state, request, valuesOfApp(deps.sealer, app));
  }
  return { credentials: lasting(provider, state.credentials), facts: { providerMetadata: state.metadata } };
}

function providerOf(deps: RefreshServices, row: ConnectionRow): ProviderInfo {
  const provider = deps.catalog.find(row.provider);
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
  throw new TokenEndpointError(
    "nothing-to-refresh",
    `the connection to ${row.provider} has no refresh token`,
  );
}

async function client(
  deps: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: OauthCredentials,
): Promise<{ clientId: string; clientSecret: string }> {
  if ("clientId" in stored) return { clientId: stored.clientId, clientSecret: stored.clientSecret };
  const app = await appOf(queries, row);
  return { clientId: app.clientId, clientSecret: openProviderAppSecret(deps.sealer, app) };
}

async function appOf(queries: Queries, row: ConnectionRow): Promise<ProviderAppRow> {
  const app = row.providerAppId
    ? await findProviderApp(queries, row.projectId, row.providerAppId)
    : await findDefaultProviderApp(queries, row.projectId, row.provider);
  if (app) return app;
  throw new TokenEndpointError(
    "no-app",
    `the project has no provider app for ${row.provider}; create one with the client the connection was made with`,
  );
}

async function store(
  deps: RefreshServices,
  queries: Queries,
  row: ConnectionRow,
  stored: Refreshable,
  { credentials, facts }: Refreshed,
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
  if (isOauth(stored) && stored.refreshToken) await deps.connectionEvents.refreshed(queries, refreshed);
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

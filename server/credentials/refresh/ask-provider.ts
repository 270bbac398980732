/** Requests new credentials from a provider: at the OAuth token endpoint, or by the steps of its own scheme. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { TemplateError, fillTokenUrl, type UrlOptions } from "../../../connector-kit/provider/template.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ConnectionRow, ProviderMetadata } from "../../store/connections/connections.ts";
import type { Database } from "../../store/database/database.ts";
import {
  findDefaultProviderApp,
  findProviderApp,
  type ProviderAppRow,
} from "../../store/connections/provider-apps.ts";
import {
  dropOneTimeValues,
  takeStep,
  listAppValues,
  type CustomCredentials,
  type StepState,
} from "../grants/custom-steps.ts";
import { requestToken } from "../grants/token-endpoint.ts";
import { TokenEndpointError } from "../grants/token-endpoint-error.ts";
import { isOauth, type OauthCredentials, type StoredCredentials } from "../stored/credential-envelope.ts";
import { openProviderAppSecret } from "../stored/provider-app-secret.ts";
import { readAccountFacts, listAddressValues, type AccountFacts } from "../stored/provider-metadata.ts";

export type RefreshableCredentials = OauthCredentials | CustomCredentials;

export interface RefreshedCredentials {
  credentials: StoredCredentials;
  /** What the answer says about the account, over what is known. */
  factsOver(known: ProviderMetadata): Partial<AccountFacts>;
}

interface Services {
  database: Database;
  egress: Egress;
  catalog: Catalog;
  sealer: Sealer;
}

/**
 * `beforeSending` is called with the refresh token just before it leaves, for providers that revoke everything when
 * they see one twice. Throws `TokenEndpointError`.
 */
export const askProvider = (
  deps: Services,
  row: ConnectionRow,
  stored: RefreshableCredentials,
  beforeSending: (refreshToken: string) => Promise<void>,
): Promise<RefreshedCredentials> =>
  isOauth(stored) ? askTokenEndpoint(deps, row, stored, beforeSending) : takeRefreshSteps(deps, row, stored);

async function askTokenEndpoint(
  deps: Services,
  row: ConnectionRow,
  stored: OauthCredentials,
  beforeSending: (refreshToken: string) => Promise<void>,
): Promise<RefreshedCredentials> {
  const provider = getProvider(deps, row);
  const urlOptions = { values: listAddressValues(row), allowPlainHttp: deps.egress.allowsPlainHttp };
  const grant = buildGrant(provider, row, stored);
  requireTokenUrl(provider, urlOptions);
  const { clientId, clientSecret } = await getClient(deps, row, stored);
  if (provider.oauth2Opts?.reuseRevokes && grant["refresh_token"])
    await beforeSending(grant["refresh_token"]);
  const request = { provider, urlOptions, clientId, clientSecret, grant };
  const answer = await requestToken(deps.egress, request).catch((error: unknown) => {
    // The token that was to be exchanged may still be good: only its own refusal ends the connection.
    const isLeft = grant["subject_token"] !== undefined && error instanceof TokenEndpointError;
    throw isLeft && error.failure === "grant-refused"
      ? new TokenEndpointError("nothing-to-refresh", error.message, { cause: error })
      : error;
  });
  const credentials: StoredCredentials = {
    ...stored,
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken ?? stored.refreshToken,
    scopes: answer.scopes ?? stored.scopes,
  };
  return { credentials, factsOver: (known) => readAccountFacts(provider, answer.fields, known) };
}

async function takeRefreshSteps(
  deps: Services,
  row: ConnectionRow,
  stored: CustomCredentials,
): Promise<RefreshedCredentials> {
  const provider = getProvider(deps, row);
  const { providerInputs = [], refreshSteps = [] } = provider.customOpts ?? {};
  const app = providerInputs.length > 0 ? await getApp(deps, row) : undefined;
  // Without the old times: where the provider names no lifetime this time, the new values have none.
  const credentials = { scheme: stored.scheme, values: stored.values };
  let state: StepState = { provider, metadata: row.providerMetadata, credentials };
  for (const { request } of refreshSteps) {
    state = await takeStep(deps, state, request, listAppValues(deps.sealer, app));
  }
  const reported = Object.entries(state.metadata).filter(
    ([name, value]) => value !== row.providerMetadata[name],
  );
  return {
    credentials: dropOneTimeValues(provider, state.credentials),
    factsOver: (known) => ({ providerMetadata: { ...known, ...Object.fromEntries(reported) } }),
  };
}

function getProvider(deps: Services, row: ConnectionRow): ProviderInfo {
  const provider = deps.catalog.of(row.projectId).find(row.provider);
  if (!provider) throw new TokenEndpointError("configuration", `the catalog no longer has ${row.provider}`);
  return provider;
}

/** Runs before a token counts as sent. Throws `TokenEndpointError`. */
function requireTokenUrl(provider: ProviderInfo, options: UrlOptions): void {
  try {
    fillTokenUrl(provider, options);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new TokenEndpointError("configuration", error.message, { cause: error });
  }
}

function buildGrant(
  { oauth2Opts }: ProviderInfo,
  row: ConnectionRow,
  stored: OauthCredentials,
): Record<string, string> {
  const scope = stored.scopes?.length ? { scope: stored.scopes.join(" ") } : undefined;
  if (stored.scheme === "oauth2/clientCredentials") return { grant_type: "client_credentials", ...scope };
  if (stored.refreshToken) return { grant_type: "refresh_token", refresh_token: stored.refreshToken.token };
  if (stored.scheme === "oauth2/password") {
    return { grant_type: "password", username: stored.username, password: stored.password, ...scope };
  }
  // Only by force: a schedule leaves out what has no refresh token. The old token, which others may use as well, ends.
  if (oauth2Opts?.tokenExchange && stored.accessToken)
    return { ...oauth2Opts.tokenExchange, subject_token: stored.accessToken.token };
  throw new TokenEndpointError(
    "nothing-to-refresh",
    `the connection to ${row.provider} has no refresh token`,
  );
}

async function getClient(
  deps: Services,
  row: ConnectionRow,
  stored: OauthCredentials,
): Promise<{ clientId: string; clientSecret: string }> {
  if ("clientId" in stored) return { clientId: stored.clientId, clientSecret: stored.clientSecret };
  const app = await getApp(deps, row);
  return { clientId: app.clientId, clientSecret: openProviderAppSecret(deps.sealer, app) };
}

async function getApp({ database: { control } }: Services, row: ConnectionRow): Promise<ProviderAppRow> {
  const app = row.providerAppId
    ? await findProviderApp(control, row.projectId, row.providerAppId)
    : await findDefaultProviderApp(control, row.projectId, row.provider);
  if (app) return app;
  throw new TokenEndpointError(
    "no-app",
    `the project has no provider app for ${row.provider}; create one with the client the connection was made with`,
  );
}

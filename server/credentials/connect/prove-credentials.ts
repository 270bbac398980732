/** Exchanges credentials for tokens before they are stored, so that wrong ones are refused when they are entered. */
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import type { Egress } from "../../egress/egress.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ProviderMetadata } from "../../store/connections/connections.ts";
import type { Database } from "../../store/database/database.ts";
import { findDefaultProviderApp, type ProviderAppRow } from "../../store/connections/provider-apps.ts";
import { withAccountInfo } from "./account-info.ts";
import {
  dropOneTimeValues,
  takeStep,
  listAppValues,
  type CustomCredentials,
  type StepState,
} from "../grants/custom-steps.ts";
import { readAccountFacts, listMetadataValues, requireAddress } from "../stored/provider-metadata.ts";
import type { StoredCredentials } from "../stored/credential-envelope.ts";
import { requestToken } from "../grants/token-endpoint.ts";
import { TokenEndpointError } from "../grants/token-endpoint-error.ts";

interface Services {
  database: Database;
  sealer: Sealer;
  egress: Egress;
  log: Log;
}

export interface WantedCredentials {
  projectId: string;
  provider: ProviderInfo;
  metadata: ProviderMetadata;
  credentials: StoredCredentials;
}

interface Proven {
  credentials: StoredCredentials;
  /** Including the metadata from the provider. */
  metadata: ProviderMetadata;
  workspaceRef?: string;
  consumerRef?: string;
  /** The provider app that was used. */
  providerAppId?: string;
}

/**
 * Returns the credentials, with tokens where the scheme has them. Throws a Problem: 400 if something is missing, 422 if the
 * provider refuses, 502 if it cannot be reached.
 */
export async function proveCredentials(deps: Services, wanted: WantedCredentials): Promise<Proven> {
  const { provider } = wanted;
  const { allowsPlainHttp } = deps.egress;
  // Checked before any call, unless the base URL needs metadata from the provider.
  if (!reportsAddress(provider)) requireAddress(provider, wanted.metadata, allowsPlainHttp);
  const { metadata, ...found } = await exchangeCredentials(deps, wanted);
  const reported = await withAccountInfo(deps, provider, metadata, found.credentials);
  requireAddress(provider, reported.metadata, allowsPlainHttp);
  return { ...found, metadata: reported.metadata, workspaceRef: reported.workspaceRef ?? found.workspaceRef };
}

const reportsAddress = ({ accountInfo, customOpts, oauth2Opts }: ProviderInfo): boolean =>
  accountInfo !== undefined ||
  customOpts?.connectSteps !== undefined ||
  oauth2Opts?.tokenMetadataFields?.otherFields !== undefined;

async function exchangeCredentials(deps: Services, wanted: WantedCredentials): Promise<Proven> {
  const { provider, metadata, credentials } = wanted;
  if (credentials.scheme === "custom" && provider.customOpts?.connectSteps) {
    return proveBySteps(deps, wanted, credentials);
  }
  if (!("clientId" in credentials)) return { metadata, credentials };
  return withToken(deps, wanted, credentials);
}

async function withToken(
  deps: Services,
  { provider, metadata }: WantedCredentials,
  credentials: Extract<StoredCredentials, { clientId: string }>,
): Promise<Proven> {
  const { clientId, clientSecret, scopes } = credentials;
  const scope: Record<string, string> = scopes?.length ? { scope: scopes.join(" ") } : {};
  const grant: Record<string, string> =
    credentials.scheme === "oauth2/password"
      ? { grant_type: "password", username: credentials.username, password: credentials.password, ...scope }
      : { grant_type: "client_credentials", ...scope };
  const urlOptions = { values: listMetadataValues(metadata), allowPlainHttp: deps.egress.allowsPlainHttp };
  const answer = await rethrowAsProblem(
    requestToken(deps.egress, { provider, urlOptions, clientId, clientSecret, grant }),
  );
  const { accessToken, refreshToken } = answer;
  const facts = readAccountFacts(provider, answer.fields, metadata);
  return {
    credentials: { ...credentials, accessToken, refreshToken, scopes: answer.scopes ?? scopes },
    metadata: facts.providerMetadata,
    workspaceRef: facts.providerWorkspaceRef,
    consumerRef: facts.providerConsumerRef,
  };
}

/** Carries out the steps of a provider's own scheme. Refuses if one of them needs the customer. */
async function proveBySteps(
  deps: Services,
  { projectId, provider, metadata }: WantedCredentials,
  credentials: CustomCredentials,
): Promise<Proven> {
  const app = await findApp(deps.database, projectId, provider);
  let state: StepState = { provider, metadata, credentials };
  for (const { request } of provider.customOpts?.connectSteps ?? []) {
    if (!request) throw needsCustomer(provider);
    state = await rethrowAsProblem(takeStep(deps, state, request, listAppValues(deps.sealer, app)));
  }
  return {
    metadata: state.metadata,
    credentials: dropOneTimeValues(provider, state.credentials),
    providerAppId: app?.id,
  };
}

async function findApp(
  { control }: Database,
  projectId: string,
  { name, customOpts }: ProviderInfo,
): Promise<ProviderAppRow | undefined> {
  if (!customOpts?.providerInputs?.length) return undefined;
  const app = await findDefaultProviderApp(control, projectId, name);
  if (app) return app;
  throw new Problem("invalid-request", {
    detail: `The project has no provider app for ${name}. Create one with the client you registered there.`,
  });
}

const needsCustomer = ({ name }: ProviderInfo): Problem =>
  new Problem("invalid-request", {
    detail: `${name} is connected in several steps. Begin with POST /v1/custom-auth/connect.`,
  });

/** Turns a provider's refusal into a Problem: 422, or 502 if the provider could not be reached. */
export async function rethrowAsProblem<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof TokenEndpointError)) throw error;
    const { message, failure } = error;
    throw failure === "transient"
      ? new Problem("provider-unreachable", {
          detail: `These credentials could not be checked: ${message}. Try again later.`,
          cause: error,
        })
      : new Problem("provider-refused", {
          detail: `The provider gave no token for these credentials: ${message}.`,
          cause: error,
        });
  }
}

/** Carries out the steps of a provider's own authentication scheme and classifies their failures. */
import { CredentialsError } from "../../../connector-kit/provider/authorization.ts";
import { parseExactly } from "../../../connector-kit/calls/exact-json.ts";
import {
  listNeededValues,
  readAnswer,
  buildRequest,
  StepError,
  type Brought,
} from "../../../connector-kit/provider/custom-steps.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import type { StepRequest } from "../../../connector-kit/provider/auth-options.ts";
import { TemplateError } from "../../../connector-kit/provider/template.ts";
import { EgressError } from "../../egress/egress-error.ts";
import type { Egress } from "../../egress/egress.ts";
import { nowMs } from "../../../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ProviderMetadata } from "../../store/connections/connections.ts";
import type { ProviderAppRow } from "../../store/connections/provider-apps.ts";
import { openProviderAppSecret } from "../stored/provider-app-secret.ts";
import { listMetadataValues } from "../stored/provider-metadata.ts";
import { computeExpiry } from "../stored/refresh-time.ts";
import type { StoredCredentials } from "../stored/credential-envelope.ts";
import { TokenEndpointError } from "./token-endpoint-error.ts";
import { toTokenError } from "./token-refusal.ts";

export const STEP_TIMEOUT_MS = 20_000;
const MAX_BYTES = 256 * 1024;

export type CustomCredentials = Extract<StoredCredentials, { scheme: "custom" }>;

/** Input and result of a step. */
export interface StepState {
  provider: ProviderInfo;
  metadata: ProviderMetadata;
  credentials: CustomCredentials;
}

/** Calls the provider and returns the state with the values of the response. Throws `TokenEndpointError`. */
export async function takeStep(
  deps: { egress: Egress },
  state: StepState,
  request: StepRequest,
  appValues: Record<string, string>,
): Promise<StepState> {
  const { provider } = state;
  const values = listStepValues(state, appValues);
  try {
    const call = buildRequest(provider, request, values, { allowPlainHttp: deps.egress.allowsPlainHttp });
    const { status, text } = await deps.egress.send({
      ...call,
      totalTimeoutMs: STEP_TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const answer = parse(text());
    if (status >= 300) {
      const fields: JsonObject = isJsonObject(answer) ? answer : {};
      // These calls are about credentials only, so a refusal without a known code means bad credentials.
      const otherwise = status < 404 ? "grant-refused" : "configuration";
      throw toTokenError(
        { status, fields, host: call.url.host },
        { otherwise, secrets: Object.values(values) },
      );
    }
    return addBrought(state, readAnswer(request, answer, values));
  } catch (error) {
    throw asTokenError(error);
  }
}

/** Returns all values that a template may name. The provider app comes last, so that customers cannot replace its values. */
export const listStepValues = (
  { metadata, credentials }: StepState,
  appValues: Record<string, string>,
): Record<string, string> => ({ ...credentials.values, ...listMetadataValues(metadata), ...appValues });

/** Returns the provider app's values by their names in the catalog's `providerInputs`. */
export const listAppValues = (sealer: Sealer, app: ProviderAppRow | undefined): Record<string, string> =>
  app === undefined
    ? {}
    : {
        ...(isJsonObject(app.metadata) ? listTexts(app.metadata["providerParams"]) : {}),
        clientId: app.clientId,
        clientSecret: openProviderAppSecret(sealer, app),
      };

const listTexts = (value: Json | undefined): Record<string, string> =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])),
      )
    : {};

/** Adds the values that a step returned. */
export function addBrought(state: StepState, brought: Brought): StepState {
  const metadata = { ...state.metadata };
  for (const [name, value] of Object.entries(brought.metadata))
    metadata[name] = { value, source: "provider" };
  const values = { ...state.credentials.values, ...brought.values };
  const { expiresInSeconds } = brought;
  const times = expiresInSeconds === undefined ? {} : toLifetime(expiresInSeconds);
  return { ...state, metadata, credentials: { ...state.credentials, values, ...times } };
}

/** Drops values that neither calls nor refreshes need, such as a password that was exchanged for a token. */
export function dropOneTimeValues(provider: ProviderInfo, credentials: CustomCredentials): CustomCredentials {
  if (!provider.customOpts?.connectSteps) return credentials;
  const needed = listNeededValues(provider);
  const kept = Object.entries(credentials.values).filter(([name]) => needed.has(name));
  return { ...credentials, values: Object.fromEntries(kept) };
}

const toLifetime = (seconds: number) => ({
  issuedAt: new Date(nowMs()).toISOString(),
  expiresAt: computeExpiry(seconds),
});

function parse(text: string): Json {
  try {
    return parseExactly(text);
  } catch {
    return null;
  }
}

function asTokenError(error: unknown): unknown {
  if (error instanceof EgressError) {
    return new TokenEndpointError("transient", error.message, { sent: error.sent, cause: error });
  }
  const isOurs =
    error instanceof TemplateError || error instanceof CredentialsError || error instanceof StepError;
  return isOurs ? new TokenEndpointError("configuration", error.message, { cause: error }) : error;
}

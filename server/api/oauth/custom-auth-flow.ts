/** Runs the steps of a custom authentication scheme: from the inputs to a redirect or a connection. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import {
  readCallback,
  fillStepUrl,
  sendsState,
  StepError,
} from "../../../connector-kit/provider/custom-steps.ts";
import type { Redirect } from "../../../connector-kit/provider/auth-options.ts";
import { TemplateError } from "../../../connector-kit/provider/template.ts";
import {
  dropOneTimeValues,
  listStepValues,
  takeStep,
  listAppValues,
  addBrought,
  type StepState,
} from "../../credentials/grants/custom-steps.ts";
import { rethrowAsProblem } from "../../credentials/connect/prove-credentials.ts";
import { requireAddress } from "../../credentials/stored/provider-metadata.ts";
import { withAccountInfo } from "../../credentials/connect/account-info.ts";
import type { StoredCredentials } from "../../credentials/stored/credential-envelope.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Log } from "../../../ground/log.ts";
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { newId, hashSecret, newSecret } from "../../../ground/ids.ts";
import { placeIn, type Sealer } from "../../../ground/seal.ts";
import type { ConnectionRow } from "../../store/connections/connections.ts";
import {
  insertCustomAuthSession,
  takeCustomAuthSession,
  type CustomAuthSession,
  type TakenCustomAuthSession,
} from "../../store/connections/custom-auth-sessions.ts";
import type { Database } from "../../store/database/database.ts";
import { findProviderApp, type ProviderAppRow } from "../../store/connections/provider-apps.ts";
import { saveConnection } from "../connections/save-connection.ts";
import { CUSTOM_AUTH_PATH } from "./browser-binding.ts";
import { recordFailures } from "./custom-auth-failures.ts";

export interface FlowServices {
  database: Database;
  catalog: Catalog;
  sealer: Sealer;
  egress: Egress;
  log: Log;
  /** Origin of this Busbar for customers' browsers. */
  publicUrl: () => string;
}

/** The customer, the provider and the values so far. */
export interface Flow extends StepState {
  projectId: string;
  app?: ProviderAppRow;
  groupRef: string;
  groupName?: string;
  consumerRef: string;
  consumerName?: string;
  /** Origin of the requesting page, if a browser sent it. */
  origin?: string;
  /** The earlier session of the same browser, which need not confirm again. */
  earlier?: Pick<TakenCustomAuthSession, "flowId" | "browserHash" | "leaveTime">;
}

type FlowResult = { redirect: { url: string; sessionId: string } } | { row: ConnectionRow };

export const CUSTOM_BEGIN_PATH = `${CUSTOM_AUTH_PATH}/begin`;
/** Time for a person to sign in and agree. */
export const SESSION_MS = 10 * 60_000;

/** Runs the steps. Throws Problems: 422 if the provider refuses, 502 if it cannot be reached. */
export const runFlow = (deps: FlowServices, flow: Flow): Promise<FlowResult> =>
  recordFailures(deps, flow, () => takeSteps(deps, flow, 0));

/** Runs the steps from index `step` on. */
async function takeSteps(deps: FlowServices, flow: Flow, step: number): Promise<FlowResult> {
  const steps = flow.provider.customOpts?.connectSteps ?? [];
  let state: Flow = flow;
  for (const [index, { redirect, request }] of steps.entries()) {
    if (index < step) continue;
    if (redirect) return { redirect: await sendAway(deps, state, redirect, index) };
    if (request) {
      state = {
        ...state,
        ...(await rethrowAsProblem(takeStep(deps, state, request, listOurValues(deps, state)))),
      };
    }
  }
  return { row: await connect(deps, state) };
}

/** Continues a session with the parameters of the provider's page. A session can be used once. */
export async function resumeFlow(
  deps: FlowServices,
  asker: { projectId: string; groupRef?: string; consumerRef?: string },
  sessionId: string,
  params: Record<string, string>,
): Promise<FlowResult> {
  const session = await takeCustomAuthSession(
    deps.database.control,
    asker.projectId,
    hashSecret(sessionId),
    asker,
  );
  const provider = session && deps.catalog.of(session.projectId).find(session.provider);
  const redirect = session && provider?.customOpts?.connectSteps?.[session.step]?.redirect;
  if (!session || !redirect) {
    throw toMemberProblem(
      "sessionId",
      "There is no such session, or it has expired or was used. Start again.",
    );
  }
  const progress = openProgress(deps.sealer, session);
  if (sendsState(redirect) && params["state"] !== progress.state) {
    throw toMemberProblem("callbackParams.state", "is not the one that was sent. Start again.");
  }
  const app = session.providerAppId
    ? await findProviderApp(deps.database.control, session.projectId, session.providerAppId)
    : undefined;
  const { projectId, groupRef, groupName, consumerRef, consumerName, providerMetadata } = session;
  const flow: Flow = {
    projectId,
    provider,
    app,
    groupRef,
    groupName: groupName ?? undefined,
    consumerRef,
    consumerName: consumerName ?? undefined,
    metadata: providerMetadata,
    credentials: progress.credentials,
    origin: session.origin ?? undefined,
    earlier: session,
  };
  const goOn = async () =>
    takeSteps(deps, { ...flow, ...readBack(flow, redirect, params) }, session.step + 1);
  return recordFailures(deps, flow, goOn, params);
}

function readBack(flow: Flow, redirect: Redirect, params: Record<string, string>): StepState {
  try {
    return addBrought(flow, readCallback(redirect, params));
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    throw new Problem("provider-refused", {
      detail: `${flow.provider.displayName} was not connected: ${error.message}. Begin again.`,
      cause: error,
    });
  }
}

const listOurValues = (deps: FlowServices, { app }: Flow): Record<string, string> => ({
  ...listAppValues(deps.sealer, app),
  callbackURL: `${deps.publicUrl()}${CUSTOM_AUTH_PATH}`,
});

/** Returns the address to open, and stores the session that waits for the callback. */
async function sendAway(
  deps: FlowServices,
  flow: Flow,
  redirect: Redirect,
  step: number,
): Promise<{ url: string; sessionId: string }> {
  const [sessionId, state, token] = [newSecret(), newSecret(), newSecret()];
  const url = buildAddress(deps, flow, redirect, state);
  const { projectId, groupRef, consumerRef } = flow;
  const key = { id: newId(), projectId };
  const progress: Progress = { state, url: url.href, credentials: flow.credentials };
  await insertCustomAuthSession(deps.database.control, {
    ...key,
    hash: hashSecret(sessionId),
    provider: flow.provider.name,
    providerAppId: flow.app?.id ?? null,
    groupRef,
    groupName: flow.groupName ?? null,
    consumerRef,
    consumerName: flow.consumerName ?? null,
    providerMetadata: flow.metadata,
    step,
    progressSealed: deps.sealer.seal(JSON.stringify(progress), toSealedPlace(key)),
    beginHash: hashSecret(token),
    flowId: flow.earlier?.flowId ?? key.id,
    browserHash: flow.earlier?.browserHash ?? null,
    origin: flow.origin ?? null,
    expireTime: new Date(nowMs() + SESSION_MS),
  });
  return { url: `${deps.publicUrl()}${CUSTOM_BEGIN_PATH}?consent=${token}`, sessionId };
}

function buildAddress(deps: FlowServices, flow: Flow, redirect: Redirect, state: string): URL {
  const values = { ...listStepValues(flow, listOurValues(deps, flow)), state };
  try {
    return fillStepUrl(flow.provider, redirect, values, { allowPlainHttp: deps.egress.allowsPlainHttp });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const name = error.placeholder ?? "provider";
    throw toMemberProblem(name, `${flow.provider.name} needs it for the next step: ${error.message}.`);
  }
}

async function connect(deps: FlowServices, flow: Flow): Promise<ConnectionRow> {
  const { provider, app, projectId, groupRef, groupName, consumerRef, consumerName } = flow;
  const { metadata, workspaceRef } = await withAccountInfo(deps, provider, flow.metadata, flow.credentials);
  requireAddress(provider, metadata, deps.egress.allowsPlainHttp);
  return saveConnection(deps, {
    projectId,
    provider: provider.name,
    providerAppId: app?.id,
    groupRef,
    groupName,
    consumerRef,
    consumerName,
    providerWorkspaceRef: metadata["workspace"]?.value ?? workspaceRef,
    providerMetadata: metadata,
    credentials: dropOneTimeValues(provider, flow.credentials),
  });
}

interface Progress {
  state: string;
  /** Address of the provider's page. */
  url: string;
  credentials: Extract<StoredCredentials, { scheme: "custom" }>;
}

export const openProgress = (sealer: Sealer, session: CustomAuthSession): Progress =>
  // Authenticated by the encryption: only `sendAway` can have written it.
  JSON.parse(sealer.open(session.progressSealed, toSealedPlace(session))) as Progress;

const toSealedPlace = placeIn("custom_auth_sessions", "progress_sealed");

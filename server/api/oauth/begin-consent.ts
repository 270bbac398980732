/** Starts an OAuth flow: stores a session and builds the URL of the provider's consent page. */
import { createHash } from "node:crypto";
import type { Catalog } from "../../../connectors/catalog.ts";
import {
  consentUrl,
  randomText,
  takesPkce,
  usesConsent,
} from "../../credentials/grants/authorization-code.ts";
import { openVerifier, sealVerifier } from "../../credentials/grants/code-verifier.ts";
import type { Egress } from "../../egress/open-egress.ts";
import { nowMs } from "../../ground/clock.ts";
import { Problem } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { ProviderMetadata } from "../../store/connections.ts";
import type { Database } from "../../store/database.ts";
import { insertOauthSession, takeOauthSession, type OauthSession } from "../../store/oauth-sessions.ts";
import { beginAddress } from "./browser-binding.ts";
import { usableProviderApp } from "./usable-provider-app.ts";

export interface ConsentServices {
  database: Database;
  catalog: Catalog;
  sealer: Sealer;
  egress: Egress;
  /** Origin of this Busbar for customers' browsers. */
  publicUrl: () => string;
}

export interface Consent {
  projectId: string;
  provider: string;
  providerAppId?: string | null;
  /** An existing connection to give new credentials. */
  connectionId?: string;
  groupRef: string;
  groupName?: string;
  consumerRef: string;
  consumerName?: string;
  providerWorkspaceRef?: string | null;
  providerMetadata: ProviderMetadata;
  /** Whether the flow must end in the browser that started it. */
  browserBound?: boolean;
}

/** Time for a person to sign in and agree. */
const SESSION_MS = 10 * 60_000;

export const CALLBACK_PATH = "/callbacks/v1/oauth";

/** Returns the URL of the consent page. Throws Problems that name what is missing. */
export async function beginConsent(deps: ConsentServices, consent: Consent): Promise<string> {
  const provider = deps.catalog.find(consent.provider);
  if (!provider) throw wrong("provider", `There is no provider \`${consent.provider}\`.`);
  if (!usesConsent(provider)) {
    throw wrong(
      "provider",
      `${provider.name} is not connected by a consent page. Use connections:generate with its credentials.`,
    );
  }
  const app = await usableProviderApp(deps.database, consent);
  const state = randomText();
  const codeVerifier = takesPkce(provider) ? randomText() : undefined;
  const redirectUri = `${deps.publicUrl()}${CALLBACK_PATH}`;
  const url = consentUrl({
    provider,
    providerMetadata: consent.providerMetadata,
    allowPlainHttp: deps.egress.allowsPlainHttp,
    clientId: app.clientId,
    scopes: app.scopes,
    authQueryParams: (app.metadata as { authQueryParams?: Record<string, string[]> } | null)?.authQueryParams,
    redirectUri,
    state,
    codeVerifier,
  });
  const session = { id: newId(), projectId: consent.projectId };
  await insertOauthSession(deps.database.queries, {
    ...session,
    stateHash: hashState(state),
    provider: provider.name,
    providerAppId: app.id,
    connectionId: consent.connectionId ?? null,
    groupRef: consent.groupRef,
    groupName: consent.groupName ?? null,
    consumerRef: consent.consumerRef,
    consumerName: consent.consumerName ?? null,
    providerWorkspaceRef: consent.providerWorkspaceRef ?? null,
    providerMetadata: consent.providerMetadata,
    redirectUri,
    codeVerifierSealed: codeVerifier ? sealVerifier(deps.sealer, session, codeVerifier) : null,
    browserBound: consent.browserBound ?? false,
    expireTime: new Date(nowMs() + SESSION_MS),
  });
  if (consent.browserBound) return beginAddress(deps.publicUrl(), deps.sealer, session, url.href);
  return url.href;
}

/** Takes the session of a state. A second call with the same state finds nothing. */
export async function endConsent(
  deps: { database: Database; sealer: Sealer },
  state: string,
): Promise<(OauthSession & { codeVerifier?: string }) | undefined> {
  const session = await takeOauthSession(deps.database.queries, hashState(state));
  return session && { ...session, codeVerifier: openVerifier(deps.sealer, session) };
}

const hashState = (state: string): Buffer => createHash("sha256").update(state).digest();

const wrong = (name: string, detail: string): Problem =>
  new Problem("invalid-request", { detail: `${name}: ${detail}`, issues: [{ in: "body", name, detail }] });

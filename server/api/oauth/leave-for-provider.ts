/** Sends a browser to the provider's consent page, with a state that only its callback can end. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { buildConsentUrl, takesPkce } from "../../credentials/grants/authorization-code.ts";
import { sealVerifier } from "../../credentials/grants/code-verifier.ts";
import type { Egress } from "../../egress/egress.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ProviderMetadata } from "../../store/connections/connections.ts";
import { noteDeparture, type ShownConsent } from "../../store/connections/consents.ts";
import type { Database } from "../../store/database/database.ts";
import { findProviderApp, type ProviderAppRow } from "../../store/connections/provider-apps.ts";
import { CONSENT_PATH } from "./browser-binding.ts";
import { hashSecret, newSecret } from "../../../ground/ids.ts";

interface Services {
  database: Database;
  catalog: Catalog;
  sealer: Sealer;
  egress: Egress;
  publicUrl: () => string;
}

/** Time to sign in at the provider and to agree. */
const PROVIDER_MS = 10 * 60_000;

/**
 * Returns the URL of the provider's page. Returns undefined when the consent belongs to another browser, has succeeded, or has
 * lost its provider or provider app.
 */
export async function leaveForProvider(
  deps: Services,
  consent: ShownConsent,
  browserHash: Buffer,
): Promise<URL | undefined> {
  const provider = deps.catalog.of(consent.projectId).find(consent.provider);
  const app = await findProviderApp(deps.database.control, consent.projectId, consent.providerAppId ?? "");
  if (!provider || !app) return undefined;
  const { url, state, redirectUri, codeVerifier } = buildConsentPage(deps, { ...consent, provider, app });
  const left = await noteDeparture(deps.database.control, {
    id: consent.id,
    browserHash,
    stateHash: hashSecret(state),
    redirectUri,
    codeVerifierSealed: codeVerifier ? sealVerifier(deps.sealer, consent, codeVerifier) : null,
    expireTime: new Date(nowMs() + PROVIDER_MS),
  });
  return left ? url : undefined;
}

/** Builds the URL of the provider's page with a new state. Throws a 400 Problem that names missing metadata. */
export function buildConsentPage(
  deps: Pick<Services, "egress" | "publicUrl">,
  {
    provider,
    app,
    providerMetadata,
  }: { provider: ProviderInfo; app: ProviderAppRow; providerMetadata: ProviderMetadata },
): { url: URL; state: string; redirectUri: string; codeVerifier?: string } {
  const state = newSecret();
  const codeVerifier = takesPkce(provider) ? newSecret() : undefined;
  const redirectUri = `${deps.publicUrl()}${CONSENT_PATH}`;
  const url = buildConsentUrl({
    provider,
    providerMetadata,
    allowPlainHttp: deps.egress.allowsPlainHttp,
    clientId: app.clientId,
    scopes: app.scopes,
    authQueryParams: (app.metadata as { authQueryParams?: Record<string, string[]> } | null)?.authQueryParams,
    redirectUri,
    state,
    codeVerifier,
  });
  return { url, state, redirectUri, codeVerifier };
}

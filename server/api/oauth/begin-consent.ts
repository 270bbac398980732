/** Begins a consent: stores it and returns the address of the page that the customer sees before the provider's. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { usesConsent } from "../../credentials/grants/authorization-code.ts";
import type { Egress } from "../../egress/egress.ts";
import { nowMs } from "../../../ground/clock.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { newId, hashSecret, newSecret } from "../../../ground/ids.ts";
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { ProviderMetadata } from "../../store/connections/connections.ts";
import { insertConsent } from "../../store/connections/consents.ts";
import type { Database } from "../../store/database/database.ts";
import { CONSENT_PATH } from "./browser-binding.ts";
import { buildConsentPage } from "./leave-for-provider.ts";
import { getUsableProviderApp } from "./get-usable-provider-app.ts";

export interface ConsentServices {
  database: Database;
  catalog: Catalog;
  sealer: Sealer;
  egress: Egress;
  log: Log;
  /** Origin of this Busbar for customers' browsers. */
  publicUrl: () => string;
}

interface WantedConsent {
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
}

/** Time to open the address and to continue. */
const CONSENT_MS = 10 * 60_000;

export const BEGIN_PATH = `${CONSENT_PATH}/begin`;

/** Returns the address to open. Throws Problems that name what is missing. */
export async function beginConsent(deps: ConsentServices, wanted: WantedConsent): Promise<string> {
  const provider = deps.catalog.of(wanted.projectId).find(wanted.provider);
  if (!provider) throw toMemberProblem("provider", `There is no provider \`${wanted.provider}\`.`);
  if (!usesConsent(provider)) {
    throw toMemberProblem(
      "provider",
      `${provider.name} is not connected by a consent page. Use connections:generate with its credentials.`,
    );
  }
  const app = await getUsableProviderApp(deps.database, wanted);
  // Refuses missing metadata now, while the builder's application can still ask for it.
  buildConsentPage(deps, { provider, app, providerMetadata: wanted.providerMetadata });
  const token = newSecret();
  await insertConsent(deps.database.control, {
    id: newId(),
    beginHash: hashSecret(token),
    projectId: wanted.projectId,
    provider: provider.name,
    providerAppId: app.id,
    connectionId: wanted.connectionId ?? null,
    groupRef: wanted.groupRef,
    groupName: wanted.groupName ?? null,
    consumerRef: wanted.consumerRef,
    consumerName: wanted.consumerName ?? null,
    providerWorkspaceRef: wanted.providerWorkspaceRef ?? null,
    providerMetadata: wanted.providerMetadata,
    expireTime: new Date(nowMs() + CONSENT_MS),
  });
  return `${deps.publicUrl()}${BEGIN_PATH}?consent=${token}`;
}

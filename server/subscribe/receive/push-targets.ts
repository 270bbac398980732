/** Finds what a pushed request is for, and the secrets that may have signed it; both stay in memory until they change. */
import { openProviderAppSecret } from "../../credentials/stored/provider-app-secret.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { Changes } from "../../store/database/changes.ts";
import type { Database } from "../../store/database/database.ts";
import { findInstallation } from "../../store/integrations/installations.ts";
import { findIntegration } from "../../store/integrations/integrations.ts";
import { findProject } from "../../store/access/projects.ts";
import { listProviderApps } from "../../store/connections/provider-apps.ts";
import { cacheUntilChanged } from "../../store/processes/row-cache.ts";

/** The address of a push: names or ids. */
export interface PushPlace {
  project: string;
  integration?: string;
  installation?: string;
  provider?: string;
}

export interface PushTarget {
  projectId: string;
  /** Integration in the address, if it names one. */
  integrationId: string | undefined;
  provider: string;
  /** The only installation that gets the events; null: all of the account. */
  installationId: string | null;
  /** Secrets of all of the project's provider apps for the provider. */
  secrets: string[];
}

export interface PushTargets {
  /** Returns undefined for an address that is not there. */
  find(place: PushPlace): Promise<PushTarget | undefined>;
}

/** Addresses that do not exist are remembered as well, so that guessing costs no queries. */
const MAX_ADDRESSES = 5_000;
const TABLES = ["projects", "integrations", "installations", "provider_apps"];

export function openPushTargets(deps: { database: Database; changes: Changes; sealer: Sealer }): PushTargets {
  const known = cacheUntilChanged<{ target: PushTarget | undefined }>(deps.changes, {
    max: MAX_ADDRESSES,
    tables: TABLES,
    listRowIds: ({ target }) =>
      target
        ? [target.projectId, target.integrationId, target.installationId, "provider_apps"].filter(isGiven)
        : TABLES,
  });
  return {
    async find(place) {
      const { project, integration, installation, provider } = place;
      const key = JSON.stringify([project, integration, installation, provider]);
      return (await known.get(key, async () => ({ target: await lookUp(deps, place) })))?.target;
    },
  };
}

const isGiven = (id: string | null | undefined): id is string => typeof id === "string";

async function lookUp(
  { database: { data }, sealer }: { database: Database; sealer: Sealer },
  { project, integration, installation, provider }: PushPlace,
): Promise<PushTarget | undefined> {
  const found = await findProject(data, project);
  if (!found) return undefined;
  const projectId = found.id;
  const parent = integration === undefined ? undefined : await findIntegration(data, projectId, integration);
  const name = integration === undefined ? provider : parent?.provider;
  if (name === undefined) return undefined;
  if (installation !== undefined) {
    const row = await findInstallation(data, projectId, installation);
    if (!row || row.integrationId !== parent?.id) return undefined;
  }
  const apps = (await listProviderApps(data, projectId)).filter((app) => app.provider === name);
  const secrets = apps.map((app) => openProviderAppSecret(sealer, app)).filter((secret) => secret !== "");
  return {
    projectId,
    integrationId: parent?.id,
    provider: name,
    installationId: installation ?? null,
    secrets,
  };
}

/** Changes an installation under a row lock, so that concurrent changes are both kept. */
import { buildInstallationUpdated } from "../../events/new-events.ts";
import { queueEvent } from "../../events/record-event.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { transactControl } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { getInstallationFields } from "../../store/deliveries/events.ts";
import {
  insertConfig,
  listInstallations,
  lockInstallation,
  touchInstallation,
} from "../../store/integrations/installations.ts";
import { showCreatedBy } from "../created-by.ts";
import { getIntegrationRow, type Integration } from "../integration.ts";
import type { AccountServices } from "./account-fields.ts";
import { checkAccount } from "./check-account.ts";
import { showChangedInstallation } from "./expect-destinations.ts";
import {
  getInstallationRow,
  withWarnings,
  type Installation,
  type InstallationWarning,
  type StoredInstallation,
} from "./installation.ts";
import { requireKnownDestinations } from "./known-destinations.ts";

export type ChangeServices = AccountServices;

/** The locked installation that a change is based on. */
export interface Situation {
  queries: ControlQueries;
  integration: Integration;
  installation: StoredInstallation;
}

export interface InstallationChange {
  connectionId?: string;
  /** Stored as a new configuration, of the latest revision. */
  config?: { content: ConfigContent; createdBy?: string };
}

interface Asked {
  projectId: string;
  integrationId: string;
  caller: Caller;
  operation: string;
  /** Whether the change is accepted without calling the provider. */
  skipSampling?: boolean;
}

type Find = (queries: ControlQueries, integration: Integration) => Promise<{ id: string }>;
type Decide = (situation: Situation) => Promise<InstallationChange>;

/** Returns the changed installation. `find` selects it; both callbacks throw Problems, and `decide` is called twice. */
export async function changeInstallation(
  deps: ChangeServices,
  asked: Asked,
  find: Find,
  decide: Decide,
): Promise<Installation> {
  const { projectId } = asked;
  const warnings = asked.skipSampling ? [] : await checkChange(deps, asked, find, decide);
  const changed = await transactControl(deps.database, async (queries) => {
    const named = await getIntegrationRow(queries, projectId, asked.integrationId);
    const { id } = await find(queries, named);
    await lockInstallation(queries, projectId, id);
    // Read again: the previous holder of the lock may have changed it, and a revision may have been deployed.
    const integration = await getIntegrationRow(queries, projectId, named.id);
    const known = await getInstallationRow(queries, projectId, integration.id, id);
    const situation = { queries, integration, installation: known };
    const change = await decide(situation);
    if (change.config) {
      const contents = { before: known.config.content, after: change.config.content };
      await requireKnownDestinations(queries, integration, contents);
    }
    const createdBy = showCreatedBy(asked.caller, change.config?.createdBy, asked.operation);
    await saveChange(situation, change, createdBy);
    return getInstallationRow(queries, projectId, integration.id, id);
  });
  return withWarnings(await showChangedInstallation(deps, changed), warnings);
}

/** Checks the change against the account before the installation is locked, because the provider is called. */
async function checkChange(
  deps: ChangeServices,
  asked: Asked,
  find: Find,
  decide: Decide,
): Promise<InstallationWarning[]> {
  const { control } = deps.database;
  const integration = await getIntegrationRow(control, asked.projectId, asked.integrationId);
  const { id } = await find(control, integration);
  const installation = await getInstallationRow(control, asked.projectId, integration.id, id);
  const { config, connectionId = installation.connectionId } = await decide({
    queries: control,
    integration,
    installation,
  });
  const { content } = installation.config;
  const before = connectionId === installation.connectionId ? content : undefined;
  return checkAccount(deps, integration, { connectionId, before, after: config?.content ?? content });
}

/** Stores the change of a locked installation, and its event. */
async function saveChange(
  { queries, integration, installation }: Situation,
  { connectionId, config }: InstallationChange,
  createdBy: string,
): Promise<void> {
  if (!config && !connectionId) return;
  const { id, projectId } = installation;
  if (config) {
    const revisionId = integration.latestRevision.id;
    await insertConfig(queries, { projectId, installationId: id, revisionId, ...config, createdBy });
  }
  await touchInstallation(queries, projectId, id, { connectionId });
  const last = installation.config.content;
  const fields = await getInstallationFields(queries, id);
  await queueEvent(queries, buildInstallationUpdated(fields, config?.content ?? last, last));
}

/** Removes objects that the latest revision no longer reads from every installation's configuration. */
export async function stopReadingWhatIsGone(
  queries: ControlQueries,
  { projectId, id: integrationId }: Integration,
  createdBy: string,
): Promise<void> {
  for (const { id } of await listInstallations(queries, projectId, { integrationId })) {
    await lockInstallation(queries, projectId, id);
    const integration = await getIntegrationRow(queries, projectId, integrationId);
    const installation = await getInstallationRow(queries, projectId, integrationId, id);
    const content = withoutGone(installation.config.content, integration);
    if (content) await saveChange({ queries, integration, installation }, { config: { content } }, createdBy);
  }
}

/** Returns undefined if the manifest still has every object that is read. */
function withoutGone(content: ConfigContent, { latestRevision }: Integration): ConfigContent | undefined {
  const declared = new Set(latestRevision.content.read?.objects?.map(({ objectName }) => objectName));
  const configured = Object.entries(content.read?.objects ?? {});
  const kept = configured.filter(([, { objectName }]) => declared.has(objectName));
  if (kept.length === configured.length) return undefined;
  return { ...content, read: { ...content.read, objects: Object.fromEntries(kept) } };
}

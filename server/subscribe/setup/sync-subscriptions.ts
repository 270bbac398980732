/** Brings the subscriptions of installations in line with configuration, manifest, connection and provider app. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { Log } from "../../../ground/log.ts";
import { newId } from "../../../ground/ids.ts";
import { startRounds, type Rounds } from "../../jobs/rounds.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import type { ReadDefinition } from "../../read/definition/read-definition.ts";
import { readFirstStep } from "../../read/definition/read-set.ts";
import { readSources } from "../../read/definition/read-sources.ts";
import type { Changes } from "../../store/database/changes.ts";
import { findConnection } from "../../store/connections/connections.ts";
import { type Database, transactData } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { findInstallation } from "../../store/integrations/installations.ts";
import { findIntegration } from "../../store/integrations/integrations.ts";
import { listProviderApps } from "../../store/connections/provider-apps.ts";
import { takeSyncs } from "../../store/integrations/installation-syncs.ts";
import { syncSubscriptions, type WantedSubscription } from "../../store/subscriptions/subscriptions.ts";
import { chooseSource, listSources } from "./choose-source.ts";
import { buildJournalFilter } from "../definition/journal-filter.ts";
import { subscribeDefinitions, wantsEvents } from "../definition/subscribe-definition.ts";
import { findSubscribingConnector } from "../definition/subscription-target.ts";
import { listWatchNames } from "../definition/watched-fields.ts";

interface SubscriptionSyncServices {
  database: Database;
  catalog: Catalog;
  publicUrl: () => string;
}

const MAX_CONCURRENT = 20;
/** Finds installations that were queued while nobody listened, or by a process that died before it could tell. */
const LOOK_EVERY_MS = 3_000;

/** Processes installations as soon as they are queued; calls `onDue` when subscriptions are to be set up. */
export function startSyncingSubscriptions(
  deps: SubscriptionSyncServices & { changes: Changes; log: Log; onDue(): void },
): Rounds {
  const rounds = startRounds({
    what: "bring subscriptions in line",
    log: deps.log,
    everyMs: LOOK_EVERY_MS,
    async round() {
      const taken = await syncQueuedSubscriptions(deps);
      if (taken > 0) deps.onDue();
      return taken === MAX_CONCURRENT;
    },
  });
  deps.changes.subscribe((change) => {
    if (!change || change.table === "subscription_syncs") rounds.wake();
  });
  return rounds;
}

/** Processes queued installations; returns how many. */
const syncQueuedSubscriptions = (deps: SubscriptionSyncServices): Promise<number> =>
  transactData(deps.database, async (queries) => {
    const syncs = await takeSyncs(queries, "subscription_syncs", MAX_CONCURRENT);
    for (const sync of syncs) {
      const wanted = await listWantedSubscriptions(deps, queries, sync);
      await syncSubscriptions(
        queries,
        sync,
        wanted.map((one) => ({ ...one, id: newId() })),
      );
    }
    return syncs.length;
  });

async function listWantedSubscriptions(
  deps: SubscriptionSyncServices,
  queries: DataQueries,
  { projectId, installationId }: { projectId: string; installationId: string },
): Promise<WantedSubscription[]> {
  const installation = await findInstallation<ConfigContent>(queries, projectId, installationId);
  const integration =
    installation &&
    (await findIntegration<ManifestIntegration>(queries, projectId, installation.integrationId));
  const connection = installation && (await findConnection(queries, projectId, installation.connectionId));
  if (!installation || !integration || !connection) return [];
  const { content } = installation.config;
  const { provider } = integration;
  const connector = findSubscribingConnector(deps.catalog, provider);
  if (!connector) return [];
  const definitions = subscribeDefinitions(await readSources(queries, integration, content));
  if (definitions.length === 0) return [];
  const apps = (await listProviderApps(queries, projectId)).filter((app) => app.provider === provider);
  const info = deps.catalog.of(projectId).find(provider);
  const { source } = chooseSource(apps, {
    ...listSources(connector, info),
    publicUrl: deps.publicUrl(),
    provider,
  });
  const { workspaceField } = info?.accountInfo ?? {};
  const known = workspaceField === undefined ? undefined : connection.providerMetadata[workspaceField]?.value;
  const watchNames = listWatchNames(connector);
  // Connections with tokens from elsewhere have no app of their own.
  const own = apps.find(({ id }) => id === connection.providerAppId) ?? apps[0];
  const app = source === "journal" ? own : undefined;
  return definitions.map((definition) => ({
    objectName: definition.objectName,
    provider,
    accountRef: known ?? connection.providerWorkspaceRef,
    objectKey: connector.subscribe.objectKey(definition.objectName) ?? null,
    source,
    isDisabled: !wantsEvents(definition),
    destination: definition.destination,
    fields: listReadFields(definition.read),
    journal: app && {
      appId: app.id,
      filter: buildJournalFilter(definition, { clientId: app.clientId, watchNames }),
    },
  }));
}

/** Lists the fields that are read, with the first steps of their paths: a missing field is reported by that name. */
function listReadFields(read: ReadDefinition | undefined): string[] | undefined {
  if (read?.fields.all) return undefined;
  const names = read ? [...read.fields.required, ...read.fields.selected, ...read.mappings.values()] : [];
  return [...names, ...names.map(readFirstStep)];
}

/** Describes the subscriptions of an installation: what is subscribed to, how, and how it goes. */
import type { Catalog } from "../../connectors/catalog.ts";
import type { ConfigContent } from "../manifest/installation-config.ts";
import type { ManifestIntegration } from "../manifest/manifest.ts";
import { readSources } from "../read/read-sources.ts";
import type { Database } from "../store/database.ts";
import type { InstallationRow } from "../store/installations.ts";
import type { IntegrationRow } from "../store/integrations.ts";
import {
  listSubscriptions,
  type SubscriptionRow,
  type SubscriptionSource,
  type SubscriptionState,
} from "../store/subscriptions.ts";
import { subscribeDefinitions, wantsEvents, type SubscribeDefinition } from "./subscribe-definition.ts";
import { subscribingConnector } from "./subscription-target.ts";
import { watchedFields } from "./watched-fields.ts";

export interface DescribedSubscription {
  objectName: string;
  source: SubscriptionSource;
  state: SubscriptionState;
  reason?: string;
  events: SubscribeDefinition["events"];
  watchFields: "all" | string[];
  counts: Pick<SubscriptionRow, "received" | "delivered" | "filtered" | "duplicates">;
  lastEventTime?: Date;
  warnings: string[];
}

/** Returns an item for each object that the manifest or the configuration subscribes to. */
export async function describeSubscriptions(
  deps: { database: Database; catalog: Catalog },
  integration: IntegrationRow<ManifestIntegration>,
  installation: InstallationRow<ConfigContent>,
): Promise<DescribedSubscription[]> {
  const { queries } = deps.database;
  const { content } = installation.config;
  const definitions = subscribeDefinitions(await readSources(queries, integration, content));
  const rows = await listSubscriptions(queries, installation.projectId, installation.id);
  const connector = subscribingConnector(deps.catalog, integration.provider);
  const fieldKey = connector?.read.fieldKey ?? ((name: string) => name);
  return definitions.map((definition) => {
    const row = rows.find(({ objectName }) => objectName === definition.objectName);
    const { names, unmapped } = watchedFields(definition, fieldKey);
    const unbuilt = connector ? undefined : `Subscribing to ${integration.provider} is not built yet.`;
    return {
      objectName: definition.objectName,
      source: row?.source ?? (connector?.subscribe.push ? "webhook" : "polling"),
      ...stateOf(definition, row, unbuilt),
      events: definition.events,
      watchFields: names ?? "all",
      counts: {
        received: row?.received ?? 0,
        delivered: row?.delivered ?? 0,
        filtered: row?.filtered ?? 0,
        duplicates: row?.duplicates ?? 0,
      },
      ...(row?.lastEventTime && { lastEventTime: row.lastEventTime }),
      warnings: [
        ...definition.warnings,
        ...unmapped.map((name) => `The customer has mapped no field to \`${name}\`: it watches nothing.`),
      ],
    };
  });
}

function stateOf(
  definition: SubscribeDefinition,
  row: SubscriptionRow | undefined,
  unbuilt: string | undefined,
): Pick<DescribedSubscription, "state" | "reason"> {
  if (!wantsEvents(definition)) return { state: "disabled" };
  if (unbuilt !== undefined) return { state: "failed", reason: unbuilt };
  // The row follows the configuration a moment later.
  if (!row || row.state === "disabled") return { state: "pending" };
  return { state: row.state, ...(row.reason !== null && { reason: row.reason }) };
}

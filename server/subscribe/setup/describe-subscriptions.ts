/** Describes the subscriptions of an installation: what is subscribed to, how, and how it goes. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import { readSources } from "../../read/definition/read-sources.ts";
import type { Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { type EventStreamRow, findEventStream } from "../../store/subscriptions/event-streams.ts";
import type { InstallationRow } from "../../store/integrations/installations.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import {
  listSubscriptions,
  type SubscriptionRow,
  type SubscriptionSource,
  type SubscriptionState,
} from "../../store/subscriptions/subscriptions.ts";
import { listProviderApps } from "../../store/connections/provider-apps.ts";
import { chooseSource, listSources } from "./choose-source.ts";
import { explainSilence } from "./explain-silence.ts";
import {
  type SubscribeDefinition,
  subscribeDefinitions,
  type WantedEvents,
  wantsEvents,
} from "../definition/subscribe-definition.ts";
import { findSubscribingConnector } from "../definition/subscription-target.ts";
import { listWatchNames, resolveWatchedFields } from "../definition/watched-fields.ts";
import type { SubscribeConnector } from "../../../connector-kit/subscribe-connector.ts";

export interface DescribedSubscription {
  objectName: string;
  source: SubscriptionSource;
  state: SubscriptionState;
  reason?: string;
  events: SubscribeDefinition["events"];
  watchFields: "all" | string[];
  counts: Pick<SubscriptionRow, "received" | "delivered" | "filtered" | "duplicates">;
  lastEventTime?: Date;
  /** Set for a polled subscription: changes until this time are known. */
  polledUntil?: Date;
  reconciliation?: DescribedReconciliation;
  warnings: string[];
}

/** Times as ISO texts. */
interface DescribedReconciliation {
  state: "waiting" | "running" | "succeeded" | "failed";
  since: string;
  until?: string;
  reason: string;
  found: number;
  error?: string;
  endTime?: string;
}

/** Returns an item for each object that the manifest or the configuration subscribes to. */
export async function describeSubscriptions(
  deps: { database: Database; catalog: Catalog; publicUrl: () => string },
  integration: IntegrationRow<ManifestIntegration>,
  installation: InstallationRow<ConfigContent>,
): Promise<DescribedSubscription[]> {
  const { data } = deps.database;
  const { content } = installation.config;
  const definitions = subscribeDefinitions(await readSources(data, integration, content));
  const rows = await listSubscriptions(data, installation.projectId, installation.id);
  const connector = findSubscribingConnector(deps.catalog, integration.provider);
  const apps = (await listProviderApps(data, installation.projectId)).filter(
    ({ provider }) => provider === integration.provider,
  );
  const chosen = chooseSource(apps, {
    ...listSources(connector ?? {}, deps.catalog.find(integration.provider)),
    publicUrl: deps.publicUrl(),
    provider: integration.provider,
  });
  const pollingReason = chosen.otherwise ? FELL_BACK : chosen.reason;
  const streams = await listStreams(data, installation.connectionId, rows);
  const watchNames = listWatchNames(connector);
  return definitions.map((definition) => {
    const row = rows.find(({ objectName }) => objectName === definition.objectName);
    const { names, unmapped, misspelt } = resolveWatchedFields(definition, watchNames);
    const streamId = row?.source === "journal" ? row.journalAppId : installation.connectionId;
    const stream = streams.find(({ id }) => id === streamId);
    const unbuilt = connector ? undefined : `Subscribing to ${integration.provider} is not built yet.`;
    const source = row?.source ?? chosen.source;
    const { provider } = integration;
    return {
      objectName: definition.objectName,
      source,
      ...describeState(definition, row, { unbuilt, pollingReason, stream }),
      events: definition.events,
      watchFields: names ?? "all",
      counts: {
        received: row?.received ?? 0,
        delivered: row?.delivered ?? 0,
        filtered: row?.filtered ?? 0,
        duplicates: row?.duplicates ?? 0,
      },
      ...(row?.lastEventTime && { lastEventTime: row.lastEventTime }),
      ...(row?.polledUntil && row.pollTime && { polledUntil: row.polledUntil }),
      ...(row && describeReconciliation(row)),
      warnings: [
        ...definition.warnings,
        ...(row?.warnings ?? []),
        ...(connector ? findEventWarnings(definition.events, connector.subscribe, { provider, source }) : []),
        ...unmapped.map((name) => `The customer has mapped no field to \`${name}\`: it watches nothing.`),
        ...misspelt.map((name) => {
          const written = watchNames.fieldKey(name);
          return `\`${name}\` watches nothing: ${provider} has no such spelling. Write \`${written}\`.`;
        }),
      ],
    };
  });
}

/** Lists the stream of the connection, and the journals of its subscriptions. */
async function listStreams(
  queries: DataQueries,
  connectionId: string,
  rows: readonly SubscriptionRow[],
): Promise<EventStreamRow[]> {
  const ids = new Set([connectionId, ...rows.flatMap(({ journalAppId }) => journalAppId ?? [])]);
  const found = await Promise.all([...ids].map((id) => findEventStream(queries, id)));
  return found.filter((stream) => stream !== undefined);
}

/** Shown where the cause is not known any more: a later failure has replaced it. */
const FELL_BACK =
  "The provider's stream or journal could not be set up, so changes are found by reading, later than there. " +
  "It is tried again every 15 minutes.";

function describeState(
  definition: SubscribeDefinition,
  row: SubscriptionRow | undefined,
  {
    unbuilt,
    pollingReason,
    stream,
  }: {
    unbuilt: string | undefined;
    pollingReason: string | undefined;
    stream: EventStreamRow | undefined;
  },
): Pick<DescribedSubscription, "state" | "reason"> {
  if (!wantsEvents(definition)) return { state: "disabled" };
  if (unbuilt !== undefined) return { state: "failed", reason: unbuilt };
  // The row follows the configuration a moment later.
  if (!row || row.state === "disabled") return { state: "pending" };
  const isStreamed = row.source === "pubsub" || row.source === "journal";
  const isBroken = isStreamed && stream !== undefined && stream.state !== "open";
  if (row.state === "active" && isBroken && stream.reason !== null) {
    return { state: "degraded", reason: stream.reason };
  }
  const reason = row.reason ?? (row.source === "polling" ? pollingReason : explainSilence(row));
  return { state: row.state, ...(reason !== undefined && { reason }) };
}

/** Returns the reconciliation that waits or is under way, otherwise the last one. */
function describeReconciliation({
  scan,
  reconcileSince,
  reconcileReason,
  reconciled,
}: SubscriptionRow): Pick<DescribedSubscription, "reconciliation"> {
  if (scan?.kind === "reconciliation") {
    const { since, reason, found } = scan;
    return { reconciliation: { state: "running", since, reason: reason ?? "", found } };
  }
  if (reconcileSince) {
    const since = reconcileSince.toISOString();
    return { reconciliation: { state: "waiting", since, reason: reconcileReason ?? "", found: 0 } };
  }
  if (!reconciled) return {};
  const state = reconciled.error === undefined ? "succeeded" : "failed";
  return { reconciliation: { state, ...reconciled } };
}

/** Returns warnings for the status of a subscription: without them a builder waits for events that never come. */
export function findEventWarnings(
  { associationChange, other }: Pick<WantedEvents, "associationChange" | "other">,
  { reportsAssociations }: Pick<SubscribeConnector, "reportsAssociations">,
  { provider, source }: { provider: string; source: SubscriptionSource },
): string[] {
  const warnings: string[] = [];
  if (associationChange && !reportsAssociations) {
    const remedy = "Watch the field that refers to the other record in `updateEvent`.";
    warnings.push(`\`associationChangeEvent\` has no effect: ${provider} does not report it. ${remedy}`);
  }
  if (source !== "polling") return warnings;
  const lost = [
    ...(associationChange && reportsAssociations ? ["`associationChangeEvent`"] : []),
    ...(other.length > 0 ? ["`otherEvents`"] : []),
  ];
  if (lost.length > 0) {
    const verb = lost.length === 1 ? "has" : "have";
    warnings.push(`${lost.join(" and ")} ${verb} no effect: polling finds only changed and deleted records.`);
  }
  return warnings;
}

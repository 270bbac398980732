/** Tells which destinations of a changed installation are missing, before a worker has brought in line what is read and subscribed. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { readDefinitions } from "../../read/definition/read-definition.ts";
import { readSources } from "../../read/definition/read-sources.ts";
import type { Database } from "../../store/database/database.ts";
import { findDestination } from "../../store/deliveries/destinations.ts";
import { DESTINATION_DETAILS } from "../../store/integrations/installation-health.ts";
import { listReadObjects } from "../../store/reads/read-objects.ts";
import { subscribeDefinitions, wantsEvents } from "../../subscribe/definition/subscribe-definition.ts";
import { findSubscribingConnector } from "../../subscribe/definition/subscription-target.ts";
import { getIntegrationRow, type Integration } from "../integration.ts";
import { showInstallation, type Installation, type StoredInstallation } from "./installation.ts";

interface ExpectServices {
  database: Pick<Database, "control" | "data" | "shards">;
  catalog: Catalog;
}

/** Returns the installation as it will be in a moment: what goes to no destination makes it unhealthy since its new configuration. */
export async function showChangedInstallation(
  deps: ExpectServices,
  row: StoredInstallation,
): Promise<Installation> {
  const { control } = deps.database;
  const shown = await showInstallation(deps.database, row);
  const integration = await getIntegrationRow(control, row.projectId, row.integrationId);
  const missing = new Set<string>();
  for (const name of await listNamedDestinations(deps, integration, row))
    if (!(await findDestination(control, row.projectId, name))) missing.add(name);
  const kept = shown.healthReasons.filter(
    ({ type, name, detail }) =>
      type !== "destination" || detail !== DESTINATION_DETAILS.missing || missing.delete(name),
  );
  const since = row.config.createTime.toISOString();
  const added = [...missing].map((name) => ({
    type: "destination" as const,
    name,
    detail: DESTINATION_DETAILS.missing,
    since,
  }));
  return withReasons(shown, [...kept, ...added]);
}

/** Without a reason, an installation whose shard is away is not healthy: nobody knows. */
const withReasons = (shown: Installation, healthReasons: Installation["healthReasons"]): Installation => ({
  ...shown,
  healthStatus:
    healthReasons.length > 0 ? "unhealthy" : shown.healthStatus === "unknown" ? "unknown" : "healthy",
  healthReasons,
});

/** Lists the destinations of all objects that are to be read or subscribed to. */
async function listNamedDestinations(
  { database, catalog }: ExpectServices,
  integration: Integration,
  { id, projectId, config }: StoredInstallation,
): Promise<Set<string>> {
  const { data } = database;
  const { provider } = integration;
  const content: ConfigContent = config.content;
  const running = (await listReadObjects(data, projectId, id)).map(({ objectName }) => objectName);
  const sources = await readSources(data, integration, content, running);
  const isReadable = catalog.of(projectId).connector(provider)?.read !== undefined;
  const read = isReadable ? readDefinitions(sources).filter(({ disabled }) => !disabled) : [];
  const subscribed = findSubscribingConnector(catalog, provider)
    ? subscribeDefinitions(sources).filter(wantsEvents)
    : [];
  return new Set([...read, ...subscribed].map(({ destination }) => destination));
}

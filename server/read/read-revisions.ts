/** Finds the manifests that define what an installation reads. */
import type { ConfigContent } from "../manifest/installation-config.ts";
import type { ManifestIntegration } from "../manifest/manifest.ts";
import type { Queries } from "../store/database.ts";
import type { IntegrationRow } from "../store/integrations.ts";
import { listRevisionContents } from "../store/revisions.ts";

/**
 * Returns the integration's manifests, newest first. Older ones are read only when the configuration has an object that the
 * newest one lacks.
 */
export async function revisionsFor(
  queries: Queries,
  {
    projectId,
    id,
    latestRevision,
  }: Pick<IntegrationRow<ManifestIntegration>, "projectId" | "id" | "latestRevision">,
  config: ConfigContent,
): Promise<ManifestIntegration[]> {
  const known = new Set(latestRevision.content.read?.objects?.map(({ objectName }) => objectName));
  const configured = Object.entries(config.read?.objects ?? {});
  if (configured.every(([key, { objectName }]) => known.has(objectName || key)))
    return [latestRevision.content];
  const older = await listRevisionContents<ManifestIntegration>(queries, projectId, id);
  return [latestRevision.content, ...older];
}

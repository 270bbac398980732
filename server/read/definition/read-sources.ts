/** Finds the manifests that define what an installation reads. */
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { listKeptRevisions } from "../../store/integrations/revisions.ts";
import type { ReadSources } from "./read-definition.ts";

type Integration = Pick<IntegrationRow<ManifestIntegration>, "projectId" | "id" | "latestRevision">;

/**
 * Returns what the objects of an installation are resolved from. Older manifests are read only when the newest one lacks an
 * object that the configuration lists or that is `running`.
 */
export async function readSources(
  queries: SharedQueries,
  { projectId, id, latestRevision }: Integration,
  config: ConfigContent,
  running: Iterable<string> = [],
): Promise<Required<ReadSources>> {
  const known = new Set(latestRevision.content.read?.objects?.map(({ objectName }) => objectName));
  const configured = Object.entries(config.read?.objects ?? {}).map(
    ([key, { objectName }]) => objectName || key,
  );
  const sources = { config, running: new Set(running) };
  if ([...configured, ...sources.running].every((name) => known.has(name)))
    return { ...sources, revisions: [latestRevision.content] };
  return { ...sources, revisions: await listKeptRevisions<ManifestIntegration>(queries, projectId, id) };
}

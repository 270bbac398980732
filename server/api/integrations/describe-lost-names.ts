/** Finds the names that installations can no longer write to after a deployment. */
import { Problem } from "../../../ground/errors.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { listLostNames, mayLoseNames } from "../../../manifest/written-names.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import { listInstallations } from "../../store/integrations/installations.ts";
import type { Integration } from "../integration.ts";

/** Returns a sentence per lost name, with the number of installations that could write to it. */
export async function describeLostNames(
  queries: SharedQueries,
  before: Integration | undefined,
  after: Integration,
): Promise<string[]> {
  const [old, next] = [before?.latestRevision.content, after.latestRevision.content];
  if (!old || !mayLoseNames(old, next)) return [];
  const filter = { integrationId: after.id };
  const counts = new Map<string, number>();
  for (const { config } of await listInstallations<ConfigContent>(queries, after.projectId, filter)) {
    for (const name of listLostNames(old, next, config.content))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(
    ([name, count]) => `${name} (${count} ${count === 1 ? "installation" : "installations"})`,
  );
}

/** Throws a 409 Problem that names what is lost; the transaction of the deployment must then be rolled back. */
export function refuseLostNames(integration: Integration, lost: string[]): void {
  if (lost.length === 0) return;
  throw new Problem("names-in-use", {
    detail: `\`${integration.name}\`: ${lost.join("; ")}. Nothing was deployed.`,
    issues: lost.map((detail) => ({ in: "body", name: integration.name, detail, remedy: REMEDY })),
  });
}

export const REMEDY =
  "Keep the name, or change the code that writes first and deploy with `destructive=true` then.";

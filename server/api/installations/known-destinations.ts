/** Refuses a configuration that sends the changes of an object to a destination that does not exist. */
import { Problem, type Issue } from "../../ground/errors.ts";
import { formatName } from "../../manifest/config-issue.ts";
import type { ConfigContent } from "../../manifest/installation-config.ts";
import type { Queries } from "../../store/database.ts";
import { findDestination } from "../../store/destinations.ts";
import type { Integration } from "../integration.ts";

/**
 * Throws a 422 Problem with one issue for each object of `subscribe`. Accepts what `before` has already, because the destination
 * may have been deleted since, and the manifest's own destination, which may be created later.
 */
export async function requireKnownDestinations(
  queries: Queries,
  { projectId, latestRevision }: Integration,
  { before, after }: { before?: ConfigContent; after: ConfigContent },
): Promise<void> {
  const declared = latestRevision.content.subscribe?.objects ?? [];
  const issues: Issue[] = [];
  for (const [key, { objectName, destination }] of Object.entries(after.subscribe?.objects ?? {})) {
    const known = [
      before?.subscribe?.objects?.[key]?.destination,
      declared.find((object) => object.objectName === objectName)?.destination,
    ];
    if (known.includes(destination) || (await findDestination(queries, projectId, destination))) continue;
    issues.push({
      in: "body",
      name: formatName(["subscribe", "objects", key, "destination"]),
      detail: `The project has no destination \`${destination}\`.`,
      remedy: "Create it first, or leave the member out: then the manifest's destination is used.",
      value: destination,
    });
  }
  const [first] = issues;
  if (!first) return;
  throw new Problem("invalid-config", { detail: `${first.name}: ${first.detail} ${first.remedy}`, issues });
}

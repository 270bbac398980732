/** Refuses a configuration that sends the records or changes of an object to a destination that does not exist. */
import { Problem, type Issue } from "../../../ground/errors.ts";
import { formatName } from "../../../manifest/config-issue.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { suggestDestination } from "../../deliver/destinations/suggest-destination.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { findDestination } from "../../store/deliveries/destinations.ts";
import type { Integration } from "../integration.ts";

const OTHERWISE = "Create it first, or leave the member out: then the manifest's destination is used.";

/**
 * Throws a 422 Problem with one issue for each object of `read` and `subscribe`. Accepts what `before` has already, because the
 * destination may have been deleted since, and the manifest's own destination, which may be created later.
 */
export async function requireKnownDestinations(
  queries: ControlQueries,
  { projectId, latestRevision }: Integration,
  { before, after }: { before?: ConfigContent; after: ConfigContent },
): Promise<void> {
  const issues: Issue[] = [];
  for (const action of ["read", "subscribe"] as const) {
    const declared = latestRevision.content[action]?.objects ?? [];
    for (const [key, { objectName, destination }] of Object.entries(after[action]?.objects ?? {})) {
      const known = [
        before?.[action]?.objects?.[key]?.destination,
        declared.find((object) => object.objectName === objectName)?.destination,
      ];
      // A read object without one is sent where the manifest says when it is read.
      if (action === "read" && !destination) continue;
      if (known.includes(destination)) continue;
      if (destination && (await findDestination(queries, projectId, destination))) continue;
      issues.push({
        in: "body",
        name: formatName([action, "objects", key, "destination"]),
        detail: `The project has no destination \`${destination}\`.`,
        remedy: await suggestDestination(queries, projectId, destination ?? "", OTHERWISE),
        value: destination,
      });
    }
  }
  const [first] = issues;
  if (!first) return;
  throw new Problem("invalid-config", { detail: `${first.name}: ${first.detail} ${first.remedy}`, issues });
}

/** Refuses to delete or rename a destination while something sends to it: messages would be lost without notice. */
import { Problem } from "../../../ground/errors.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import { listDestinationUses, type DestinationUse } from "../../store/integrations/destination-uses.ts";
import type { DestinationRow } from "../../store/deliveries/destinations.ts";

/** Throws a 409 Problem with an issue for each integration. The caller holds the row's lock. */
export async function refuseInUse(
  queries: SharedQueries,
  { projectId, name }: Pick<DestinationRow, "projectId" | "name">,
): Promise<void> {
  const uses = await listDestinationUses(queries, projectId, name);
  if (uses.length === 0) return;
  throw new Problem("names-in-use", {
    detail: `\`${name}\` is sent to by ${uses.map(describeUse).join("; ")}. Nothing was changed.`,
    remedy: REMEDY,
    issues: uses.map((use) => ({
      in: "path",
      name: "destination",
      detail: `${describeUse(use)} sends to \`${name}\`.`,
      remedy: REMEDY,
      value: use.integrationName,
    })),
  });
}

const REMEDY =
  "Deploy the manifest with another destination, and change the configurations of customers that name this one, or uninstall them.";

function describeUse({ integrationName, isDeclared, installationCount }: DestinationUse): string {
  const installations = `${installationCount} ${installationCount === 1 ? "installation" : "installations"}`;
  const users = [...(isDeclared ? ["manifest"] : []), ...(installationCount > 0 ? [installations] : [])];
  return `the integration \`${integrationName}\` (${users.join(", ")})`;
}

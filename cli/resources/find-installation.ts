/** Finds the installation that options name: by its id, or by integration and customer. */
import { Failure, UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { requireObjects, requireText, getTextAt, type JsonObject } from "../http/json.ts";
import type { Connected } from "../settings/connect.ts";
import type { Filters } from "./resource.ts";
import { listUnknownNames } from "./unknown-names.ts";

/** Returns the path below the project. */
export const buildInstallationPath = (integrationId: string, id: string): string =>
  `/integrations/${encodeStep(integrationId)}/installations/${encodeStep(id)}`;

/** Returns its path below the project. Throws if there is none, or if the options are incomplete. */
export async function findInstallation(deps: Connected, filters: Filters): Promise<string> {
  const { installation, integration, group } = filters;
  if (installation && integration) return buildInstallationPath(integration, installation);
  if (installation) {
    const all = requireObjects(await deps.inProject("GET", "/installations"));
    const found = all.find((one) => getTextAt(one, "id") === installation);
    if (found) return buildPath(found);
    throw new Failure(`There is no installation \`${installation}\` in this project.`);
  }
  if (!integration || !group) {
    throw new UsageFailure("Name the installation: give --installation, or --integration and --group.");
  }
  const query = { groupRef: group };
  const path = `/integrations/${encodeStep(integration)}/installations`;
  const [found] = requireObjects(await deps.inProject("GET", path, { query }));
  if (found) return buildPath(found);
  const [unknown] = await listUnknownNames(deps, { group, integration });
  throw new Failure(unknown ?? `The customer \`${group}\` has no installation of \`${integration}\`.`);
}

const buildPath = (installation: JsonObject): string =>
  buildInstallationPath(requireText(installation, "integrationId"), requireText(installation, "id"));

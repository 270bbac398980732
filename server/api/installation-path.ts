/** Looks up the path of lists below an installation that outlive it, for example its operations. */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";
import type { SharedQueries } from "../store/database/sides.ts";
import { findInstallation } from "../store/integrations/installations.ts";
import { findIntegration } from "../store/integrations/integrations.ts";
import { InstallationId, IntegrationIdOrName } from "./members.ts";
import { describeMissingIntegration } from "../operations/missing-integration.ts";

export const InstallationPath = Type.Object({
  integrationId: IntegrationIdOrName,
  installationId: InstallationId,
});

/**
 * Requires that the installation exists in the integration. One that was deleted passes while `hasEntries` finds what it
 * left behind; its integration, if it is deleted as well, must then be named by its id. Throws a 404 Problem.
 */
export async function requireInstallation(
  queries: SharedQueries,
  projectId: string,
  path: Static<typeof InstallationPath>,
  hasEntries: (place: { installationId: string; integrationId: string }) => Promise<boolean>,
): Promise<string> {
  const { installationId } = path;
  const known = await findIntegration(queries, projectId, path.integrationId);
  const integrationId = known?.id ?? (isUuid(path.integrationId) ? path.integrationId : undefined);
  if (integrationId && isUuid(installationId)) {
    const found = await findInstallation(queries, projectId, installationId);
    const isHere = found
      ? found.integrationId === integrationId
      : await hasEntries({ installationId, integrationId });
    if (isHere) return installationId;
  }
  if (!known) throw await describeMissingIntegration(queries, projectId, path.integrationId);
  throw new Problem("not-found", {
    detail: `There is no installation \`${installationId}\` of the integration \`${path.integrationId}\`.`,
  });
}

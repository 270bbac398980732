/** Refuses an integration that a project does not have, or that a group has not installed. */
import { suggestName } from "../../ground/closest.ts";
import { Problem } from "../../ground/errors.ts";
import { findGroup, listNearbyGroupRefs } from "../store/access/customers.ts";
import type { SharedQueries } from "../store/database/sides.ts";
import { listIntegrationNames } from "../store/integrations/integrations.ts";

/** Returns a 404 Problem that suggests the project's integration of the most similar name. */
export async function describeMissingIntegration(
  queries: SharedQueries,
  projectId: string,
  idOrName: string,
): Promise<Problem> {
  const missing = `There is no integration \`${idOrName}\` in this project.`;
  const hint = suggestName(idOrName, await listIntegrationNames(queries, projectId), "");
  return new Problem("not-found", { detail: `${missing} ${hint}`.trim() });
}

interface NotInstalled {
  projectId: string;
  /** Name of an integration that exists. */
  integration: string;
  groupRef: string;
  /** Whether the caller may learn which groups there are; then an unknown group is answered with the one that was probably meant. */
  seesGroups: boolean;
}

/** Returns the sentence that a group has not installed an integration, with what to do. */
export async function explainNotInstalled(queries: SharedQueries, asked: NotInstalled): Promise<string> {
  const { projectId, integration, groupRef, seesGroups } = asked;
  const missing = `The group \`${groupRef}\` has not installed \`${integration}\`.`;
  const otherwise = "Create an installation first, or check the groupRef.";
  if (!seesGroups || (await findGroup(queries, projectId, groupRef))) return `${missing} ${otherwise}`;
  return `${missing} ${suggestName(groupRef, await listNearbyGroupRefs(queries, projectId, groupRef), otherwise)}`;
}

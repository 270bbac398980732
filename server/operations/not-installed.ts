/** Says that a group has not installed an integration, and what to do. */
import { didYouMean } from "../../ground/closest.ts";
import { findGroup, listNearbyGroupRefs } from "../store/access/customers.ts";
import type { SharedQueries } from "../store/database/sides.ts";

interface NotInstalled {
  projectId: string;
  /** Name of an integration that exists. */
  integration: string;
  groupRef: string;
  /** Whether the caller may learn which groups there are; then an unknown group is answered with the one that was probably meant. */
  seesGroups: boolean;
}

export async function explainNotInstalled(queries: SharedQueries, asked: NotInstalled): Promise<string> {
  const { projectId, integration, groupRef, seesGroups } = asked;
  const missing = `The group \`${groupRef}\` has not installed \`${integration}\`.`;
  const otherwise = "Create an installation first, or check the groupRef.";
  if (!seesGroups || (await findGroup(queries, projectId, groupRef))) return `${missing} ${otherwise}`;
  return `${missing} ${didYouMean(groupRef, await listNearbyGroupRefs(queries, projectId, groupRef), otherwise)}`;
}

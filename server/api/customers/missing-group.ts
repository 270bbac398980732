/** The refusal of a group that a project does not have, with the one that was probably meant. */
import { suggestName } from "../../../ground/closest.ts";
import { Problem } from "../../../ground/errors.ts";
import { listNearbyGroupRefs } from "../../store/access/customers.ts";
import type { SharedQueries } from "../../store/database/sides.ts";

/** For callers that may see all groups of the project. */
export async function describeMissingGroup(
  queries: SharedQueries,
  projectId: string,
  groupRef: string,
): Promise<Problem> {
  const nearby = await listNearbyGroupRefs(queries, projectId, groupRef);
  const hint = suggestName(groupRef, nearby, "A group exists once a customer has connected an account.");
  return new Problem("not-found", { detail: `There is no group \`${groupRef}\` in this project. ${hint}` });
}

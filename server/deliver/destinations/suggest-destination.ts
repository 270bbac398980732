/** Suggests the destination that was probably meant by a name that a project does not have. */
import { suggestName } from "../../../ground/closest.ts";
import type { SharedQueries } from "../../store/database/sides.ts";
import { listDestinations } from "../../store/deliveries/destinations.ts";

export async function suggestDestination(
  queries: SharedQueries,
  projectId: string,
  name: string,
  otherwise = "",
): Promise<string> {
  const names = (await listDestinations(queries, projectId)).map((row) => row.name);
  return suggestName(name, names, otherwise);
}

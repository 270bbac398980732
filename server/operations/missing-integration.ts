/** Refuses the name of an integration that a project does not have. */
import { didYouMean } from "../../ground/closest.ts";
import { Problem } from "../../ground/errors.ts";
import type { SharedQueries } from "../store/database/sides.ts";
import { listIntegrationNames } from "../store/integrations/integrations.ts";

/** Returns a 404 Problem that suggests the project's integration of the most similar name. */
export async function missingIntegration(
  queries: SharedQueries,
  projectId: string,
  idOrName: string,
): Promise<Problem> {
  const missing = `There is no integration \`${idOrName}\` in this project.`;
  const hint = didYouMean(idOrName, await listIntegrationNames(queries, projectId), "");
  return new Problem("not-found", { detail: `${missing} ${hint}`.trim() });
}

/** What agents may do in a project, as the builder sent it. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";
import { toStoredJson } from "./stored-json.ts";

/** Finds the policy of a project; undefined where the project has set none. Only checked policies are stored. */
export async function findAgentPolicy(queries: Queries, projectId: string): Promise<unknown> {
  const row = await queries
    .selectFrom("agentPolicies")
    .select("policy")
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  return row?.policy;
}

export async function replaceAgentPolicy(queries: Queries, projectId: string, policy: object): Promise<void> {
  const stored = toStoredJson(policy);
  await queries
    .insertInto("agentPolicies")
    .values({ projectId, policy: stored })
    .onConflict((conflict) =>
      conflict.column("projectId").doUpdateSet({ policy: stored, updateTime: sql`now()` }),
    )
    .execute();
}

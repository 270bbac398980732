/** Policies of agents, one for each project, as the builder sent them. */
import { sql } from "kysely";
import type { ControlQueries } from "../database/sides.ts";
import { toStoredJson } from "../database/stored-json.ts";

/** What every call of a customer's agent needs to know first. */
interface AgentScope {
  /** Undefined if the project has no policy. */
  policy: unknown;
  /** Whether the customer exists. */
  isKnown: boolean;
  /** Installations of the customer, each with the status of its connection. */
  installed: { id: string; status: string | null }[];
  /** Whether an act of the customer's agents needed approval within `askedWithinMs`. */
  hasAsked: boolean;
}

/** Finds all of it in one statement: every call of a tool needs it, and in its present state. */
export async function findAgentScope(
  queries: ControlQueries,
  { projectId, groupRef, askedWithinMs }: { projectId: string; groupRef: string; askedWithinMs: number },
): Promise<AgentScope> {
  const { rows } = await sql<AgentScope>`/* prepare find-agent-scope */
    select (select policy from agent_policies where project_id = ${projectId}) as policy, groups.id is not null as is_known,
      coalesce((
        select json_agg(json_build_object('id', installations.id, 'status', connections.status) order by installations.id desc)
        from installations left join connections on connections.id = installations.connection_id
        where installations.group_id = groups.id
      ), '[]'::json) as installed,
      exists (
        select from approvals
        where group_id = groups.id and create_time > now() - ${askedWithinMs} * interval '1 millisecond'
      ) as has_asked
    from (select) as one left join groups on groups.project_id = ${projectId} and group_ref = ${groupRef}
  `.execute(queries);
  const [row] = rows;
  if (!row) throw new Error("a statement without a row");
  return row;
}

/** Finds the policy of a project; undefined if it has none. Only checked policies are stored. */
export async function findAgentPolicy(queries: ControlQueries, projectId: string): Promise<unknown> {
  const row = await queries
    .selectFrom("agentPolicies")
    .select("policy")
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  return row?.policy;
}

export async function replaceAgentPolicy(
  queries: ControlQueries,
  projectId: string,
  policy: object,
): Promise<void> {
  const stored = toStoredJson(policy);
  await queries
    .insertInto("agentPolicies")
    .values({ projectId, policy: stored })
    .onConflict((conflict) =>
      conflict.column("projectId").doUpdateSet({ policy: stored, updateTime: sql`now()` }),
    )
    .execute();
}

/** Begins operations of agents: with what each changes, and counted for the budgets. */
import { sql } from "kysely";
import type { Queries } from "../database/database.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { toInserted, type NewOperation } from "../operations/operations.ts";
import { insertChanges, type AgentChange } from "./agent-changes.ts";

/** What is kept of an act of an agent beside its operation. */
export interface AgentTrace {
  groupRef: string;
  /** Absent where it cannot be undone. */
  change?: Omit<AgentChange, "operationId" | "projectId" | "groupRef"> | undefined;
}

/** In one statement, because each commit costs more than what it contains. What is there already stays as it is. */
export async function insertAgentOperations(
  queries: Queries,
  operations: (NewOperation & { claimedBy: number; agent?: AgentTrace | undefined })[],
): Promise<void> {
  const acts = operations.flatMap(({ id, projectId, agent }) =>
    agent ? [{ id, project_id: projectId, group_ref: agent.groupRef }] : [],
  );
  const changes = operations.flatMap(({ id, projectId, agent }): AgentChange[] =>
    agent?.change ? [{ operationId: id, projectId, groupRef: agent.groupRef, ...agent.change }] : [],
  );
  await queries
    .with(
      "acts",
      () =>
        sql`
        (insert into agent_acts (id, project_id, group_ref)
        select id, project_id, group_ref from jsonb_to_recordset(${toStoredJson(acts)}::jsonb)
          as x(id uuid, project_id uuid, group_ref text)
        on conflict do nothing)`,
    )
    .with("changes", () => sql`(${insertChanges(changes)})`)
    .insertInto("operations")
    .values(operations.map(({ agent: _agent, ...operation }) => toInserted(operation)))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

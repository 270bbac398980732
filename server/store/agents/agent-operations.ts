/** Starts operations of agents, with the change of each and counted against budgets. */
import { sql } from "kysely";
import type { Queries } from "../database/database.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { insertBegun, type NewOperation } from "../operations/operations.ts";
import { insertChanges, type AgentChange } from "./agent-changes.ts";

/** Data of an agent's act in addition to its operation. */
export interface AgentTrace {
  groupRef: string;
  /** Absent for an act that cannot be undone. */
  change?: Omit<AgentChange, "operationId" | "projectId" | "groupRef"> | undefined;
}

/**
 * Inserts operations, changes and counts in one statement, because each commit costs more than its content. Rows that exist
 * already stay as they are.
 */
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
  await sql`/* prepare begin-agent-operations */
    with acts as (
      insert into agent_acts (id, project_id, group_ref)
      select id, project_id, group_ref from jsonb_to_recordset(${toStoredJson(acts)}::jsonb)
        as x(id uuid, project_id uuid, group_ref text)
      on conflict do nothing
    ), changes as (${insertChanges(changes)})
    ${insertBegun(operations.map(({ agent: _agent, ...operation }) => operation))}
  `.execute(queries);
}

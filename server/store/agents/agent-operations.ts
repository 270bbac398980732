/** Begins operations of agents: with what each changes, and counted for the budgets. */
import { sql } from "kysely";
import type { Queries } from "../database/database.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { toInserted, type NewOperation } from "../operations/operations.ts";
import type { AgentChange } from "./agent-changes.ts";

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
  const changes = operations.flatMap(({ id, projectId, agent }) =>
    agent?.change
      ? [
          {
            operation_id: id,
            project_id: projectId,
            group_ref: agent.groupRef,
            type: agent.change.type,
            integration: agent.change.integration,
            object_name: agent.change.objectName,
            record_id: agent.change.recordId,
            before: agent.change.before,
            after: agent.change.after,
          },
        ]
      : [],
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
    .with(
      "changes",
      () =>
        sql`
        (insert into agent_changes (operation_id, project_id, group_id, type, integration, object_name, record_id, before, after)
        select operation_id, x.project_id, groups.id, type, integration, object_name, record_id, before, after
        from jsonb_to_recordset(${toStoredJson(changes)}::jsonb) as x(operation_id uuid, project_id uuid, group_ref text, type text,
          integration text, object_name text, record_id text, before jsonb, after jsonb)
        -- None of a customer that was deleted meanwhile.
        join groups on groups.project_id = x.project_id and groups.group_ref = x.group_ref
        on conflict do nothing)`,
    )
    .insertInto("operations")
    .values(operations.map(({ agent: _agent, ...operation }) => toInserted(operation)))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

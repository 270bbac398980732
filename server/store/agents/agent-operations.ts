/** Starts operations of agents, with the change of each. */
import { sql, type RawBuilder } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import { insertBegun, type NewOperation } from "../operations/operations.ts";
import { insertChanges, type AgentChange } from "./agent-changes.ts";

/** Data of an agent's act in addition to its operation. */
export interface AgentTrace {
  groupRef: string;
  /** Absent for an act that cannot be undone. */
  change?: Omit<AgentChange, "operationId" | "projectId" | "groupRef"> | undefined;
}

/**
 * Inserts operations and changes in one statement, because each commit costs more than its content, and carries out `counted`
 * with it. Rows that exist already stay as they are.
 */
export async function insertAgentOperations(
  queries: DataQueries,
  operations: (NewOperation & { claimedBy: number; agent?: AgentTrace | undefined })[],
  counted?: RawBuilder<unknown>,
): Promise<void> {
  const changes = operations.flatMap(({ id, projectId, agent }): AgentChange[] =>
    agent?.change ? [{ operationId: id, projectId, groupRef: agent.groupRef, ...agent.change }] : [],
  );
  const [name, acts] = counted
    ? [sql`/* prepare begin-counted-operations */`, sql`acts as (${counted}),`]
    : [sql`/* prepare begin-agent-operations */`, sql``];
  await sql`${name}
    with ${acts} changes as (${insertChanges(changes)})
    ${insertBegun(operations.map(({ agent: _agent, ...operation }) => operation))}
  `.execute(queries);
}

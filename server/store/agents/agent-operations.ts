/** Starts operations of agents, with the change of each. */
import { sql, type RawBuilder } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import { insertBegun, type NewOperation } from "../operations/operations.ts";
import type { KeyClaim } from "../access/idempotency-keys.ts";
import { toCounted, type BudgetsWithin, type CountedActs } from "./agent-acts.ts";
import { insertChanges, type AgentChange } from "./agent-changes.ts";

/** Data of an agent's act in addition to its operation. */
export interface AgentTrace {
  groupRef: string;
  budgets: BudgetsWithin;
  /** Absent if its key is claimed already. */
  claim?: KeyClaim | undefined;
  /** Absent for an act that cannot be undone. */
  change?: Omit<AgentChange, "operationId" | "projectId" | "groupRef"> | undefined;
}

export type AgentOperation = NewOperation & { claimedBy: number; agent: AgentTrace };

/**
 * Inserts the operations and changes of those acts that have their key and a budget: in one statement with `counted`, the CTEs of
 * `countClaimed`, because each commit costs more than its content.
 */
export async function beginClaimed(
  queries: DataQueries,
  operations: readonly AgentOperation[],
  counted: RawBuilder<unknown>,
): Promise<CountedActs> {
  const may = sql`where id in (select id from counted where budget is null)`;
  const { rows } = await sql<Parameters<typeof toCounted>[0][number]>`/* prepare begin-claimed-operations */
    with ${counted},
      changes as (${insertChanges(listChanges(operations), sql`and "operationId" in (select id from counted where budget is null)`)}),
      begun as (${insertBegun(operations.map(withoutAgent), may)})
    select id, budget, free_in_ms from counted
  `.execute(queries);
  return toCounted(rows);
}

/** Inserts operations and changes of acts that were claimed and counted on the control side. Rows that exist already stay as they are. */
export async function insertAgentOperations(
  queries: DataQueries,
  operations: readonly AgentOperation[],
): Promise<void> {
  await sql`/* prepare begin-agent-operations */
    with changes as (${insertChanges(listChanges(operations))}) ${insertBegun(operations.map(withoutAgent))}
  `.execute(queries);
}

const withoutAgent = ({ agent: _agent, ...operation }: AgentOperation): Omit<AgentOperation, "agent"> =>
  operation;

const listChanges = (operations: readonly AgentOperation[]): AgentChange[] =>
  operations.flatMap(({ id, projectId, agent: { groupRef, change } }) =>
    change ? [{ operationId: id, projectId, groupRef, ...change }] : [],
  );

/** Acts of agents that were sent within the hour, counted for the budgets. */
import { sql } from "kysely";
import type { Queries } from "../database/database.ts";

export interface AgentAct {
  /** That of the operation. */
  id: string;
  projectId: string;
  groupRef: string;
}

export interface BudgetsWithin {
  perProject?: number | undefined;
  perGroup?: number | undefined;
  /** The length of an hour. */
  windowMs: number;
}

/** Which budget is used up, and in how many milliseconds one act of it is an hour old. */
export interface UsedUp {
  budget: "perProject" | "perGroup";
  freeInMs: number;
}

/**
 * Counts an act, unless a budget is used up. To be called in a transaction: whoever counts for the same project waits, so that no
 * two acts take the last place.
 */
export async function countAgentAct(
  queries: Queries,
  act: AgentAct,
  { perProject, perGroup, windowMs }: BudgetsWithin,
): Promise<UsedUp | undefined> {
  const lock = `agent-acts ${act.projectId}`;
  if (perProject !== undefined || perGroup !== undefined) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(queries);
    const usedUp =
      (await findUsedUp(queries, act, "perProject", perProject, windowMs)) ??
      (await findUsedUp(queries, act, "perGroup", perGroup, windowMs));
    if (usedUp) return usedUp;
  }
  await queries
    .insertInto("agentActs")
    .values(act)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  return undefined;
}

/** Statements of their own, so that each sees what was committed before the lock was granted. */
async function findUsedUp(
  queries: Queries,
  { projectId, groupRef }: AgentAct,
  budget: UsedUp["budget"],
  max: number | undefined,
  windowMs: number,
): Promise<UsedUp | undefined> {
  if (max === undefined) return undefined;
  if (max === 0) return { budget, freeInMs: Number.POSITIVE_INFINITY };
  const ofGroup = budget === "perGroup" ? sql`and group_ref = ${groupRef}` : sql``;
  // The oldest act that still counts, if there are `max` of them.
  const { rows } = await sql<{ freeInMs: number }>`
    select ${windowMs} - extract(epoch from clock_timestamp() - time)::double precision * 1000 as free_in_ms
    from agent_acts
    where project_id = ${projectId} ${ofGroup} and time > clock_timestamp() - ${windowMs} * interval '1 millisecond'
    order by time desc offset ${max - 1} limit 1
  `.execute(queries);
  const [oldest] = rows;
  return oldest && { budget, freeInMs: Math.max(1, oldest.freeInMs) };
}

/** Takes back an act that was not sent after all. */
export async function uncountAgentAct(queries: Queries, id: string): Promise<void> {
  await queries.deleteFrom("agentActs").where("id", "=", id).execute();
}

/** Removes up to `max` acts that no budget counts any more; returns their number. */
export async function removeOldAgentActs(queries: Queries, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from agent_acts where ctid in (
      select ctid from agent_acts where time < now() - interval '2 hours' limit ${max})
  `.execute(queries);
  return Number(numAffectedRows ?? 0n);
}

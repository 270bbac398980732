/** Acts that agents sent within the last hour, counted against budgets. */
import { sql, type RawBuilder } from "kysely";
import type { ControlQueries } from "../database/sides.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { countAffectedRows } from "../database/database.ts";

export interface AgentAct {
  /** Id of the act's operation. */
  id: string;
  projectId: string;
  groupRef: string;
}

export interface BudgetsWithin {
  perProject?: number | undefined;
  perGroup?: number | undefined;
  /** Length of the budget's period, an hour. */
  windowMs: number;
}

/** The budget that is used up, and the milliseconds until one of its acts is an hour old. */
export interface UsedUp {
  budget: "perProject" | "perGroup";
  freeInMs: number;
}

/**
 * Counts an act, unless a budget is used up. Other counts for the same project wait until the transaction ends, so that two
 * acts cannot both take the last place in a budget.
 */
export async function countAgentAct(
  queries: ControlQueries,
  { id, projectId, groupRef }: AgentAct,
  { perProject, perGroup, windowMs }: BudgetsWithin,
): Promise<UsedUp | undefined> {
  const { rows } = await sql<{ budget: UsedUp["budget"] | null; freeInMs: number | null }>`
    select budget, free_in_ms from count_agent_act(${id}, ${projectId}, ${groupRef}, ${perProject ?? null}::integer,
      ${perGroup ?? null}::integer, ${windowMs})
  `.execute(queries);
  const [found] = rows;
  if (!found?.budget) return undefined;
  return { budget: found.budget, freeInMs: found.freeInMs ?? Number.POSITIVE_INFINITY };
}

/** Removes an act from the count that was not sent after all. */
export async function uncountAgentAct(queries: ControlQueries, id: string): Promise<void> {
  await queries.deleteFrom("agentActs").where("id", "=", id).execute();
}

/** Builds the statement that counts acts, also as a part of the one that begins their operations. Those that are counted stay so. */
export const insertActs = (acts: AgentAct[]): RawBuilder<unknown> => sql`
  insert into agent_acts (id, project_id, group_ref)
  select id, project_id, group_ref from jsonb_to_recordset(${toStoredJson(
    acts.map(({ id, projectId, groupRef }) => ({ id, project_id: projectId, group_ref: groupRef })),
  )}::jsonb) as x(id uuid, project_id uuid, group_ref text)
  on conflict do nothing`;

/** Counts acts before their operations begin on the data side. */
export async function countBegunActs(queries: ControlQueries, acts: AgentAct[]): Promise<void> {
  await insertActs(acts).execute(queries);
}

/** Removes up to `max` acts that no budget counts any longer; returns their number. */
export async function removeOldAgentActs(queries: ControlQueries, max: number): Promise<number> {
  const result = await sql`
    delete from agent_acts where ctid in (
      select ctid from agent_acts where time < now() - interval '2 hours' limit ${max})
  `.execute(queries);
  return countAffectedRows(result);
}

/** Acts that agents sent within the last hour, counted against budgets. */
import { sql, type RawBuilder } from "kysely";
import type { ControlQueries } from "../database/sides.ts";
import { claimAskedKeys, type KeyClaim } from "../access/idempotency-keys.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { removeRows } from "../database/remove-rows.ts";

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

/** An act whose operation is to begin. */
interface BeginningAct extends AgentAct {
  budgets: BudgetsWithin;
  /** Absent if its key is claimed already. */
  claim?: KeyClaim | undefined;
}

/**
 * Builds the CTEs that claim the keys of acts and count those that have theirs: `counted` lacks acts whose key another one has, and
 * names the budget that is used up. Keys and budgets are locked in one order, so that two processes never wait for each other.
 */
export const countClaimed = (acts: readonly BeginningAct[]): RawBuilder<unknown> => sql`
  asked as (
    select * from jsonb_to_recordset(${toStoredJson(acts.map(toAskedRow))}::jsonb) as x(id uuid, project_id uuid, group_ref text,
      per_project integer, per_group integer, window_ms double precision, key text, request_hash text, first_operation_id uuid,
      claimed_by integer, kept_hours double precision)
  ), claimed as (${claimAskedKeys}), counted as (
    select act.id, budget, free_in_ms
    from (
      select * from asked where key is null or id in (select operation_id from claimed) order by project_id, id
    ) as act, lateral count_agent_act(act.id, project_id, group_ref, per_project, per_group, window_ms)
  )`;

const toAskedRow = ({ id, projectId, groupRef, budgets, claim }: BeginningAct) => ({
  id,
  project_id: projectId,
  group_ref: groupRef,
  per_project: budgets.perProject,
  per_group: budgets.perGroup,
  window_ms: budgets.windowMs,
  ...(claim && {
    key: claim.key,
    request_hash: claim.requestHash.toString("hex"),
    first_operation_id: claim.firstOperationId,
    claimed_by: claim.claimedBy,
    kept_hours: claim.keptHours,
  }),
});

/** An act in `counted`. */
interface CountedRow {
  id: string;
  budget: UsedUp["budget"] | null;
  freeInMs: number | null;
}

/** What becomes of each act, by its id. Others had their keys claimed before. */
export type CountedActs = Map<string, "counted" | UsedUp>;

export const toCounted = (rows: readonly CountedRow[]): CountedActs =>
  new Map(
    rows.map(({ id, budget, freeInMs }) => [
      id,
      budget === null ? "counted" : { budget, freeInMs: freeInMs ?? Number.POSITIVE_INFINITY },
    ]),
  );

/** Claims and counts acts before their operations begin on the data side. */
export async function countClaimedActs(
  queries: ControlQueries,
  acts: readonly BeginningAct[],
): Promise<CountedActs> {
  const { rows } = await sql<CountedRow>`/* prepare count-claimed-acts */
    with ${countClaimed(acts)} select id, budget, free_in_ms from counted
  `.execute(queries);
  return toCounted(rows);
}

/** Removes up to `max` acts that no budget counts any longer; returns their number. */
export const removeOldAgentActs = (queries: ControlQueries, max: number): Promise<number> =>
  removeRows(queries, "agent_acts", sql`time < now() - interval '2 hours'`, max, "ctid");

/** Limits how many acts of agents are sent within an hour: exactly, whatever calls run at once and in however many processes. */
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import {
  countAgentAct,
  uncountAgentAct,
  type AgentAct,
  type BudgetsWithin,
  type UsedUp,
} from "../../store/agents/agent-acts.ts";
import type { Database } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import type { AgentPolicy } from "./policy.ts";

interface BudgetServices {
  database: Database;
  /** Length of a minute; shorter in tests. */
  minuteMs: number;
}

/**
 * Counts an act that is about to be sent. Throws a 429 Problem that names the budget and when it frees up. Acts count even where
 * no budget is set, for one that is set within the hour.
 */
export async function takeBudget(deps: BudgetServices, policy: AgentPolicy, act: AgentAct): Promise<void> {
  const usedUp = await countAgainstBudgets(deps.database.control, deps, policy, act);
  if (usedUp) throw findExceededBudget(policy, usedUp, deps.minuteMs);
}

/** Removes an act from the budget that was not sent after all. */
export const giveBackBudget = (
  deps: Pick<BudgetServices, "database">,
  { id }: Pick<AgentAct, "id">,
): Promise<void> => uncountAgentAct(deps.database.control, id);

/** Counts an act, in a transaction of the caller's if there is one. Returns the budget that is used up instead of throwing. */
export const countAgainstBudgets = (
  queries: ControlQueries,
  { minuteMs }: Pick<BudgetServices, "minuteMs">,
  { budgets }: Pick<AgentPolicy, "budgets">,
  act: AgentAct,
): Promise<UsedUp | undefined> => countAgentAct(queries, act, joinBudgets({ minuteMs }, { budgets }));

/** Returns the budgets as the statement that counts an act takes them. */
export const joinBudgets = (
  { minuteMs }: Pick<BudgetServices, "minuteMs">,
  { budgets }: Pick<AgentPolicy, "budgets">,
): BudgetsWithin => ({
  perProject: budgets.writesPerHour,
  perGroup: budgets.writesPerHourPerGroup,
  windowMs: 60 * minuteMs,
});

const BUDGETS = {
  perProject: { member: "writesPerHour", of: "of the project" },
  perGroup: { member: "writesPerHourPerGroup", of: "of this customer" },
} as const;

export function findExceededBudget(
  { budgets }: AgentPolicy,
  { budget, freeInMs }: UsedUp,
  minuteMs: number,
): Problem {
  const { member, of } = BUDGETS[budget];
  const most = budgets[member] ?? 0;
  const named = `The budget \`${member}\` ${of} (${most} acts of agents an hour)`;
  if (!Number.isFinite(freeInMs)) {
    const detail = `${named} allows none. Whoever runs this project has to raise it in the policy for agents.`;
    return new Problem("too-many-requests", {
      detail,
      retryable: false,
      context: { budget: member, limit: most },
    });
  }
  const retryAfter = new Date(nowMs() + freeInMs);
  const minutes = Math.ceil(freeInMs / minuteMs);
  return new Problem("too-many-requests", {
    detail: `${named} is used up. It has room again at ${retryAfter.toISOString()}, in about ${minutes} minutes. Nothing was sent.`,
    retryAfter,
    context: { budget: member, limit: most },
  });
}

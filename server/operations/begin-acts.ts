/** Begins the operations of agents' acts: each with its key and within the budgets, many of them in one commit. */
import { openSharedCommit } from "../jobs/shared-commit.ts";
import { countClaimed, countClaimedActs, type CountedActs, type UsedUp } from "../store/agents/agent-acts.ts";
import {
  beginClaimed,
  insertAgentOperations,
  type AgentOperation,
} from "../store/agents/agent-operations.ts";
import type { Database } from "../store/database/database.ts";
import { mayBeCommitted, isTookTooLong } from "../store/database/database-outage.ts";

/** Returns a function that begins an operation. It throws `KeyTakenError` and `UsedUpError`, and then has not begun. */
export function openActs(database: Database): (operation: AgentOperation) => Promise<void> {
  const commit = openSharedCommit<AgentItem>(
    (items) => beginItems(database, items),
    // Keys and budgets that are committed already would be in the way.
    { mayRepeat: (error) => !isTookTooLong(error) && !mayBeCommitted(error) },
  );
  return async (operation) => {
    const item: AgentItem = { operation };
    await commit.add(item);
    if (item.refusal) throw item.refusal;
  };
}

/** Another request has the key of an act. */
export class KeyTakenError extends Error {}

/** A budget of agents has no room for an act. */
export class UsedUpError extends Error {
  readonly usedUp: UsedUp;

  constructor(usedUp: UsedUp) {
    super(`the budget ${usedUp.budget} is used up`);
    this.usedUp = usedUp;
  }
}

/** `refusal`: why the operation has not begun, known after the commit. */
interface AgentItem {
  operation: AgentOperation;
  refusal?: KeyTakenError | UsedUpError;
}

async function beginItems(database: Database, items: AgentItem[]): Promise<void> {
  const claimed = new Set<string>();
  const first = items.filter(({ operation: { projectId, agent } }) => {
    const place = agent.claim && JSON.stringify([projectId, agent.claim.key]);
    const isFirst = place === undefined || !claimed.has(place);
    if (place !== undefined) claimed.add(place);
    return isFirst;
  });
  const counted = await beginActs(
    database,
    first.map(({ operation }) => operation),
  );
  for (const item of items) {
    // Of an equal act in the same commit, too, there is nothing.
    const found = first.includes(item) ? counted.get(item.operation.id) : undefined;
    if (found === undefined) item.refusal = new KeyTakenError("the key is taken");
    else if (found !== "counted") item.refusal = new UsedUpError(found);
  }
}

/**
 * Begins operations of agents that have their key and a budget: in one commit if one database has both sides. Otherwise they are
 * claimed and counted first; after a crash in between, an act counts that was not sent.
 */
async function beginActs(
  { control, data }: Pick<Database, "control" | "data">,
  operations: AgentOperation[],
): Promise<CountedActs> {
  const acts = operations.map(({ id, projectId, agent }) => ({ id, projectId, ...agent }));
  if (control === data) return beginClaimed(data, operations, countClaimed(acts));
  const counted = await countClaimedActs(control, acts);
  const begun = operations.filter(({ id }) => counted.get(id) === "counted");
  if (begun.length > 0) await insertAgentOperations(data, begun);
  return counted;
}

/** Chooses the runs to claim: scheduled and triggered ones before backfills, then in turns of projects and customers. */
import type { CapacityFor } from "../../jobs/claim-loop.ts";
import { limitPerKey } from "../../jobs/limit-per-key.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { listDueRuns, type DueRun } from "../../store/reads/read-runs.ts";

/** Due runs listed of a project. */
const MAX_PER_PROJECT = 64;
/** Due runs among which those are chosen, when one customer's fill the list. */
const DEEP_LOOK = 2_048;

/** Returns the runs to claim, at most `limit`. */
export async function chooseRuns(
  queries: DataQueries,
  limit: number,
  capacity: CapacityFor,
): Promise<string[]> {
  const first = await listDueRuns(queries, { maxPerProject: MAX_PER_PROJECT, among: MAX_PER_PROJECT });
  const chosen = withCapacity(orderInTurns(first), limit, capacity);
  if (chosen.length >= limit || first.length < MAX_PER_PROJECT) return chosen;
  const deep = await listDueRuns(queries, { maxPerProject: MAX_PER_PROJECT, among: DEEP_LOOK });
  return withCapacity(orderInTurns(deep), limit, capacity);
}

/** Orders runs round-robin over projects, with all backfills last. */
function orderInTurns(due: DueRun[]): DueRun[] {
  const turns: DueRun[][] = [];
  const seen = new Map<string, number>();
  for (const run of due) {
    const turn = (seen.get(run.projectId) ?? 0) + (run.isBackfill ? MAX_PER_PROJECT : 0);
    seen.set(run.projectId, (seen.get(run.projectId) ?? 0) + 1);
    (turns[turn] ??= []).push(run);
  }
  return turns.flat();
}

const withCapacity = (due: DueRun[], limit: number, capacity: CapacityFor): string[] =>
  limitPerKey(due, limit, capacity).map(({ operationId }) => operationId);

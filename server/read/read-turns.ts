/** Chooses the runs to claim: scheduled and triggered ones before backfills, then in turns of projects and customers. */
import type { RoomFor } from "../jobs/claim-loop.ts";
import { takeWithRoom } from "../jobs/take-with-room.ts";
import type { Queries } from "../store/database.ts";
import { listDueRuns, type DueRun } from "../store/read-runs.ts";

/** Due runs listed of a project. */
const MOST_OF_PROJECT = 64;
/** Due runs among which those are chosen, when one customer's fill the list. */
const DEEP_LOOK = 2_048;

/** Returns the runs to claim, at most `limit`. */
export async function chooseRuns(queries: Queries, limit: number, room: RoomFor): Promise<string[]> {
  const first = await listDueRuns(queries, { mostOfProject: MOST_OF_PROJECT, among: MOST_OF_PROJECT });
  const chosen = withRoom(inTurns(first), limit, room);
  if (chosen.length >= limit || first.length < MOST_OF_PROJECT) return chosen;
  const deep = await listDueRuns(queries, { mostOfProject: MOST_OF_PROJECT, among: DEEP_LOOK });
  return withRoom(inTurns(deep), limit, room);
}

/** Takes one run of each project, then a second one of each, and so on. Backfills stay behind all others. */
function inTurns(due: DueRun[]): DueRun[] {
  const turns: DueRun[][] = [];
  const seen = new Map<string, number>();
  for (const run of due) {
    const turn = (seen.get(run.projectId) ?? 0) + (run.isBackfill ? MOST_OF_PROJECT : 0);
    seen.set(run.projectId, (seen.get(run.projectId) ?? 0) + 1);
    (turns[turn] ??= []).push(run);
  }
  return turns.flat();
}

const withRoom = (due: DueRun[], limit: number, room: RoomFor): string[] =>
  takeWithRoom(due, limit, room).map(({ operationId }) => operationId);

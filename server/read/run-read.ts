/**
 * Reads some pages of a claimed run. After each page that is committed the run goes on behind it, here or in another
 * process.
 */
import { ProviderError } from "../../connector-kit/provider-error.ts";
import { elapsedMs } from "../ground/clock.ts";
import type { RunResult } from "../jobs/fair-slots.ts";
import { countHeld, releaseHeld } from "../store/held-messages.ts";
import type { ReadPageCommit } from "../store/read-pages.ts";
import { releaseRuns, type ClaimedRun, type ReadCounts } from "../store/read-runs.ts";
import { countsOf } from "./read-counts.ts";
import { fetchPage, type FetchedPage, type ReadPosition } from "./fetch-page.ts";
import { pageCommit } from "./page-commit.ts";
import type { RunReadServices } from "./read-services.ts";
import { findReadTarget, findRunOwner, type ReadTarget } from "./read-target.ts";
import { openReadWalk, type DeliveringTarget, type ReadWalk } from "./read-walk.ts";
import { settleFailure, waitForCalls, waitForDestination } from "./settle-read.ts";

/** After this time the run goes behind the others. */
const TURN_MS = 2_000;
/** Messages of an object that may wait for somebody to ask for them. */
const MOST_HELD_MESSAGES = 10_000;

/** Never throws for what a provider or a customer does: the run has gone on, ended or been put back when it returns. */
export async function runRead(
  deps: RunReadServices,
  run: ClaimedRun,
  onAnswer: (result: RunResult) => void,
): Promise<void> {
  const owner = await findRunOwner(deps, run);
  if (!owner) {
    await releaseRuns(deps.database.queries, deps.workerId(), [run.operationId]);
    onAnswer("not-sent");
    return;
  }
  let target: ReadTarget | undefined;
  let result: RunResult = "sent";
  try {
    target = await findReadTarget(deps, run, owner);
    const { destination } = target;
    if (!destination) await waitForDestination(deps, run, "disabled");
    else await readPages(deps, run, { ...target, destination });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    result = await settleFailure(deps, run, target ?? owner, error);
  }
  onAnswer(result);
}

/** While one page is committed, the next one is prepared and the one after it is fetched. Pages are committed in order. */
async function readPages(deps: RunReadServices, run: ClaimedRun, target: DeliveringTarget): Promise<void> {
  const startedMs = elapsedMs();
  const counts = countsOf(run);
  const walk = await openReadWalk(deps, run, target);
  let position: ReadPosition = { stage: run.stage, checkpoint: run.checkpoint, untilTime: run.untilTime };
  let fetching: Promise<FetchedPage> | undefined;
  let saving = Promise.resolve(true);
  try {
    for (;;) {
      const wait = await reasonToWait(deps, walk, fetching !== undefined);
      if (wait) {
        if (await saving) await wait();
        return;
      }
      const page = await (fetching ?? fetchPage(deps, walk, position));
      if (page.stage === "records") deps.budgets.note(run.connectionId, page.page.usage);
      // Which deletions are delivered depends on the records before them, so those are committed first.
      else if (!(await saving)) return;
      const before = { ...counts };
      const isTurnOver = elapsedMs() - startedMs > TURN_MS;
      const { commit, next } = await pageCommit(deps, walk, { page, counts, release: isTurnOver });
      const goesOn = next && !isTurnOver && !deps.budgets.spentFor(run.connectionId, run.kind);
      fetching = goesOn ? fetchPage(deps, walk, next) : undefined;
      // Its failure counts when its turn has come: the page before it is committed first.
      fetching?.catch(() => {});
      if (!(await saving)) return;
      saving = savePage(deps, run, commit, sinceThen(before, counts));
      saving.catch(() => {});
      if (!next || isTurnOver) {
        await saving;
        return;
      }
      position = next;
    }
  } finally {
    await saving.catch(() => {});
  }
}

/** Returns what to do instead of reading another page; undefined if nothing is in the way. */
async function reasonToWait(
  deps: RunReadServices,
  walk: ReadWalk,
  isFetching: boolean,
): Promise<(() => Promise<void>) | undefined> {
  const { run } = walk;
  if (await isBehind(deps, walk)) return () => waitForDestination(deps, run, "behind");
  const spent = isFetching ? undefined : deps.budgets.spentFor(run.connectionId, run.kind);
  return spent && (() => waitForCalls(deps, run, spent));
}

/** Commits a page; false if the run was stopped or another process has it. */
async function savePage(
  deps: RunReadServices,
  run: ClaimedRun,
  commit: ReadPageCommit,
  read: ReturnType<typeof sinceThen>,
): Promise<boolean> {
  if (!(await deps.commit(commit))) return false;
  const { untilTime, stage, checkpoint } = commit;
  Object.assign(run, { untilTime, stage, checkpoint, attempts: 0 });
  run.metadata = { ...run.metadata, ...commit.metadata };
  deps.readMeter?.pageRead(read);
  if (commit.end) deps.readMeter?.ended(commit.end.status);
  if (commit.messages.some(({ held }) => held)) await releaseHeld(deps.database.queries, run);
  return true;
}

const sinceThen = (before: ReadCounts, { delivered, unchanged, deleted }: ReadCounts) => ({
  delivered: delivered - before.delivered,
  unchanged: unchanged - before.unchanged,
  deleted: deleted - before.deleted,
});

/** Whether so much waits for the destination, or for somebody to ask for it, that more would only fill the database. */
async function isBehind({ database, waiting }: RunReadServices, walk: ReadWalk): Promise<boolean> {
  const { definition, destination } = walk.target;
  if (definition.delivery.mode !== "onRequest") return waiting.isBehind(destination.id);
  return (await countHeld(database.queries, walk.run, MOST_HELD_MESSAGES)) >= MOST_HELD_MESSAGES;
}

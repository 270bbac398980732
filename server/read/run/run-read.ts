/**
 * Reads some pages of a claimed run. After each committed page, this or another process can continue behind it.
 */
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import type { RunResult } from "../../jobs/fair-slots.ts";
import { countHeld, releaseHeld } from "../../store/deliveries/held-messages.ts";
import { rememberFields } from "../../store/reads/read-objects.ts";
import type { ReadPageCommit } from "../../store/reads/read-pages.ts";
import { releaseRuns, type ClaimedRun, type ReadCounts } from "../../store/reads/read-runs.ts";
import { readCounts } from "./read-counts.ts";
import { fetchPage, type FetchedPage, type ReadPosition } from "./fetch-page.ts";
import { yieldToCallers } from "./yield-to-callers.ts";
import { buildPageCommit } from "./page-commit.ts";
import type { RunReadServices } from "./read-services.ts";
import { findReadTarget, findRunOwner, type ReadTarget } from "../definition/read-target.ts";
import { openReadScan, type ReadScan } from "../records/read-scan.ts";
import { settleFailure, endAfterFaults, waitForCalls, waitForDestination } from "./settle-read.ts";

/** After this time the run returns to the end of the queue. */
const TURN_MS = 2_000;
/** Maximum number of messages of an object that are held until they are requested. */
const MAX_HELD_MESSAGES = 10_000;

/**
 * Handles all failures of providers and of customers' settings: when it returns, the run has ended or is back in the queue. Rejects for a
 * fault of ours, which another attempt may not have.
 */
export async function runRead(
  deps: RunReadServices,
  run: ClaimedRun,
  onAnswer: (result: RunResult) => void,
): Promise<void> {
  const owner = await findRunOwner(deps, run);
  if (!owner) {
    await releaseRuns(deps.database.data, deps.workerId(), [run.operationId]);
    onAnswer("not-sent");
    return;
  }
  let target: ReadTarget | undefined;
  let scan: ReadScan | undefined;
  let result: RunResult = "sent";
  try {
    target = await findReadTarget(deps, run, owner);
    const { destination } = target;
    if (!destination) await waitForDestination(deps, run, "disabled");
    else {
      scan = await openReadScan(deps, run, { ...target, destination });
      await readPages(deps, scan);
    }
  } catch (error) {
    const calls = scan?.failedCalls ?? 0;
    if (error instanceof ProviderError)
      result = await settleFailure(deps, run, target ?? owner, { error, calls });
    else await endAfterFaults(deps, run, target ?? owner, { error, calls });
  }
  onAnswer(result);
}

/** Commits a page, prepares the next one and fetches the one after it at the same time. Pages are committed in order. */
async function readPages(deps: RunReadServices, scan: ReadScan): Promise<void> {
  const { run } = scan;
  const startedMs = elapsedMs();
  const counts = readCounts(run);
  let position: ReadPosition = { stage: run.stage, checkpoint: run.checkpoint, untilTime: run.untilTime };
  let fetching: Promise<FetchedPage> | undefined;
  let saving = Promise.resolve(true);
  const yieldTurn = yieldToCallers(deps.ledger);
  try {
    for (;;) {
      // A page that is being fetched is used: a provider that keeps the place of a scan would leave it out the next time.
      const wait = fetching ? undefined : await findReasonToWait(deps, scan);
      if (wait) {
        if (await saving) await wait();
        return;
      }
      fetching ??= fetchPage(deps, scan, position);
      const prepared = await preparePage(deps, scan, { fetching, saving, counts, startedMs });
      if (!prepared) return;
      const { next, isTurnOver } = prepared;
      fetching = next && prepared.goesOn ? fetchPage(deps, scan, next) : undefined;
      // A failure is handled when the page is awaited, after the page before it is committed.
      fetching?.catch(() => {});
      if (!(await saving)) return;
      saving = savePage(deps, scan, prepared);
      saving.catch(() => {});
      if (!next || isTurnOver) {
        await saving;
        return;
      }
      position = next;
      if (run.kind === "backfill") await yieldTurn();
    }
  } finally {
    await saving.catch(() => {});
  }
}

interface PreparedPage {
  commit: ReadPageCommit;
  /** Records of this page alone. */
  read: ReturnType<typeof subtractCounts>;
  /** Call it once the page is committed. */
  noteVisit: () => void;
  next: ReadPosition | undefined;
  isTurnOver: boolean;
  /** Whether the next page may be requested at once. */
  goesOn: boolean;
}

interface PageUnderWay {
  fetching: Promise<FetchedPage>;
  /** The commit of the page before. */
  saving: Promise<boolean>;
  counts: ReadCounts;
  startedMs: number;
}

/**
 * Awaits a page and builds its commit; undefined if the page before was not committed. A function of its own, because the frame of a
 * waiting one keeps its variables: the records must be free while their messages are stored and the next page is read. Otherwise they
 * grow old in V8's heap, where only a collection of the whole heap frees them.
 */
async function preparePage(
  deps: RunReadServices,
  scan: ReadScan,
  { fetching, saving, counts, startedMs }: PageUnderWay,
): Promise<PreparedPage | undefined> {
  const { run } = scan;
  const page = await fetching;
  if (page.stage === "records") deps.budgets.note(run.connectionId, page.page.usage);
  // Which deletions are delivered depends on the records before them, so those are committed first.
  else if (!(await saving)) return undefined;
  const before = { ...counts };
  const isTurnOver = elapsedMs() - startedMs > TURN_MS;
  // Asked before a further page is requested, since that page has to be used, and beside the work on this one.
  const mayGoOn = page.page.next !== undefined && !isTurnOver;
  const [{ commit, next }, reason] = await Promise.all([
    buildPageCommit(deps, scan, { page, counts, release: isTurnOver }),
    mayGoOn ? findReasonToWait(deps, scan) : undefined,
  ]);
  const noteVisit = deps.scans.check(run.operationId, page, next);
  return {
    commit,
    read: subtractCounts(before, counts),
    noteVisit,
    next,
    isTurnOver,
    goesOn: mayGoOn && !reason,
  };
}

/** Returns a function that makes the run wait; undefined if another page may be read. */
async function findReasonToWait(
  deps: RunReadServices,
  scan: ReadScan,
): Promise<(() => Promise<void>) | undefined> {
  const { run } = scan;
  if (await isBehind(deps, scan)) return () => waitForDestination(deps, run, "behind");
  const spent = deps.budgets.spentFor(run.connectionId, run.kind);
  return spent && (() => waitForCalls(deps, run, spent));
}

/** Commits a page; false if the run was stopped or another process has it. */
async function savePage(
  deps: RunReadServices,
  scan: ReadScan,
  { commit, read, noteVisit }: PreparedPage,
): Promise<boolean> {
  const { run, target } = scan;
  if (!(await deps.commit(commit))) return false;
  deps.waiting.stored(target.destination.id, commit.messages.length);
  const { untilTime, stage, checkpoint } = commit;
  Object.assign(run, { untilTime, stage, checkpoint, attempts: 0 });
  run.metadata = { ...run.metadata, ...commit.metadata };
  deps.readMeter?.pageRead(read);
  if (commit.end) deps.readMeter?.ended(commit.end.status);
  if (commit.messages.some(({ held }) => held)) await releaseHeld(deps.database.data, run);
  noteVisit();
  const learned = scan.learning === "done" ? scan.shaper.takeLearned() : undefined;
  if (learned) {
    await rememberFields(deps.database.data, run, learned);
    run.knownFields = [...(run.knownFields ?? []), ...learned];
  }
  return true;
}

const subtractCounts = (before: ReadCounts, { delivered, unchanged, deleted }: ReadCounts) => ({
  delivered: delivered - before.delivered,
  unchanged: unchanged - before.unchanged,
  deleted: deleted - before.deleted,
});

/** Returns whether too many messages wait for the destination, or are held until they are requested. */
async function isBehind({ database, waiting }: RunReadServices, scan: ReadScan): Promise<boolean> {
  const { definition, destination } = scan.target;
  if (definition.delivery.mode !== "onRequest") return waiting.isBehind(destination.id);
  return (await countHeld(database.data, scan.run, MAX_HELD_MESSAGES)) >= MAX_HELD_MESSAGES;
}

/** Executes reads: claims runs in turns, reads some pages of each, and returns it to the end of the queue. */
import type { RecentMessages } from "../../events/recent-messages.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { Tracer } from "../../../ground/tracer.ts";
import { startClaimLoop, type ClaimLoop } from "../../jobs/claim-loop.ts";
import { computeBackoffMs } from "../../jobs/backoff.ts";
import { withOrphanRecovery } from "../../jobs/recovering-loop.ts";
import { openSharedCommit } from "../../jobs/shared-commit.ts";
import { readClaimers } from "../../store/processes/list-claimers.ts";
import { commitReadPages, type ReadPageCommit } from "../../store/reads/read-pages.ts";
import {
  claimRuns,
  findNextRunDueMs,
  putBackRun,
  recoverRuns,
  releaseRuns,
  type ClaimedRun,
} from "../../store/reads/read-runs.ts";
import type { ProcessIdentity } from "../../jobs/process-identity.ts";
import { openReadPaces } from "../records/paced-fetch.ts";
import { openCallBudgets } from "./call-budgets.ts";
import type { RunReadServices } from "./read-services.ts";
import { chooseRuns } from "./read-turns.ts";
import { runRead } from "./run-read.ts";
import { openScanMemory } from "./scan-memory.ts";
import { openWaitingMessages } from "./waiting-messages.ts";

export interface ReadWorkerServices extends Omit<
  RunReadServices,
  "paces" | "budgets" | "waiting" | "scans" | "commit" | "workerId"
> {
  identity: ProcessIdentity;
  recentMessages: RecentMessages;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
}

/** A page that waits for its commit. */
interface PageToCommit {
  page: ReadPageCommit;
  isCommitted: boolean;
}

/** Small pages of different runs share a commit; large ones would make it long. */
const MAX_PAGES_IN_COMMIT = 16;
const LIMITS = {
  /** Runs that a process reads at once: each holds pages in memory. */
  places: 64,
  /** PostgreSQL takes longer to plan a claim than to execute it, so one claim waits for several due runs. */
  gatherMs: 20,
  /** Runs that another process has inserted are found after this time; runs of this process wake the loop. */
  pollMs: 1_000,
};
/** The same holds for the commit of a small page, which waits for other pages. */
const COMMIT_GATHER = { items: MAX_PAGES_IN_COMMIT, ms: 5 };

/** Starts at once and runs until it is stopped. */
export function startReadWorker(deps: ReadWorkerServices): ClaimLoop {
  const { log, identity, retryBaseMs } = deps;
  const { data } = deps.database;
  const services: RunReadServices = {
    ...deps,
    workerId: () => identity.id,
    paces: openReadPaces(),
    budgets: openCallBudgets(deps.minuteMs),
    waiting: openWaitingMessages(deps.database, deps.minuteMs),
    scans: openScanMemory(),
    commit: openPageCommits(deps),
  };
  const loop = startClaimLoop<ClaimedRun>({
    what: "reads",
    log,
    source: {
      claim: async (limit, capacity) => {
        return claimRuns(data, identity.id, await chooseRuns(data, limit, capacity));
      },
      release: (runs) => releaseRuns(data, identity.id, listIds(runs)),
      postpone: ({ operationId, attempts }) => {
        const dueTime = new Date(nowMs() + computeBackoffMs({ attempts: attempts + 1, baseMs: retryBaseMs }));
        const again = { operationId, workerId: identity.id, dueTime, attempts: attempts + 1 };
        return putBackRun(data, { ...again, waitsFor: null, log: [] });
      },
      recover: (held) => recoverRuns(data, identity.id, listIds(held)),
      nextDueMs: () => findNextRunDueMs(data),
    },
    run: (run, onAnswer) => runRead(services, run, onAnswer),
    work: ({ operationId, projectId, installationId, connectionId, objectName, kind }) => ({
      tracer: deps.tracer,
      caller: undefined,
      ids: { projectId, installationId, connectionId, operationId },
      name: "read pages",
      kind: "internal",
      attributes: {
        "busbar.operation.id": operationId,
        "busbar.project.id": projectId,
        "busbar.installation.id": installationId,
        "busbar.object": objectName,
        "busbar.read.kind": kind,
      },
    }),
    getId: ({ operationId }) => operationId,
    getKey: ({ connectionId }) => connectionId,
    getGroup: ({ projectId }) => projectId,
    // A run that was returned is due again, and the end of a triggered one lets the next one begin.
    unblocksOthers: () => true,
    ...LIMITS,
  });
  return withOrphanRecovery(loop, {
    log,
    identity,
    listClaimers: () => readClaimers(data, "readRuns"),
    recover: (deadProcess) => recoverRuns(data, deadProcess),
  });
}

/** Commits pages of different runs together. */
function openPageCommits({ database, recentMessages }: ReadWorkerServices): RunReadServices["commit"] {
  const pages = openSharedCommit<PageToCommit>(
    async (items) => {
      for (const { page } of items) recentMessages.keep(page.messages.filter(({ held }) => !held));
      const committed = await commitReadPages(
        database.data,
        items.map(({ page }) => page),
      );
      for (const item of items) item.isCommitted = committed.has(item.page.operationId);
    },
    { maxItems: MAX_PAGES_IN_COMMIT, maxUnderWay: 4, gather: COMMIT_GATHER },
  );
  return async (page) => {
    const item: PageToCommit = { page, isCommitted: false };
    await pages.add(item);
    return item.isCommitted;
  };
}

const listIds = (runs: ClaimedRun[]): string[] => runs.map(({ operationId }) => operationId);

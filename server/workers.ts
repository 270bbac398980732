/** The background work of a process with the `worker` role, started and stopped together. */
import { openOperations } from "./agents/api-operations.ts";
import { startApprovalWorker } from "./agents/approvals/approval-worker.ts";
import { openAudit } from "./access/audit-change.ts";
import { listProxyCallRoutes } from "./api/proxy-calls/proxy-calls.ts";
import { listIntegrationRoutes } from "./api/integrations/integrations.ts";
import { listRetentionRules } from "./retention-rules.ts";
import { repeatTrials } from "./calls/repeat-trials.ts";
import { startRefreshAhead } from "./calls/refresh-ahead.ts";
import { startDeliveries } from "./deliver/delivery-engine.ts";
import { rememberMessages } from "./events/recent-messages.ts";
import { startRetention } from "./jobs/retention.ts";
import { type Rounds, startRounds } from "./jobs/rounds.ts";
import type { Services } from "./services.ts";
import { startReading } from "./read/start-reading.ts";
import { awaitAllPushes } from "./subscribe/receive/await-pushes.ts";
import { startSubscribing } from "./subscribe/start-subscribing.ts";
import { watchHealth } from "./watch/health-watcher.ts";
import { startSchemaWatcher } from "./watch/schema-watcher.ts";
import { takeBackBroken, type BrokenMoves } from "./store/moves/take-back.ts";
import { startWriteWorker } from "./write/queue/write-worker.ts";

export interface Workers {
  /** False if some of it has stopped unexpectedly. */
  readonly running: boolean;
  /** Ends what the version before could not go on with: takes apart the pushes that were answered. Never rejects. */
  finishPushes(): Promise<void>;
  stop(): Promise<void>;
}

const FINISH_MS = 5_000;
/** What a process left in the outbox when it died, or while the data side was away, waits for so long. */
const OUTBOX_EVERY_MS = 500;
/** One database has nothing in the outbox, except after a restore from two. */
const SPARE_OUTBOX_EVERY_MS = 30_000;

export function startWorkers(deps: Services): Workers {
  const shards = new Set<ShardWorkers>();
  const endShards = deps.shards.keepWorking((services) => {
    const started = startShardWorkers(services);
    shards.add(started);
    return () => started.stop().finally(() => shards.delete(started));
  });
  const callOperation = openOperations(
    [...listIntegrationRoutes(deps), ...listProxyCallRoutes(deps)],
    openAudit(deps),
  );
  const approvals = startApprovalWorker({ ...deps, callOperation, workerId: () => deps.identity.id });
  const refreshes = startRefreshAhead({ ...deps, maxConcurrent: deps.config.tokenRefreshes.max });
  const trials = repeatTrials(deps);
  const sweeper = startRetention({ log: deps.log, rules: listRetentionRules(deps) });
  const outbox = carryChangesOver(deps);
  const moves = endBrokenMoves(deps);
  deps.newApprovals.wakes(approvals);
  let stopping: Promise<unknown> | undefined;
  return {
    get running() {
      return !stopping && [approvals, ...shards].every(({ running }) => running);
    },
    async finishPushes() {
      if (!stopping) await awaitAllPushes(deps, FINISH_MS).catch(() => {});
    },
    stop: async () => {
      const all = [approvals, refreshes, trials, outbox, moves, sweeper];
      stopping ??= Promise.all([endShards(), ...all.map((one) => one.stop())]);
      await stopping;
    },
  };
}

type ShardWorkers = Omit<Workers, "finishPushes">;

/** Starts what works for the customers of one shard, and knows of no other. */
function startShardWorkers(deps: Services): ShardWorkers {
  const recentMessages = rememberMessages();
  const writes = startWriteWorker({
    ...deps,
    workerId: () => deps.identity.id,
    retryBaseMs: deps.config.retryBaseSeconds * 1_000,
  });
  const reads = startReading({
    ...deps,
    retryBaseMs: deps.config.retryBaseSeconds * 1_000,
    readMeter: deps.metrics?.readMeter,
    recentMessages,
  });
  const subscriptions = startSubscribing({
    ...deps,
    publicUrl: () => deps.address.publicUrl,
    retryBaseMs: deps.config.retryBaseSeconds * 1_000,
    windowMs: deps.config.subscribeCoalesceSeconds * 1_000,
    pollMs: deps.config.subscribePollSeconds * 1_000,
    silenceMs: deps.config.subscribeSilenceSeconds * 1_000,
    subscribeMeter: deps.metrics?.subscribeMeter,
  });
  const deliveries = startDeliveries({
    ...deps,
    publicUrl: () => deps.address.publicUrl,
    onAttempt: deps.metrics?.onAttempt,
    recentMessages,
  });
  const schemas = startSchemaWatcher(deps);
  const health = watchHealth(deps);
  deps.newWrites.wakes(writes);
  return {
    get running() {
      return [writes, reads, subscriptions, deliveries].every(({ running }) => running);
    },
    async stop() {
      // The API may go on, as during an upgrade: workers of other processes are told then.
      deps.newWrites.wakesNone();
      if (deps.database.shards[0] === deps.database) deps.newPushes.wakesNone();
      const all = [writes, reads, subscriptions, deliveries, schemas, health];
      await Promise.all(all.map((one) => one.stop()));
    },
  };
}

const BROKEN_MOVES_EVERY_MS = 10_000;

/** Serves customers again whose move was broken off, as when the connection of whoever gave the command was cut. */
function endBrokenMoves({ database, log }: Services): Rounds {
  const known: BrokenMoves = new Map();
  return startRounds({
    what: "take back moves of customers that were broken off",
    log,
    everyMs: BROKEN_MOVES_EVERY_MS,
    async round() {
      for (const { groupRef, projectId } of await takeBackBroken(database, known))
        log.warn({ groupRef, projectId }, "the move of a customer was broken off, and is taken back");
      return false;
    },
  });
}

/** Carries over what processes have left in the outbox. */
const carryChangesOver = ({ database, log }: Services): Rounds =>
  startRounds({
    what: "carry changes over",
    log,
    everyMs: database.control === database.data ? SPARE_OUTBOX_EVERY_MS : OUTBOX_EVERY_MS,
    round: () => database.outbox.carryOver(),
  });

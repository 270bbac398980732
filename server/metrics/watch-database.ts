/** Gauges of what waits in the database, and of this process's connections to it. */
import { Gauge, type Registry } from "@prometheus-io/client";
import { clockAheadMs } from "../../ground/clock.ts";
import type { Pool } from "pg";
import type { Database } from "../store/database/database.ts";
import { areCopiesComplete, readWorstState, type DatabaseState } from "../store/database/readiness.ts";
import { REPORTED_REASONS } from "../store/integrations/reported-health.ts";
import { readQueueDepths, type QueueDepths } from "../store/processes/queue-depths.ts";

/** A scrape waits this long for the database. */
const DATABASE_MS = 1_000;

/** Adds gauges for the pool and the queues. If the database does not answer, the queues are missing and `up` is 0. */
export function watchDatabase(registry: Registry, database: Database): void {
  // First, so that the scrape's own query is not counted.
  watchPool(registry, database);
  watchClock(registry);
  const ask = shareRuns(() =>
    Promise.race([readQueueDepths(database).catch(() => undefined), waitFor(DATABASE_MS)]),
  );
  const gauge: AddGauge = (name, help, read) =>
    void new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const depths = await ask();
        if (depths) this.set(read(depths));
        else this.remove();
      },
    });
  watchQueues(gauge);
  watchSubscriptions(gauge);
  watchPositions(registry, ask);
  watchHealthReasons(registry, ask);
  const up = new Gauge({
    name: "busbar_database_up",
    help: "Whether the database answered this scrape within a second, and takes writes.",
    registers: [],
    async collect() {
      const state = await Promise.race([readWorstState(database), waitFor(DATABASE_MS)]);
      const isUsable = state !== undefined && !UNUSABLE.has(state);
      this.set(isUsable && (await ask()) ? 1 : 0);
    },
  });
  registry.registerMetric(up);
  watchCopies(registry, database);
  watchShards(registry, database);
}

function watchShards(registry: Registry, { shards }: Database): void {
  const up = new Gauge({
    name: "busbar_shard_up",
    help: "Whether this process can use the database of a shard. Only of shards beside the main one.",
    labelNames: ["shard"],
    registers: [],
    collect() {
      this.reset();
      for (const { shard, trouble } of shards.slice(1)) this.set({ shard }, trouble ? 0 : 1);
    },
  });
  registry.registerMetric(up);
}

function watchCopies(registry: Registry, { pool, copied }: Database): void {
  if (!copied) return;
  const complete = new Gauge({
    name: "busbar_copies_complete",
    help: "Whether the second database had all changes of the tables that are copied into it within a second of this scrape. Only with two databases.",
    registers: [],
    async collect() {
      this.set((await areCopiesComplete(pool, copied).catch(() => false)) ? 1 : 0);
    },
  });
  registry.registerMetric(complete);
}

/** States of the database in which requests that store something are refused. */
const UNUSABLE = new Set<DatabaseState>(["away", "full", "unwritable"]);

type AddGauge = (name: string, help: string, read: (depths: QueueDepths) => number) => void;

function watchPool(registry: Registry, { pool, shards }: Database): void {
  // Shards may come and go.
  const listPools = () => [pool, ...shards.flatMap(({ dataPool }) => dataPool ?? [])];
  const sum = (count: (pool: Pool) => number) => listPools().reduce((total, one) => total + count(one), 0);
  const connections = new Gauge({
    name: "busbar_database_connections",
    help: "Connections of this process's pool, and requests that wait for one.",
    labelNames: ["state"],
    registers: [],
    collect() {
      this.set(
        { state: "busy" },
        sum(({ totalCount, idleCount }) => totalCount - idleCount),
      );
      this.set(
        { state: "idle" },
        sum(({ idleCount }) => idleCount),
      );
      this.set(
        { state: "wanted" },
        sum(({ waitingCount }) => waitingCount),
      );
    },
  });
  registry.registerMetric(connections);
}

function watchClock(registry: Registry): void {
  const ahead = new Gauge({
    name: "busbar_clock_ahead_seconds",
    help: "Seconds by which the clock of this machine is ahead of the database's, which is used; negative if it is behind.",
    registers: [],
    collect() {
      this.set(clockAheadMs() / 1_000);
    },
  });
  registry.registerMetric(ahead);
}

function watchQueues(gauge: AddGauge): void {
  gauge("busbar_writes_queued", "Writes that have not ended, up to 100,000.", ({ writes }) => writes);
  gauge(
    "busbar_writes_queued_seconds",
    "Seconds for which the longest waiting of these writes has been due, or was accepted if an attempt has failed.",
    ({ writesSeconds }) => writesSeconds,
  );
  gauge("busbar_deliveries_queued", "Deliveries to be made, up to 200,000.", ({ deliveries }) => deliveries);
  gauge("busbar_gates_closed", "Connections with a closed gate.", ({ closedGates }) => closedGates);
  gauge("busbar_reads_under_way", "Reads that have not ended, up to 100,000.", ({ reads }) => reads);
  gauge(
    "busbar_read_lag_seconds",
    "Seconds since the changes of the object that is furthest behind were read; of objects with a schedule, without paused ones and bad credentials.",
    ({ readLagSeconds }) => readLagSeconds,
  );
  gauge(
    "busbar_outbox_entries_waiting",
    "Entries of the outbox that are not carried over to the data side yet, up to 100,000.",
    ({ waitingChanges }) => waitingChanges,
  );
  gauge(
    "busbar_outbox_entries_waiting_seconds",
    "Seconds since the oldest of these entries was committed.",
    ({ waitingChangesSeconds }) => waitingChangesSeconds,
  );
}

function watchSubscriptions(gauge: AddGauge): void {
  gauge(
    "busbar_subscribe_streams_open",
    "Streams of events that are read.",
    ({ openStreams }) => openStreams,
  );
  gauge(
    "busbar_subscribe_stream_silence_seconds",
    "Seconds since the stream that is silent for longest sent an event or a sign of life; without bad credentials.",
    ({ streamSilenceSeconds }) => streamSilenceSeconds,
  );
  gauge(
    "busbar_subscribe_pushes_waiting",
    "Accepted pushes whose events are not stored yet, up to 100,000.",
    ({ waitingPushes }) => waitingPushes,
  );
  gauge(
    "busbar_subscribe_pushes_waiting_seconds",
    "Seconds since the oldest of these pushes arrived.",
    ({ waitingPushesSeconds }) => waitingPushesSeconds,
  );
  gauge(
    "busbar_subscribe_pushes_set_aside",
    "Accepted pushes whose events could not be stored, five times.",
    ({ pushesSetAside }) => pushesSetAside,
  );
  gauge(
    "busbar_subscribe_events_waiting",
    "Events of active subscriptions that are neither delivered nor filtered, up to 100,000.",
    ({ waitingEvents }) => waitingEvents,
  );
  gauge(
    "busbar_subscribe_events_waiting_seconds",
    "Seconds since the oldest of these events arrived.",
    ({ waitingEventsSeconds }) => waitingEventsSeconds,
  );
}

/** Measures how far behind each source of changes is. A source that no subscription uses has no value. */
function watchPositions(registry: Registry, ask: () => Promise<QueueDepths | undefined>): void {
  const positions = new Gauge({
    name: "busbar_subscribe_position_age_seconds",
    help: "Seconds since the time up to which the changes of the subscription that is furthest behind are known, by source; of active ones, without bad credentials.",
    labelNames: ["source"],
    registers: [],
    async collect() {
      this.reset();
      for (const [source, seconds] of Object.entries((await ask())?.positionAges ?? {}))
        this.set({ source }, seconds);
    },
  });
  registry.registerMetric(positions);
}

/** Measures how many installations have each reason. Every reason has a value, 0 too, so that an alert sees it begin. */
function watchHealthReasons(registry: Registry, ask: () => Promise<QueueDepths | undefined>): void {
  const unhealthy = new Gauge({
    name: "busbar_installations_unhealthy",
    help: "Installations that are unhealthy, by type of reason, as their last event said; up to 100,000 reasons.",
    labelNames: ["reason"],
    registers: [],
    async collect() {
      this.reset();
      const depths = await ask();
      if (!depths) return;
      for (const reason of REPORTED_REASONS) this.set({ reason }, depths.unhealthy[reason] ?? 0);
    },
  });
  registry.registerMetric(unhealthy);
}

/** Shares one run between concurrent callers. */
function shareRuns<Answer>(run: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<Answer> | undefined;
  return () =>
    (running ??= run().finally(() => {
      running = undefined;
    }));
}

const waitFor = (ms: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref());

/**
 * Brings events to their destinations. A loop routes new events and claims waiting deliveries, one statement at a time;
 * both fill the lanes, from which deliveries are sent; results are saved beside the loop. The loop pauses when there is
 * nothing to do or no capacity, until an event, a due delivery or a lane with capacity wakes it.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Egress } from "../egress/egress.ts";
import type { RecentMessages } from "../events/recent-messages.ts";
import { elapsedMs } from "../../ground/clock.ts";
import type { Config } from "../../ground/config.ts";
import type { Log } from "../../ground/log.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { Tracer } from "../../ground/tracer.ts";
import type { ProcessIdentity } from "../jobs/process-identity.ts";
import { recoverOrphans } from "../jobs/recover-orphans.ts";
import { WakeSignal } from "../jobs/wake-signal.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import {
  listDeliveryClaimers,
  releaseDeliveries,
  type AttemptedDelivery,
  failDisabled,
  listClaims,
  updateDeliveries,
  type DeliveryKey,
  type ReleasedDelivery,
} from "../store/deliveries/deliveries.ts";
import { openUnsyncedPool, type UnsyncedPool } from "../store/database/unsynced-pool.ts";
import { openChannels, type Channels } from "./destinations/channels.ts";
import { POLL_MS, WaitingDeliveries } from "./claim-waiting.ts";
import { DestinationHealth } from "./destinations/destination-health.ts";
import { openDestinationNetwork } from "./destinations/destination-network.ts";
import { retrySchedule } from "./retry-schedule.ts";
import { EventRouter, LEAST_EVENTS } from "./route-events.ts";
import { OutcomeWriter } from "./save-outcomes.ts";
import { DeliverySender } from "./send-deliveries.ts";
import { FULL_MS } from "./delivery-capacity.ts";
import { openWebhookRateLimit } from "./destinations/webhook-rate-limit.ts";
import type { DataQueries } from "../store/database/sides.ts";
import { releaseBatches } from "../store/deliveries/delivery-batches.ts";

interface DeliveryServices {
  database: Database;
  changes: Changes;
  identity: ProcessIdentity;
  sealer: Sealer;
  egress: Egress;
  config: Config;
  log: Log;
  publicUrl: () => string;
  recentMessages: RecentMessages;
  /** Called with the state of a delivery after each attempt. */
  onAttempt?: (state: AttemptedDelivery["state"]) => void;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
}

interface Deliveries {
  /** False when the loop has ended without `stop`. */
  readonly running: boolean;
  /** Finishes what is being sent and releases the rest. */
  stop(): Promise<void>;
}

/** Starts delivering in this process, beside any number of other processes. */
export const startDeliveries = (deps: DeliveryServices): Deliveries => new DeliveryEngine(deps);

const MAX_UNSAVED = 4_096;
const RECOVER_MS = 2_000;
/** After little work, the next round waits for more: its statements cost the same for one delivery as for many. */
const GATHER_MS = 5;
const AFTER_ERROR_MS = 1_000;
/** Three connections: for the loop, the results and the rate limit. */
const POOL_SIZE = 3;

class DeliveryEngine implements Deliveries {
  readonly #deps: DeliveryServices;
  readonly #pool: UnsyncedPool;
  readonly #channels: Channels;
  readonly #outcomes: OutcomeWriter;
  readonly #sender: DeliverySender;
  readonly #router: EventRouter;
  readonly #waiting: WaitingDeliveries;
  readonly #wakeSignal = new WakeSignal();
  readonly #stopRecovering: () => void;
  #recoveredMs = -Infinity;
  #stopping = false;
  #loop: Promise<void> | undefined;

  constructor(deps: DeliveryServices) {
    const { config, database, log, sealer, egress } = deps;
    this.#deps = deps;
    this.#pool = openUnsyncedPool(database, log, POOL_SIZE);
    const { control, data } = this.#pool;
    const workerId = (): number => deps.identity.id;
    const timeoutMs = config.webhookTimeoutSeconds * 1000;
    const network = openDestinationNetwork({ egress, dataDir: config.dataDir, timeoutMs });
    this.#channels = openChannels({ data, sealer, network, log });
    const disableAfterSeconds = config.webhookDisableAfterSeconds;
    const health = new DestinationHealth({ database, unsynced: this.#pool, log, disableAfterSeconds });
    this.#outcomes = new OutcomeWriter({
      data,
      log,
      workerId,
      judge: (attempts) => health.judge(attempts),
      onSaved: (results) => this.#waiting.saved(results),
    });
    this.#sender = new DeliverySender({
      outcomes: this.#outcomes,
      health,
      rateLimit: openWebhookRateLimit(control, config.webhooksPerSecond),
      retry: retrySchedule({ gapsSeconds: config.webhookRetrySeconds, minuteMs: config.minuteMs }),
      sealer,
      publicUrl: deps.publicUrl,
      onSpace: () => {
        this.#waiting.capacityFreed();
        this.#wakeSignal.wake();
      },
      onAttempt: deps.onAttempt,
      tracer: deps.tracer,
    });
    const shared = { data, workerId, channels: this.#channels, sender: this.#sender };
    this.#router = new EventRouter({
      ...shared,
      outcomes: this.#outcomes,
      recentMessages: deps.recentMessages,
    });
    this.#waiting = new WaitingDeliveries({ ...shared, onDue: () => this.#wakeDue() });
    this.#subscribe();
    this.#stopRecovering = recoverOrphans({
      log,
      identity: deps.identity,
      listClaimers: () => listDeliveryClaimers(data),
      recover: async (deadProcess) => {
        await releaseDeliveries(data, [deadProcess]);
        this.#wakeDue();
      },
    });
    this.#loop = this.#run();
  }

  #subscribe(): void {
    this.#deps.changes.subscribe((change) => {
      if (change?.table === "destinations") this.#sender.destinationChanged(change.id);
      if (change?.table === "events") this.#wakeSignal.wake();
      if (!change || change.table === "deliveries") this.#wakeDue();
    });
  }

  get running(): boolean {
    return this.#loop !== undefined;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopRecovering();
    this.#sender.stopSending();
    this.#wakeSignal.wake();
    await this.#loop;
    this.#loop = undefined;
    await this.#sender.drain();
    await this.#outcomes.close();
    // Without a database this fails, and other processes release the deliveries of this one.
    await releaseDeliveries(this.#pool.data, [this.#deps.identity.id]).catch(() => {});
    await this.#channels.close();
    await this.#pool.close();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#wakeSignal.clear();
      let restMs = POLL_MS;
      try {
        await this.#recoverLost();
        const found = await this.#fillLanes();
        if (found >= LEAST_EVENTS) continue;
        if (found > 0) {
          await wait(GATHER_MS);
          if (this.#waiting.mayHaveMore || this.#router.mayHaveMore) continue;
        } else if (this.#sender.lanes.fits === 0 || this.#hasManyUnsaved) restMs = FULL_MS;
      } catch (err) {
        if (!this.#stopping) this.#deps.log.warn({ err }, "deliveries wait: the database cannot be used");
        restMs = AFTER_ERROR_MS;
      }
      if (!this.#stopping) await this.#wakeSignal.rest(restMs);
    }
  }

  /** Returns how many deliveries and events were found; more may follow where there were some. */
  async #fillLanes(): Promise<number> {
    this.#sender.freeCapacity();
    if (this.#hasManyUnsaved) return 0;
    const claimed = await this.#waiting.claim();
    return claimed + (await this.#router.route());
  }

  get #hasManyUnsaved(): boolean {
    return this.#outcomes.size > MAX_UNSAVED;
  }

  #wakeDue(): void {
    this.#waiting.markDue();
    this.#wakeSignal.wake();
  }

  async #recoverLost(): Promise<void> {
    if (elapsedMs() - this.#recoveredMs < RECOVER_MS) return;
    this.#recoveredMs = elapsedMs();
    await recoverDeliveries(this.#pool.data, this.#deps.identity.id, {
      batchIds: this.#outcomes.batchIds,
      holds: (key) => this.#waiting.holds(key),
    });
  }
}

/** The deliveries that this process works on. Others that are claimed under its number are lost. */
interface HeldDeliveries {
  batchIds: string[];
  holds(key: DeliveryKey): boolean;
}

const MAX_FAILED = 1_000;

/**
 * Releases what this process has claimed and lost. Call it while no statement of this process claims or routes: its deliveries would
 * look lost.
 */
async function recoverDeliveries(
  queries: DataQueries,
  workerId: number,
  held: HeldDeliveries,
): Promise<void> {
  // Done regularly, not only after errors: a statement whose connection broke may commit long afterwards.
  await releaseBatches(queries, [workerId], held.batchIds);
  const lost = (await listClaims(queries, workerId))
    .filter((key) => !held.holds(key))
    .map((key): ReleasedDelivery => ({ ...key, kind: "released" }));
  if (lost.length > 0) await updateDeliveries(queries, workerId, lost);
  await failDisabled(queries, MAX_FAILED);
}

/** Brings events to their destinations: routes them, claims what is due, hands it over, and notes what came of it. */
import { setTimeout as wait } from "node:timers/promises";
import type { Message } from "../../destination-kit/destination.ts";
import type { Egress } from "../egress/open-egress.ts";
import { elapsedMs } from "../ground/clock.ts";
import type { Config } from "../ground/config.ts";
import { newId } from "../ground/ids.ts";
import type { Log } from "../ground/log.ts";
import type { Sealer } from "../ground/seal.ts";
import type { ProcessIdentity } from "../jobs/process-identity.ts";
import type { Changes } from "../store/changes.ts";
import type { Database } from "../store/database.ts";
import {
  claimDeliveries,
  notAttempted,
  releaseDeliveries,
  type Claim,
  type ClaimedDelivery,
  type FinishedAttempt,
} from "../store/deliveries.ts";
import { routeEvents, type RoutedDelivery } from "../store/delivery-batches.ts";
import { listEventsById, type StoredEvent } from "../store/events.ts";
import { openUnsyncedPool, type UnsyncedPool } from "../store/unsynced-pool.ts";
import { attemptDelivery, type DeliveryResult } from "./attempt-delivery.ts";
import { openChannels, type Channels, type OpenDestination } from "./channels.ts";
import { eventFileUrl } from "./event-files.ts";
import { shrinkMessage } from "./shrink-message.ts";
import { DEPTH, FAILING_DEPTH, FULL_MS, Lanes } from "./lanes.ts";
import { OutcomeWriter } from "./save-outcomes.ts";
import { openWebhookRateLimit, type WebhookRateLimit } from "./webhook-rate-limit.ts";
import { retrySchedule, type Retry } from "./retry-schedule.ts";
import { recoverDeliveries } from "./recover-deliveries.ts";
import { openDestinationNetwork } from "./destination-network.ts";

export interface DeliveryServices {
  database: Database;
  changes: Changes;
  identity: ProcessIdentity;
  sealer: Sealer;
  egress: Egress;
  config: Config;
  log: Log;
  publicUrl: () => string;
  /** Told of every attempt: what the delivery is afterwards. */
  onAttempt?: (state: FinishedAttempt["state"]) => void;
}

export interface Deliveries {
  /** False when it has stopped although nobody asked it to. */
  readonly running: boolean;
  /** Ends what is under way and gives back the rest. */
  stop(): Promise<void>;
}

/** Starts delivering in this process, beside any number of others. */
export function startDeliveries(deps: DeliveryServices): Deliveries {
  const engine = new DeliveryEngine(deps);
  engine.start();
  return engine;
}

/** Events that one statement routes: more while it is quick. */
const LEAST_EVENTS = 50;
const MOST_EVENTS = 1_000;
const ROUTE_MS = 100;
const MOST_CLAIMED = 1_024;
const MOST_UNNOTED = 4 * MOST_CLAIMED;
/** Finds what no signal told of: deliveries that have become due, or that a dead process had. */
const POLL_MS = 500;
const CARE_MS = 2_000;
/** Where there was little to do, the next look waits for company: its statements cost the same for one as for many. */
const GATHER_MS = 5;
const AFTER_ERROR_MS = 1_000;
/** Three connections: the loop, the notes and the pace. */
const POOL_SIZE = 3;

interface Item {
  claimed: ClaimedDelivery;
  event: StoredEvent;
  destination: OpenDestination;
  /** How many changes of destinations were known when this was read. */
  asOf: number;
}

class DeliveryEngine {
  readonly #deps: DeliveryServices;
  readonly #relaxed: UnsyncedPool;
  readonly #channels: Channels;
  readonly #notes: OutcomeWriter;
  readonly #lanes: Lanes<Item>;
  readonly #pace: WebhookRateLimit;
  readonly #retry: Retry;
  /** Changes of destinations so far, and the number of each one's last. */
  #changes = 0;
  readonly #lastChange = new Map<string, number>();
  #wake: () => void = () => {};
  #woken = false;
  #stopping = false;
  #loop: Promise<void> | undefined;
  /** The rows claimed that are not noted yet. */
  readonly #mine = new Set<string>();
  #caredMs = -Infinity;
  #mostEvents = LEAST_EVENTS;
  /** Deliveries that an event of the last routing made. */
  #fanOut = 1;
  /** Deliveries may wait in the database that a lane had no room for. */
  #waits = true;
  /** It is time to look for deliveries that wait. */
  #due = true;
  #claimedMs = -Infinity;

  constructor(deps: DeliveryServices) {
    const { config, database, log, sealer } = deps;
    this.#deps = deps;
    this.#relaxed = openUnsyncedPool(database.connectionString, log, POOL_SIZE);
    const { queries } = this.#relaxed;
    const timeoutMs = config.webhookTimeoutSeconds * 1000;
    const world = openDestinationNetwork({ egress: deps.egress, dataDir: config.dataDir, timeoutMs });
    this.#channels = openChannels({ queries, sealer, world, log });
    this.#notes = new OutcomeWriter({
      database,
      relaxed: queries,
      log,
      workerId: () => deps.identity.id,
      disableAfterSeconds: config.webhookDisableAfterSeconds,
      onNoted: (ended) => this.#noted(ended),
    });
    this.#lanes = new Lanes(
      (item) => this.#deliver(item),
      () => this.#signal(this.#waits),
    );
    this.#pace = openWebhookRateLimit(queries, config.webhooksPerSecond);
    const { webhookRetrySeconds: gapsSeconds, minuteMs } = config;
    this.#retry = retrySchedule({ gapsSeconds, minuteMs });
  }

  get running(): boolean {
    return this.#loop !== undefined;
  }

  start(): void {
    this.#deps.changes.subscribe((change) => {
      if (change?.table === "destinations") {
        this.#lastChange.set(change.id, ++this.#changes);
      }
      if (change?.table === "events") this.#signal();
      if (!change || change.table === "deliveries") this.#signal(true);
    });
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#signal();
    await this.#loop;
    this.#loop = undefined;
    this.#pace.stop();
    await this.#lanes.drain();
    await this.#notes.close();
    // The database may be gone before we are; then others see that this worker is.
    await releaseDeliveries(this.#relaxed.queries, [this.#deps.identity.id]).catch(() => {});
    await this.#channels.close();
    await this.#relaxed.close();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      let pauseMs = POLL_MS;
      this.#woken = false;
      try {
        await this.#care();
        const did = await this.#cycle();
        if (did >= LEAST_EVENTS) continue;
        if (did > 0) {
          await wait(GATHER_MS);
          continue;
        }
        if (this.#lanes.fits === 0 || this.#isFull) pauseMs = FULL_MS;
      } catch (err) {
        if (!this.#stopping) this.#deps.log.warn({ err }, "deliveries wait: the database cannot be used");
        pauseMs = AFTER_ERROR_MS;
      }
      await this.#pause(pauseMs);
    }
  }

  /** `due`: deliveries that wait can be claimed. */
  #signal(due = false): void {
    this.#due ||= due;
    this.#woken = true;
    this.#wake();
  }

  async #pause(pauseMs: number): Promise<void> {
    if (this.#woken || this.#stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** No more is taken on than can be kept in mind. */
  get #isFull(): boolean {
    return this.#lanes.isFull || this.#notes.size > MOST_UNNOTED;
  }

  /** How much there was to do: where there was something may be more. */
  async #cycle(): Promise<number> {
    this.#lanes.shed().forEach(({ claimed }) => this.#giveBack(claimed));
    if (this.#isFull) return 0;
    const claimed = this.#due || elapsedMs() - this.#claimedMs >= POLL_MS ? await this.#claimWaiting() : 0;
    const events = Math.min(this.#mostEvents, this.#lanes.fits, Math.ceil(MOST_CLAIMED / this.#fanOut));
    const routed = events > 0 ? await this.#route(events) : 0;
    return claimed + routed;
  }

  /** Makes the deliveries of new events, as many as can be sent at once; how many events it were. */
  async #route(mostEvents: number): Promise<number> {
    const started = elapsedMs();
    const asOf = this.#changes;
    const batch = { batchId: newId(), workerId: this.#deps.identity.id, mostEvents };
    const { events, aims, stored } = await routeEvents(this.#relaxed.queries, batch);
    const most = this.#mostEvents * (elapsedMs() - started < ROUTE_MS ? 2 : 0.5);
    this.#mostEvents = Math.min(MOST_EVENTS, Math.max(LEAST_EVENTS, Math.floor(most)));
    if (events > 0) this.#fanOut = Math.max(1, aims.length / events);
    await this.#takeFirst(batch.batchId, aims, stored, asOf);
    return events;
  }

  /** Puts new deliveries into the lanes; those that no lane has room for are put down, to be claimed later. */
  async #takeFirst(
    batchId: string,
    aims: RoutedDelivery[],
    events: Map<string, StoredEvent>,
    asOf: number,
  ): Promise<void> {
    if (aims.length === 0) return;
    const destinations = await this.#channels.get(aims);
    this.#notes.open(batchId, aims.length);
    const room = new Map<string, number>();
    for (const aim of aims) {
      const { destinationId, eventId, failingSince, disabled } = aim;
      const destination = destinations.get(destinationId);
      const event = events.get(eventId);
      const fits = room.get(destinationId) ?? this.#lanes.space(destinationId, failingSince !== null);
      if (disabled) {
        const attempt = notAttempted();
        this.#notes.add({
          finished: { destinationId, eventId, state: "failed", delayMs: 0, attempt },
          batchId,
        });
      } else if (destination && event && fits > 0 && this.#lanes.room > 0) {
        room.set(destinationId, fits - 1);
        this.#enter({ claimed: { ...aim, failures: 0, batchId }, event, destination, asOf });
      } else {
        this.#giveBack({ destinationId, eventId, batchId });
      }
    }
  }

  /** Takes what waits in the database: what is repeated, and what found no room when it was made. */
  async #claimWaiting(): Promise<number> {
    const { queries } = this.#relaxed;
    const claim = this.#claim();
    const asOf = this.#changes;
    this.#claimedMs = elapsedMs();
    this.#due = false;
    const claimed = await claimDeliveries(queries, claim);
    this.#due ||= claimed.length > 0;
    // A lane without room may be why nothing came.
    this.#waits = claimed.length > 0 || claim.lanes.some(({ free }) => free === 0);
    if (claimed.length === 0) return 0;
    const events = await listEventsById(queries, [...new Set(claimed.map((row) => row.eventId))]);
    const destinations = await this.#channels.get(claimed);
    for (const row of claimed) {
      const destination = destinations.get(row.destinationId);
      const event = events.get(row.eventId);
      // Deleted since it was claimed: nothing is left to tell, or nobody to tell it to. The sweep removes it.
      if (!destination || !event) continue;
      this.#mine.add(keyOf(row));
      this.#enter({ claimed: row, event, destination, asOf });
    }
    return claimed.length;
  }

  #claim(): Claim {
    return {
      workerId: this.#deps.identity.id,
      room: Math.min(MOST_CLAIMED, Math.max(0, this.#lanes.room)),
      depth: DEPTH,
      failingDepth: FAILING_DEPTH,
      lanes: this.#lanes.free(),
    };
  }

  /** Into the lane of its destination. */
  #enter(item: Item): void {
    const { destinationId, failingSince } = item.claimed;
    this.#notes.saw(destinationId, failingSince !== null);
    this.#lanes.add(destinationId, item, failingSince !== null);
  }

  async #deliver(item: Item): Promise<void> {
    const { destination, claimed, asOf } = item;
    const { destinationId, failures, batchId } = claimed;
    if (destination.type.paced) await this.#pace.take(destination.row.projectId);
    if (this.#stopping || (this.#lastChange.get(destinationId) ?? 0) > asOf) {
      // Changed, disabled or deleted while this was in line: to be claimed again as things are now.
      return this.#giveBack(claimed);
    }
    const ended = await attemptDelivery(destination, this.#message(item), failures, this.#retry);
    this.#deps.onAttempt?.(ended.finished.state);
    this.#lanes.judge(destinationId, ended.made.outcome.kind !== "delivered");
    this.#notes.add({ ...ended, batchId });
  }

  #giveBack({
    destinationId,
    eventId,
    batchId,
  }: Pick<ClaimedDelivery, "destinationId" | "eventId" | "batchId">): void {
    this.#notes.add({ finished: { destinationId, eventId, state: "waiting", delayMs: 0 }, batchId });
  }

  #noted(ended: DeliveryResult[]): void {
    let soonestMs = POLL_MS;
    for (const { finished, batchId } of ended) {
      if (batchId === undefined) this.#mine.delete(keyOf(finished));
      if (finished.state !== "waiting") continue;
      // What finds no room is claimed when its lane has some; nobody needs to look before.
      if (finished.delayMs === 0 && this.#lanes.space(finished.destinationId) === 0) this.#waits = true;
      else soonestMs = Math.min(soonestMs, finished.delayMs);
    }
    if (soonestMs < POLL_MS) setTimeout(() => this.#signal(true), soonestMs + 1).unref();
  }

  #message({ event, destination }: Item): Message {
    const { sealer, publicUrl } = this.#deps;
    const { id, projectId, type, createTime, data } = event;
    const message = { id, projectId, topic: type, time: createTime, data, destinationId: destination.row.id };
    return shrinkMessage(message, destination.type.maxMessageBytes, (member) =>
      eventFileUrl(sealer, publicUrl(), { eventId: id, member }),
    );
  }

  async #care(): Promise<void> {
    if (elapsedMs() - this.#caredMs < CARE_MS) return;
    this.#caredMs = elapsedMs();
    await recoverDeliveries(this.#relaxed.queries, this.#deps.identity, {
      batchIds: this.#notes.batchIds,
      has: (claim) => this.#mine.has(keyOf(claim)),
    });
  }
}

const keyOf = ({ destinationId, eventId }: { destinationId: string; eventId: string }): string =>
  `${destinationId} ${eventId}`;

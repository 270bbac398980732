/** Claims deliveries that wait in the database: repeated ones, and those that found no capacity when they were routed. */
import { elapsedMs } from "../../ground/clock.ts";
import type { DataQueries } from "../store/database/sides.ts";
import { claimDeliveries, type ClaimedDelivery, type DeliveryKey } from "../store/deliveries/deliveries.ts";
import { listEventsById } from "../store/deliveries/events.ts";
import type { Channels, OpenDestination } from "./destinations/channels.ts";
import type { DeliveryResult } from "./delivery-result.ts";
import { DEPTH, FAILING_DEPTH } from "./lanes.ts";
import { measureCost, type DeliverySender } from "./send-deliveries.ts";

interface WaitingServices {
  data: DataQueries;
  channels: Channels;
  sender: DeliverySender;
  workerId: () => number;
  /** Called when a delivery has become due. */
  onDue: () => void;
}

const MAX_CLAIMED = 1_024;
/** Events read at once: they may be large, and whether there is capacity for more shows afterwards. */
const MAX_READ = 64;
/** Finds what no signal announced: deliveries that have become due, or that a dead process had. */
export const POLL_MS = 1_000;

export class WaitingDeliveries {
  readonly #deps: WaitingServices;
  /** Claimed rows whose results are not saved. */
  readonly #held = new Set<string>();
  #claimedMs = -Infinity;
  #isDue = true;
  /** Deliveries may wait in the database for capacity in a lane. */
  #waitForCapacity = true;
  /** Average cost of a delivery in the last claim. */
  #averageCost = 1;

  constructor(deps: WaitingServices) {
    this.#deps = deps;
  }

  /** Deliveries may be due: the next `claim` asks the database. */
  markDue(): void {
    this.#isDue = true;
  }

  /** Whether the next claim asks the database without waiting for its time. */
  get mayHaveMore(): boolean {
    return this.#isDue;
  }

  /** Call it when a lane has capacity again. */
  capacityFreed(): void {
    this.#isDue ||= this.#waitForCapacity;
  }

  holds(key: DeliveryKey): boolean {
    return this.#held.has(getKey(key));
  }

  /** Claims what the lanes have capacity for and returns the number; asks the database only when something may be due. */
  async claim(): Promise<number> {
    if (!this.#isDue && elapsedMs() - this.#claimedMs < POLL_MS) return 0;
    const { data, channels, sender, workerId } = this.#deps;
    // Half of what is free: a claim does not divide its capacity between projects.
    const capacity = Math.ceil(sender.lanes.capacity / 2 / this.#averageCost);
    const lanes = sender.lanes.free();
    const fullProjects = sender.lanes.fullProjects();
    const readAfter = sender.changesSeen;
    this.#claimedMs = elapsedMs();
    this.#isDue = false;
    const claimed = await claimDeliveries(data, {
      workerId: workerId(),
      capacity: Math.min(MAX_CLAIMED, capacity),
      depth: DEPTH,
      failingDepth: FAILING_DEPTH,
      lanes,
      fullProjects,
    });
    this.#isDue ||= claimed.length > 0;
    // A lane or project without capacity may be the reason why nothing was found.
    this.#waitForCapacity =
      claimed.length > 0 || capacity === 0 || fullProjects.length > 0 || lanes.some(({ free }) => free === 0);
    if (claimed.length === 0) return 0;
    const destinations = await channels.get(claimed);
    const costs: number[] = [];
    for (let from = 0; from < claimed.length; from += MAX_READ) {
      costs.push(...(await this.#send(claimed.slice(from, from + MAX_READ), destinations, readAfter)));
    }
    if (costs.length > 0) this.#averageCost = costs.reduce((sum, cost) => sum + cost) / costs.length;
    return claimed.length;
  }

  /**
   * Reads the events of claimed deliveries and sends them; releases them when earlier ones were so large that no capacity is
   * left. Returns the cost of each that is sent.
   */
  async #send(
    claimed: ClaimedDelivery[],
    destinations: Map<string, OpenDestination>,
    readAfter: number,
  ): Promise<number[]> {
    const { data, sender } = this.#deps;
    const costs: number[] = [];
    const hasCapacity = sender.lanes.capacity > 0;
    const eventIds = hasCapacity ? [...new Set(claimed.map((row) => row.eventId))] : [];
    const events = await listEventsById(data, eventIds);
    for (const delivery of claimed) {
      const destination = destinations.get(delivery.destinationId);
      const event = events.get(delivery.eventId);
      // Deleted since it was claimed; retention removes the row.
      if (!destination || (hasCapacity && !event)) continue;
      this.#held.add(getKey(delivery));
      if (event) {
        sender.add({ delivery, event, destination, readAfter });
        costs.push(measureCost(event));
      } else sender.release(delivery);
    }
    return costs;
  }

  /** Lets go of what has been saved, and calls `onDue` when the first of what waits again is due. */
  saved(results: DeliveryResult[]): void {
    let soonestMs = POLL_MS;
    for (const result of results) {
      if (result.batchId === undefined) this.#held.delete(getKey(result));
      const dueInMs = computeDueIn(result);
      if (dueInMs === undefined) continue;
      // It is claimed when its lane has capacity; looking for it earlier is of no use.
      if (dueInMs === 0 && this.#deps.sender.lanes.isFull(result.destinationId)) this.#waitForCapacity = true;
      else soonestMs = Math.min(soonestMs, dueInMs);
    }
    if (soonestMs < POLL_MS) setTimeout(this.#deps.onDue, soonestMs + 1).unref();
  }
}

const getKey = ({ destinationId, eventId }: DeliveryKey): string => `${destinationId} ${eventId}`;

/** Milliseconds until a delivery is due again; undefined when it is over. */
function computeDueIn(result: DeliveryResult): number | undefined {
  if (result.kind === "released") return 0;
  return result.kind === "attempted" && result.state === "waiting" ? result.retryInMs : undefined;
}

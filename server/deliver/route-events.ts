/** Routes new events to their destinations, as many as can be sent at once. */
import type { RecentMessages } from "../events/recent-messages.ts";
import { elapsedMs } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import type { DataQueries } from "../store/database/sides.ts";
import { routeEvents, type Routed, type RoutedDelivery } from "../store/deliveries/delivery-batches.ts";
import type { Channels, OpenDestination } from "./destinations/channels.ts";
import type { OutcomeWriter } from "./save-outcomes.ts";
import { LARGE_MESSAGE, type DeliverySender } from "./send-deliveries.ts";

interface RouterServices {
  data: DataQueries;
  channels: Channels;
  outcomes: OutcomeWriter;
  sender: DeliverySender;
  workerId: () => number;
  recentMessages: RecentMessages;
}

/** Events that one statement routes: more while it is quick. */
export const LEAST_EVENTS = 50;
const MAX_EVENTS = 1_000;
const QUICK_MS = 100;
/** Without capacity events are routed all the same, to wait as deliveries; their data is read for nothing. */
const MIN_CAPACITY = 64;
/** Deliveries that one statement should make. */
const MAX_DELIVERIES = 1_024;

export class EventRouter {
  readonly #deps: RouterServices;
  #maxEvents = LEAST_EVENTS;
  /** Deliveries per event of the last statement. */
  #fanOut = 1;
  #mayHaveMore = true;

  constructor(deps: RouterServices) {
    this.#deps = deps;
  }

  /** Whether the last batch left events for the next one. */
  get mayHaveMore(): boolean {
    return this.#mayHaveMore;
  }

  /** Routes one batch of events and returns their number. */
  async route(): Promise<number> {
    const { data, sender, workerId, recentMessages } = this.#deps;
    const maxDeliveries = Math.ceil(MAX_DELIVERIES / this.#fanOut);
    const maxEvents = Math.min(this.#maxEvents, sender.lanes.fits, maxDeliveries);
    if (maxEvents <= 0) return 0;
    const started = elapsedMs();
    const readAfter = sender.changesSeen;
    const batchId = newId();
    const maxBytes = Math.max(MIN_CAPACITY, sender.lanes.capacity) * LARGE_MESSAGE;
    const known = recentMessages.all();
    const routing = { batchId, workerId: workerId(), maxEvents, maxBytes, known };
    const routed = await routeEvents(data, routing);
    recentMessages.forget(routed.stored.keys());
    this.#mayHaveMore = routed.mayBeMore;
    const max = this.#maxEvents * (elapsedMs() - started < QUICK_MS ? 2 : 0.5);
    this.#maxEvents = Math.min(MAX_EVENTS, Math.max(LEAST_EVENTS, Math.floor(max)));
    if (routed.events > 0) this.#fanOut = Math.max(1, routed.deliveries.length / routed.events);
    if (routed.deliveries.length > 0) await this.#take(batchId, routed, readAfter);
    return routed.events;
  }

  /** Puts the new deliveries into the lanes; releases those that no lane has capacity for, to be claimed later. */
  async #take(batchId: string, { deliveries, stored }: Routed, readAfter: number): Promise<void> {
    const { channels, outcomes, sender } = this.#deps;
    const destinations = await channels.get(deliveries);
    outcomes.openBatch(batchId, deliveries.length);
    const space = this.#measureSpace(deliveries, destinations);
    for (const delivery of deliveries) {
      const { destinationId, eventId, disabled } = delivery;
      const destination = destinations.get(destinationId);
      const event = stored.get(eventId);
      const left = space.get(destinationId) ?? 0;
      if (disabled) {
        outcomes.add({ kind: "skipped", destinationId, eventId, batchId });
      } else if (
        destination &&
        event &&
        left > 0 &&
        sender.lanes.hasCapacity(destinationId, event.projectId)
      ) {
        space.set(destinationId, left - 1);
        sender.add({ delivery: { ...delivery, failures: 0, batchId }, event, destination, readAfter });
      } else {
        sender.release({ destinationId, eventId, batchId });
      }
    }
  }

  /** Room per destination before any of these is in its lane: a lane reports none again until it is half empty. */
  #measureSpace(
    deliveries: RoutedDelivery[],
    destinations: Map<string, OpenDestination>,
  ): Map<string, number> {
    const { lanes } = this.#deps.sender;
    const space = new Map<string, number>();
    for (const { destinationId: id, failingSince } of deliveries) {
      const projectId = destinations.get(id)?.row.projectId;
      if (projectId === undefined || space.has(id)) continue;
      space.set(id, lanes.space({ id, projectId, failing: failingSince !== null }));
    }
    return space;
  }
}

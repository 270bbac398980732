/** Sends deliveries through the lanes of their destinations and hands each result to the outcome writer. */
import type { BatchLimits, Message } from "../../destination-kit/destination.ts";
import type { Sealer } from "../../ground/seal.ts";
import { formatTraceparent, startWork, type WorkStart } from "../../ground/span.ts";
import { readTraceparent } from "../../ground/trace-context.ts";
import type { Tracer } from "../../ground/tracer.ts";
import type { AttemptedDelivery, ClaimedDelivery } from "../store/deliveries/deliveries.ts";
import type { StoredEvent } from "../store/deliveries/events.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { BatchGatherer, type Seat } from "./batch-gatherer.ts";
import type { OpenDestination } from "./destinations/channels.ts";
import type { DestinationHealth } from "./destinations/destination-health.ts";
import { buildEventFileUrl } from "./event-files.ts";
import { Lanes } from "./lanes.ts";
import type { Retry } from "./retry-schedule.ts";
import type { OutcomeWriter } from "./save-outcomes.ts";
import { ENVELOPE_BYTES, toMessage } from "./destinations/to-message.ts";
import type { WebhookRateLimit } from "./destinations/webhook-rate-limit.ts";

interface SenderServices {
  outcomes: OutcomeWriter;
  health: DestinationHealth;
  rateLimit: WebhookRateLimit;
  retry: Retry;
  sealer: Sealer;
  publicUrl: () => string;
  /** Called when a lane that was full takes more. */
  onSpace: () => void;
  /** Called with the state of a delivery after each attempt. */
  onAttempt?: (state: AttemptedDelivery["state"]) => void;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
}

/** A delivery with all that is needed to send it. */
interface PreparedDelivery {
  delivery: ClaimedDelivery;
  event: StoredEvent;
  destination: OpenDestination;
  /** `changesSeen` of the sender before `destination` was read. */
  readAfter: number;
}

/** A message counts as one, and as one more for each 16 Ki characters, because the limit on messages limits memory. */
export const LARGE_MESSAGE = 16 * 1024;

/** Returns how many ordinary messages the message of an event counts as. */
export const measureCost = ({ data }: StoredEvent): number => 1 + Math.floor(data.length / LARGE_MESSAGE);

export class DeliverySender {
  readonly lanes: Lanes<PreparedDelivery>;
  readonly #deps: SenderServices;
  /** Changes of destinations so far, and which of them was each destination's last. */
  #changesSeen = 0;
  readonly #lastChange = new Map<string, number>();
  readonly #batches = new BatchGatherer();
  #stopping = false;

  constructor(deps: SenderServices) {
    this.#deps = deps;
    this.lanes = new Lanes({
      run: (prepared, begun) => this.#send(prepared, begun),
      onSpace: deps.onSpace,
      measureCost: ({ event }) => measureCost(event),
    });
  }

  get changesSeen(): number {
    return this.#changesSeen;
  }

  /** Deliveries that are already prepared are released instead of sent. */
  destinationChanged(destinationId: string): void {
    this.#lastChange.set(destinationId, ++this.#changesSeen);
    this.#batches.complete(({ row }) => row.id === destinationId);
  }

  /** Where little capacity is left for a project: sends its incomplete batches, and releases what waits in line for slow receivers. */
  freeCapacity(): void {
    this.#batches.complete(({ row }) => this.lanes.isTight(row.projectId));
    for (const { delivery } of this.lanes.shed()) this.release(delivery);
  }

  /** Puts a delivery into the lane of its destination. */
  add(prepared: PreparedDelivery): void {
    const { delivery, destination } = prepared;
    const { destinationId, failingSince } = delivery;
    const failing = failingSince !== null;
    this.#deps.health.saw(destinationId, failing);
    const { projectId } = destination.row;
    this.lanes.add({ id: destinationId, projectId, failing, batch: destination.batch?.messages }, prepared);
  }

  /** Gives a delivery back without an attempt, for any process to claim. */
  release({
    destinationId,
    eventId,
    batchId,
  }: Pick<ClaimedDelivery, "destinationId" | "eventId" | "batchId">): void {
    this.#deps.outcomes.add({ kind: "released", destinationId, eventId, batchId });
  }

  /** Releases the remaining deliveries instead of sending them. */
  stopSending(): void {
    this.#stopping = true;
    this.#batches.complete(() => true);
  }

  /** Resolves when no request is open. */
  async drain(): Promise<void> {
    this.#deps.rateLimit.stop();
    await this.lanes.drain();
  }

  async #send(prepared: PreparedDelivery, begun: () => void): Promise<void> {
    const { destination, delivery } = prepared;
    if (destination.type.paced) await this.#deps.rateLimit.take(destination.row.projectId);
    if (this.#mustRelease(prepared)) return this.release(delivery);
    const seat = destination.batch && (await this.#takeSeat(prepared, destination.batch));
    try {
      if (seat && this.#mustRelease(prepared)) return this.release(delivery);
      begun();
      await this.#attempt(prepared, seat);
    } finally {
      seat?.giveUp();
    }
  }

  /** A destination that was changed, disabled or deleted meanwhile must be read again first. */
  #mustRelease({ delivery, readAfter }: PreparedDelivery): boolean {
    return this.#stopping || (this.#lastChange.get(delivery.destinationId) ?? 0) > readAfter;
  }

  /** Waits for the other messages of a batch. A batch that the lane does not let grow any more is complete. */
  #takeSeat({ destination, event }: PreparedDelivery, limits: BatchLimits): Promise<Seat> {
    const messages = Math.min(limits.messages, this.lanes.getWidth(destination.row.id));
    const bytes = Buffer.byteLength(event.data) + ENVELOPE_BYTES;
    return this.#batches.join(destination, { ...limits, messages }, bytes);
  }

  async #attempt(prepared: PreparedDelivery, seat: Seat | undefined): Promise<void> {
    const { destination, delivery } = prepared;
    const { destinationId, failures, batchId } = delivery;
    const result = await startWork(describeDeliveryWork(this.#deps.tracer, prepared), async (span) => {
      const message = this.#message(prepared);
      const attempted = await attemptDelivery(destination, message, failures, this.#deps.retry, seat);
      const { state, outcome } = attempted;
      span?.set({ "busbar.delivery.state": state, "http.response.status_code": outcome.status });
      if (state !== "delivered") span?.fail(outcome.kind);
      return attempted;
    });
    this.#deps.onAttempt?.(result.state);
    this.lanes.judge(destinationId, result.outcome.kind !== "delivered");
    this.#deps.outcomes.add({ ...result, batchId });
  }

  #message({ event, destination }: PreparedDelivery): Message {
    const { sealer, publicUrl } = this.#deps;
    const { maxMessageBytes } = destination.type;
    const message = toMessage(event, { id: destination.row.id, maxMessageBytes }, (member) =>
      buildEventFileUrl(sealer, publicUrl(), { eventId: event.id, member }),
    );
    const traceparent = formatTraceparent();
    return traceparent === undefined ? message : { ...message, traceparent };
  }
}

/** An attempt belongs to the trace in which its event was recorded. */
const describeDeliveryWork = (
  tracer: Tracer | undefined,
  { delivery, event, destination }: PreparedDelivery,
): WorkStart => ({
  tracer,
  caller: readTraceparent(event.traceparent),
  ids: { projectId: event.projectId, destinationId: delivery.destinationId, eventId: event.id },
  name: `deliver to ${destination.row.type}`,
  kind: "producer",
  attributes: {
    "busbar.project.id": event.projectId,
    "busbar.destination.id": delivery.destinationId,
    "busbar.event.id": event.id,
    "busbar.event.type": event.type,
    "busbar.attempt": delivery.failures + 1,
  },
});

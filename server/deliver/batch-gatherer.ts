/** Gathers the messages of destinations that take several together, such as warehouses, into batches. */
import type { BatchLimits, Channel, Message, Outcome } from "../../destination-kit/destination.ts";
import type { OpenDestination } from "./destinations/channels.ts";
import { readMessage } from "../../ground/errors.ts";

/** The place of one message in a batch. Either function must be called once the batch is complete; a second call does nothing. */
export interface Seat {
  /** Resolves when the batch was sent, which happens when every place was used or given up. */
  deliver(message: Message): Promise<Outcome>;
  giveUp(): void;
}

export class BatchGatherer {
  /** Batches that are not complete, by the id of their destination. */
  readonly #open = new Map<string, Batch>();

  /** Resolves when the message's batch is complete: full, old enough, or completed by `complete`. */
  join(destination: OpenDestination, limits: BatchLimits, bytes: number): Promise<Seat> {
    const { id } = destination.row;
    let batch = this.#open.get(id);
    // The destination was changed, or the batch has no capacity for this message.
    if (batch && (batch.destination !== destination || batch.bytes + bytes > limits.bytes)) {
      batch.complete();
      batch = undefined;
    }
    if (!batch) {
      const opened = new Batch(destination, limits.waitMs, () => {
        if (this.#open.get(id) === opened) this.#open.delete(id);
      });
      this.#open.set(id, (batch = opened));
    }
    const seat = batch.join(bytes);
    if (batch.size >= limits.messages) batch.complete();
    return seat;
  }

  /** Completes batches whose messages would still wait: those of the destinations for which `isMeant` is true. */
  complete(isMeant: (destination: OpenDestination) => boolean): void {
    for (const batch of this.#open.values()) if (isMeant(batch.destination)) batch.complete();
  }
}

class Batch {
  readonly destination: OpenDestination;
  readonly #seats: ((seat: Seat) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #onComplete: () => void;
  readonly #sending: { message: Message; resolve: (outcome: Outcome) => void }[] = [];
  #undecided = 0;
  #bytes = 0;

  constructor(destination: OpenDestination, waitMs: number, onComplete: () => void) {
    this.destination = destination;
    this.#onComplete = onComplete;
    this.#timer = setTimeout(() => this.complete(), waitMs);
  }

  get size(): number {
    return this.#seats.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  join(bytes: number): Promise<Seat> {
    this.#bytes += bytes;
    const { promise, resolve } = Promise.withResolvers<Seat>();
    this.#seats.push(resolve);
    return promise;
  }

  complete(): void {
    clearTimeout(this.#timer);
    this.#onComplete();
    const seats = this.#seats.splice(0);
    this.#undecided = seats.length;
    for (const resolve of seats) resolve(this.#seat());
  }

  #seat(): Seat {
    let isDecided = false;
    const decide = (): boolean => {
      if (isDecided) return false;
      isDecided = true;
      this.#undecided -= 1;
      return true;
    };
    return {
      deliver: (message) => {
        const { promise, resolve } = Promise.withResolvers<Outcome>();
        this.#sending.push({ message, resolve });
        if (decide()) this.#sendIfDecided();
        return promise;
      },
      giveUp: () => {
        if (decide()) this.#sendIfDecided();
      },
    };
  }

  #sendIfDecided(): void {
    if (this.#undecided === 0 && this.#sending.length > 0) void this.#send();
  }

  async #send(): Promise<void> {
    const sending = this.#sending;
    const outcomes = await deliverAll(
      this.destination.channel,
      sending.map(({ message }) => message),
    );
    for (const [index, { resolve }] of sending.entries()) resolve(outcomes[index] ?? NO_OUTCOME);
  }
}

/** Never throws: a failure is the outcome of every message. */
async function deliverAll(channel: Channel, messages: Message[]): Promise<Outcome[]> {
  try {
    return (await channel.deliverAll?.(messages)) ?? [];
  } catch (error) {
    const reason = readMessage(error);
    return messages.map(() => ({ kind: "failed", error: reason }));
  }
}

const NO_OUTCOME: Outcome = { kind: "failed", error: "the destination's type did not say what became of it" };

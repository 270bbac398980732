// Subscribe call: sends as many events as the client has requested, and empty answers in between.

import { readBytes, encode, readNumber, type Fields } from "./pubsub-wire.ts";
import type { BusEvent, EventBus } from "./event-bus.ts";

const MAX_PENDING = 100;
const PRESETS = { latest: 0, earliest: 1, custom: 2 };

type SubscriberEnds = {
  send(message: Buffer): void;
  /** Ends the call; `code` is the part after Salesforce's prefix. */
  end(code: string, message: string): void;
};

export class Subscriber {
  readonly #bus: EventBus;
  readonly #ends: SubscriberEnds;
  #topic: { event?: string; channel: string } | undefined;
  #topicName = "";
  #sequence = 0;
  #pending = 0;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;
  readonly #stopListening: () => void;

  constructor(bus: EventBus, ends: SubscriberEnds) {
    this.#bus = bus;
    this.#ends = ends;
    this.#stopListening = bus.onEvent(() => this.#deliver());
  }

  /** Processes a FetchRequest. The first one names topic and position. */
  request(fields: Fields): void {
    if (this.#isEnded) return;
    const wanted = readNumber(fields, 4);
    if (wanted <= 0)
      return this.fail("subscription.fetch.requested.events.invalid", "num_requested must be positive");
    const topic = readBytes(fields, 1).toString();
    if (this.#topic === undefined) {
      if (!this.#begin(topic, fields)) return;
    } else if (topic !== "" && topic !== this.#topicName) {
      return this.fail("subscription.fetch.topic.mismatch", "the topic of a call cannot change");
    }
    this.#pending = Math.min(MAX_PENDING, this.#pending + wanted);
    this.#rest();
    this.#deliver();
  }

  #begin(name: string, fields: Fields): boolean {
    this.#topicName = name;
    this.#topic = this.#bus.findTopic(name);
    if (this.#topic === undefined) {
      this.fail("topic.not.found", `the topic ${name} does not exist`);
      return false;
    }
    const preset = readNumber(fields, 2);
    if (preset === PRESETS.custom) {
      const sequence = this.#bus.findSequence(readBytes(fields, 3));
      if (sequence === undefined) {
        this.fail("subscription.fetch.replayid.corrupted", "The Replay ID validation failed");
        return false;
      }
      this.#sequence = sequence;
    } else this.#sequence = preset === PRESETS.earliest ? this.#bus.oldest : this.#bus.latest;
    return true;
  }

  fail(code: string, message: string): void {
    if (this.#isEnded) return;
    this.stop();
    this.#ends.end(code, message);
  }

  stop(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#stopListening();
  }

  #deliver(): void {
    if (this.#isEnded || this.#topic === undefined || this.#bus.settings.silent) return;
    while (this.#pending > 0) {
      const max = Math.min(this.#pending, this.#bus.deliveriesLeft);
      if (max === 0) return this.fail("subscription.limit.exceeded", "The daily allocation is used up");
      const events = this.#bus.eventsAfter(this.#sequence, this.#topic, max);
      const last = events.at(-1);
      if (last === undefined) return;
      this.#bus.delivered += events.length;
      const { duplicate } = this.#bus.settings;
      this.#sequence = last.sequence;
      this.#pending -= events.length;
      this.#send(duplicate ? events.flatMap((event) => [event, event]) : events);
    }
  }

  #send(events: BusEvent[]): void {
    const consumed = events.map((event): [number, Buffer] => {
      const producer = encode([
        [1, `${event.sequence}`],
        [2, event.schemaId],
        [3, event.payload],
      ]);
      return [
        1,
        encode([
          [1, producer],
          [2, this.#bus.replayId(event.sequence)],
        ]),
      ];
    });
    // Positions are those of the whole bus.
    if (events.length === 0) this.#sequence = this.#bus.latest;
    const latest = this.#bus.replayId(this.#sequence);
    this.#ends.send(encode([...consumed, [2, latest], [3, "sandbox"], [4, this.#pending]]));
    this.#rest();
  }

  /** Sends an empty answer, or the events that wait after a silent time. */
  #showLife(): void {
    const before = this.#sequence;
    this.#deliver();
    if (this.#sequence === before) this.#send([]);
  }

  /** Schedules the next empty answer, or the end of a call without open requests. */
  #rest(): void {
    clearTimeout(this.#timer);
    const { keepaliveMs, idleMs } = this.#bus.settings;
    const isIdle = this.#pending === 0;
    this.#timer = setTimeout(
      () => {
        if (this.#isEnded) return;
        if (this.#bus.settings.silent) this.#rest();
        else if (isIdle) this.fail("subscription.fetch.timeout", "no events were requested in time");
        else this.#showLife();
      },
      isIdle ? idleMs : keepaliveMs,
    );
    this.#timer.unref();
  }
}

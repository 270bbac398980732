/** Shares the slots of a process among keys, so that one slow or busy key leaves room for the others. */

/** Items that may run at once for one key. */
const SLOTS_PER_KEY = 16;
/** A key with this many items waiting here needs no more from the queue. */
const ENOUGH_WAITING = 32;

/**
 * What a run taught about its key: the call got through; it was rate limited; it was not sent, because the key is closed
 * for now; it was given up without sending, which teaches nothing.
 */
export type RunResult = "sent" | "rate-limited" | "not-sent" | "given-up";

interface Slots<Item> {
  waiting: Item[];
  running: number;
  limit: number;
}

/**
 * A key that was rate limited is reduced to one slot: when its gate opens again, a single item goes ahead and finds out.
 * Every item that gets through doubles the limit, up to `SLOTS_PER_KEY`.
 */
export class FairSlots<Item> {
  readonly #keyOf: (item: Item) => string;
  readonly #keys = new Map<string, Slots<Item>>();
  #size = 0;

  constructor(keyOf: (item: Item) => string) {
    this.#keyOf = keyOf;
  }

  /** Items that wait for a slot or have one. */
  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    const key = this.#keyOf(item);
    const slots = this.#keys.get(key) ?? { waiting: [], running: 0, limit: SLOTS_PER_KEY };
    slots.waiting.push(item);
    this.#keys.set(key, slots);
    this.#size += 1;
  }

  /** Gives free slots to waiting items and returns these items. */
  take(): Item[] {
    const taken: Item[] = [];
    for (const slots of this.#keys.values()) {
      const next = slots.waiting.splice(0, Math.max(0, slots.limit - slots.running));
      slots.running += next.length;
      taken.push(...next);
    }
    return taken;
  }

  /** Frees the slot of an item that was taken, and adjusts the limit of its key. */
  end(key: string, result: RunResult): void {
    const slots = this.#keys.get(key);
    if (!slots) return;
    if (result === "rate-limited") slots.limit = 1;
    else if (result === "sent") slots.limit = Math.min(SLOTS_PER_KEY, slots.limit * 2);
    slots.running -= 1;
    this.#size -= 1;
    // A reduced limit must outlast the moment at which nothing of its key is here.
    if (slots.running === 0 && slots.waiting.length === 0 && slots.limit === SLOTS_PER_KEY)
      this.#keys.delete(key);
  }

  /** Removes and returns the items of a key that have no slot yet. */
  withdraw(key: string): Item[] {
    const waiting = this.#keys.get(key)?.waiting.splice(0) ?? [];
    this.#size -= waiting.length;
    return waiting;
  }

  withdrawAll(): Item[] {
    return [...this.#keys.keys()].flatMap((key) => this.withdraw(key));
  }

  /** Whether the queue should be asked for more items of this key. */
  needsMore(key: string): boolean {
    const slots = this.#keys.get(key);
    return !slots || !hasEnough(slots);
  }

  /** Keys that need nothing from the queue for now. */
  keysWithEnough(): string[] {
    return [...this.#keys].filter(([, slots]) => hasEnough(slots)).map(([key]) => key);
  }
}

const hasEnough = ({ waiting, running, limit }: Slots<unknown>): boolean =>
  waiting.length >= Math.min(ENOUGH_WAITING, limit) || (limit < SLOTS_PER_KEY && running >= limit);

/**
 * Shares the places and slots of a process among keys and groups of keys, so that slow or busy ones leave capacity for the
 * others. A key is an installation; its group is the project.
 */
import { elapsedMs } from "../../ground/clock.ts";
import { computeHeadroom } from "./fair-share.ts";

/** Items that a process holds at once, running or not; bounds memory and what a crash gives back. */
const PLACES = 1_024;
/** Items that may run at once for one key. */
const SLOTS_PER_KEY = 16;
/** Items that a key with quick answers may have waiting here beside those that run. */
const MAX_WAITING = 64;
/** Each key takes at most this part of the places that are left for its group. */
const PART_OF_KEY = 1 / 16;
const PART_OF_WAITING = 1 / 8;
/** Only a key whose last run was shorter has items waiting here: those of a slow key would hold places for long. */
const QUICK_MS = 1_000;

/**
 * What the end of a run says about its key: the call got through; it was rate limited; it was not sent, because the key's
 * gate is closed; it was given up without sending, which says nothing.
 */
export type RunResult = "sent" | "rate-limited" | "not-sent" | "given-up";

interface Slots<Item> {
  group: string;
  waiting: Item[];
  running: number;
  limit: number;
  /** Whether the last run that was answered was quick. */
  isQuick: boolean;
  /** When an item of this key last began or was answered. */
  movedMs: number;
}

interface FairSlotsOptions<Item> {
  getKey(item: Item): string;
  getGroup(item: Item): string;
  places?: number;
}

/**
 * A key that was rate limited is reduced to one slot: when its gate opens again, a single item goes ahead and finds out.
 * Every item that gets through doubles the limit, up to `SLOTS_PER_KEY`.
 *
 * A group may hold as many places as it leaves free: one group at most half of them, each further one at most half of
 * the rest. The same holds for the keys of a group, with smaller parts, so a slow success costs others no more than a
 * failure does.
 */
export class FairSlots<Item> {
  readonly #options: FairSlotsOptions<Item>;
  readonly #places: number;
  readonly #keys = new Map<string, Slots<Item>>();
  /** Places that each group holds. */
  readonly #held = new Map<string, number>();
  #size = 0;

  constructor(options: FairSlotsOptions<Item>) {
    this.#options = options;
    this.#places = options.places ?? PLACES;
  }

  /** Items that wait for a slot or have one. */
  get size(): number {
    return this.#size;
  }

  get free(): number {
    return Math.max(0, this.#places - this.#size);
  }

  add(item: Item): void {
    const { getKey, getGroup } = this.#options;
    const group = getGroup(item);
    const slots = this.#keys.get(getKey(item)) ?? createSlots<Item>(group);
    slots.waiting.push(item);
    this.#keys.set(getKey(item), slots);
    this.#count(group, 1);
  }

  /** Assigns free slots to waiting items and returns these items. */
  take(): Item[] {
    const taken: Item[] = [];
    for (const slots of this.#keys.values()) {
      const next = slots.waiting.splice(0, Math.max(0, slots.limit - slots.running));
      if (next.length > 0) slots.movedMs = elapsedMs();
      slots.running += next.length;
      taken.push(...next);
    }
    return taken;
  }

  /** Frees the slot of an item that was taken and ran for `tookMs`, and adjusts the limit of its key. */
  end(key: string, result: RunResult, tookMs = 0): void {
    const slots = this.#keys.get(key);
    if (!slots) return;
    if (result === "rate-limited") slots.limit = 1;
    else if (result === "sent") slots.limit = Math.min(SLOTS_PER_KEY, slots.limit * 2);
    slots.isQuick = tookMs < QUICK_MS;
    slots.movedMs = elapsedMs();
    slots.running -= 1;
    this.#count(slots.group, -1);
    // A reduced limit is kept also while no item of its key is running or waiting.
    if (slots.running === 0 && slots.waiting.length === 0 && slots.limit === SLOTS_PER_KEY)
      this.#keys.delete(key);
  }

  /** Returns whether an item of this key waits for a slot here or has one. */
  holds(key: string): boolean {
    const slots = this.#keys.get(key);
    return slots !== undefined && slots.running + slots.waiting.length > 0;
  }

  /** Removes and returns the items of a key that have no slot yet. */
  withdraw(key: string): Item[] {
    const slots = this.#keys.get(key);
    const waiting = slots?.waiting.splice(0) ?? [];
    if (slots) this.#count(slots.group, -waiting.length);
    return waiting;
  }

  withdrawAll(): Item[] {
    return [...this.#keys.keys()].flatMap((key) => this.withdraw(key));
  }

  /** Removes and returns the waiting items of keys that were quick and have stopped answering. */
  withdrawStalled(): Item[] {
    const since = elapsedMs() - QUICK_MS;
    const stalled = [...this.#keys].filter(
      ([, { waiting, running, movedMs }]) => waiting.length > 0 && running > 0 && movedMs < since,
    );
    for (const [, slots] of stalled) slots.isQuick = false;
    return stalled.flatMap(([key]) => this.withdraw(key));
  }

  /** Returns how many more items of this key may be claimed. */
  capacity(key: string, group: string): number {
    const free = this.#freeFor(group);
    if (free <= 0) return 0;
    const slots = this.#keys.get(key) ?? createSlots<Item>(group);
    const { waiting, running, limit } = slots;
    const atOnce = Math.min(limit, Math.max(1, Math.floor(free * PART_OF_KEY)));
    return Math.max(0, atOnce + mayWait(slots, free) - running - waiting.length);
  }

  /** Returns whether the queue should be asked for more after an item of this key has ended. */
  needsMore(key: string, group: string): boolean {
    return this.capacity(key, group) > 0 || this.#isCrowded(group);
  }

  /** Returns whether to query the queue at once: half of the slots of this key are idle, and its group may take more. */
  isShort(key: string, group: string): boolean {
    const { waiting, running, limit } = this.#keys.get(key) ?? createSlots<Item>(group);
    return running + waiting.length < limit / 2 && !this.#isCrowded(group);
  }

  #isCrowded(group: string): boolean {
    return this.#freeFor(group) < SLOTS_PER_KEY;
  }

  /** Returns how many more items a group may take: as many as it leaves to others. */
  #freeFor(group: string): number {
    return computeHeadroom({ own: this.#held.get(group) ?? 0, free: this.free, times: 1 });
  }

  #count(group: string, more: number): void {
    this.#size += more;
    const held = (this.#held.get(group) ?? 0) + more;
    if (held === 0) this.#held.delete(group);
    else this.#held.set(group, held);
  }
}

/** Returns how many items of a key may wait here beside those that run. */
const mayWait = <Item>({ isQuick, limit }: Slots<Item>, free: number): number =>
  isQuick && limit === SLOTS_PER_KEY ? Math.min(MAX_WAITING, Math.floor(free * PART_OF_WAITING)) : 0;

const createSlots = <Item>(group: string): Slots<Item> => ({
  group,
  waiting: [],
  running: 0,
  limit: SLOTS_PER_KEY,
  isQuick: false,
  movedMs: elapsedMs(),
});

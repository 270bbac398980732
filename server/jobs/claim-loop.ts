/**
 * Claims queued items in batches and runs them, a few of each key at a time. It knows no table: the queue is a
 * `ClaimSource`, a handful of functions of the caller. The loop is in one of these modes:
 *
 *     claiming   a claim is under way; what it finds runs at once or waits here for a slot of its key
 *     gathering  a short wait before a claim, so that the claim is worth its statement
 *     resting    the last claim took all that was due, or there is no capacity for more: until the next item is due,
 *                until `wake()`, or until `POLL_MS` are over, `EMPTY_POLL_MS` where nothing waits
 *     stopping   nothing is claimed any more; waiting items are released, running ones get 30 s to end
 *
 * An item is in one of these states:
 *
 *     queued     in the source, claimed by nobody
 *     waiting    claimed here, without a slot
 *     running    has a slot, `run` is under way
 *     saving     `run` has called `onAnswer`: the slot is free, the outcome is being committed
 *     settled    `run` has returned; the source says what the item is now
 *     lost       claimed by this process in the source, but not held here, because the answer to a claim or a release
 *                was lost; `recover` gives it back before the next claim
 */
import type { Log } from "../../ground/log.ts";
import { elapsedMs } from "../../ground/clock.ts";
import { startWork, type WorkStart } from "../../ground/span.ts";
import { isDatabaseAway } from "../store/database/database-outage.ts";
import { FairSlots, type RunResult } from "./fair-slots.ts";
import { WakeSignal } from "./wake-signal.ts";

/** Returns how many items of a key, which belongs to this group, may be claimed. */
export type CapacityFor = (key: string, group: string) => number;

export interface ClaimSource<Item> {
  /** Claims up to `limit` items that are due, of each key about as many as there is capacity for. */
  claim(limit: number, capacity: CapacityFor): Promise<Item[]>;
  /** Claims the items that are due because this one has ended, without a search of the queue. */
  claimSuccessors?(ended: Item): Promise<Item[]>;
  /** Releases claimed items unchanged. */
  release(items: Item[]): Promise<void>;
  /** Releases an item for a later attempt, after its run failed for an internal reason. */
  postpone(item: Item): Promise<void>;
  /** Releases what this process has claimed, except for these items. */
  recover(held: Item[]): Promise<void>;
  /** Returns the milliseconds until an item becomes due; undefined when none will by itself, Infinity when none waits at all. */
  nextDueMs(): Promise<number | undefined>;
}

export interface ClaimLoopOptions<Item> {
  /** The plural of an item, for the log. */
  what: string;
  log: Log;
  source: ClaimSource<Item>;
  /**
   * Carries an item out. `onAnswer` frees its slot before the outcome is committed. Must reject only for faults of ours;
   * then the item is released or postponed.
   */
  run(item: Item, onAnswer: (result: RunResult) => void): Promise<void>;
  /** How an item appears in the log and as a span. */
  work(item: Item): WorkStart;
  /** The id of an item, the same whenever it is claimed. */
  getId(item: Item): string;
  /** Items of one key share slots. */
  getKey(item: Item): string;
  /** A group of keys leaves places to the other groups. All items of a key are of one group. */
  getGroup(item: Item): string;
  /** Returns whether the end of this item can make another one due. */
  unblocksOthers?(item: Item): boolean;
  /** Maximum number of claimed items, running or not. */
  places?: number;
  /** Longest time between claims: finds items of other processes that were queued without a notification. */
  pollMs?: number;
  /** A short wait before each claim, so that one statement claims several items. */
  gatherMs?: number;
}

export interface ClaimLoop {
  /** Something may be due: claims now instead of after the rest. */
  wake(): void;
  readonly running: boolean;
  /** Stops claiming, releases what has not begun, and waits for what runs, 30 s at most. */
  stop(): Promise<void>;
}

/** Starts at once and runs until it is stopped. */
export const startClaimLoop = <Item>(options: ClaimLoopOptions<Item>): ClaimLoop => new Loop(options);

/** Items claimed in one statement. */
const CLAIM_SIZE = 192;
const POLL_MS = 250;
/** Where nothing waits, only an item can be found whose notification was lost. */
const EMPTY_POLL_MS = 1_000;
const GATHER_MS = 2;
/** While no key is short of items, the next claim waits for so many answers, or so long. */
const WORTH_CLAIMING = 96;
const WORTH_CLAIMING_MS = 50;
const FAULT_PAUSE_MS = 250;
const DRAIN_MS = 30_000;

class Loop<Item> implements ClaimLoop {
  readonly #options: ClaimLoopOptions<Item>;
  readonly #source: ClaimSource<Item>;
  readonly #slots: FairSlots<Item>;
  readonly #wakeSignal = new WakeSignal();
  readonly #underWay = new Set<Promise<void>>();
  readonly #looping: Promise<void>;
  /** Claimed items that are not settled, by id. */
  readonly #held = new Map<string, Item>();
  /** Keys of which the last claim may have left items because they had no capacity. */
  #fullKeys = new Set<string>();
  /** Groups with such keys that have no item here, so that no completion triggers the next claim. */
  #starvedGroups = new Set<string>();
  /** Since the last claim, of keys that do not need more at once. */
  #answeredSinceClaim = 0;
  #wakeSoon: NodeJS.Timeout | undefined;
  #mayHaveLost = false;
  #isRecovering = false;
  /** Number of open claims of successors. */
  #handovers = 0;
  #running = true;

  constructor(options: ClaimLoopOptions<Item>) {
    this.#options = options;
    this.#source = options.source;
    this.#slots = new FairSlots(options);
    this.#looping = this.#loop();
  }

  wake(): void {
    this.#wakeSignal.wake();
  }

  get running(): boolean {
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.wake();
    await this.#looping;
    clearTimeout(this.#wakeSoon);
    await this.#release(this.#slots.withdrawAll());
    const late = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref());
    await Promise.race([Promise.all(this.#underWay), late]);
  }

  async #loop(): Promise<void> {
    const { log, what } = this.#options;
    while (this.#running) {
      this.#wakeSignal.clear();
      const more = await this.#claim().catch((error: unknown) => {
        log.warn({ error: String(error) }, `cannot claim ${what}; trying again`);
        this.#mayHaveLost = true;
        return false;
      });
      if (!this.#running || more) continue;
      if (!this.#wakeSignal.isWoken) await this.#wakeSignal.rest(await this.#restMs());
      await new Promise((resolve) => setTimeout(resolve, this.#options.gatherMs ?? GATHER_MS));
    }
  }

  /** Returns whether more may be due. */
  async #claim(): Promise<boolean> {
    clearTimeout(this.#wakeSoon);
    this.#wakeSoon = undefined;
    this.#answeredSinceClaim = 0;
    await this.#release(this.#slots.withdrawStalled());
    // A claim takes at most half of the free slots, so that no group takes the slots reserved for others.
    const limit = Math.min(CLAIM_SIZE, Math.ceil(this.#slots.free / 2));
    if (limit === 0) return false;
    // Without an open claim, any row claimed by this process that is not held here was lost.
    if (this.#mayHaveLost && this.#handovers === 0) await this.#recover();
    const capacities = new Map<string, { capacity: number; group: string }>();
    const claimed = await this.#source.claim(limit, (key, group) => {
      const capacity = this.#slots.capacity(key, group);
      capacities.set(key, { capacity, group });
      return capacity;
    });
    for (const item of claimed) {
      const asked = capacities.get(this.#options.getKey(item));
      if (asked) asked.capacity -= 1;
    }
    this.#hold(claimed);
    const full = [...capacities].filter(([, { capacity }]) => capacity <= 0);
    this.#fullKeys = new Set(full.map(([key]) => key));
    const starved = full.filter(([key]) => !this.#slots.holds(key));
    this.#starvedGroups = new Set(starved.map(([, { group }]) => group));
    return claimed.length >= limit;
  }

  async #recover(): Promise<void> {
    this.#mayHaveLost = false;
    this.#isRecovering = true;
    try {
      await this.#source.recover([...this.#held.values()]);
    } finally {
      this.#isRecovering = false;
    }
  }

  #hold(claimed: Item[]): void {
    for (const item of claimed) {
      this.#held.set(this.#options.getId(item), item);
      this.#slots.add(item);
    }
    this.#runNext();
  }

  /** Runs what waited for this item; wakes the loop where that is not known. */
  async #handOver(ended: Item): Promise<void> {
    const { source } = this.#options;
    if (!source.claimSuccessors || this.#isRecovering || !this.#running) return this.wake();
    this.#handovers += 1;
    try {
      const found = await source.claimSuccessors(ended);
      if (this.#running) this.#hold(found);
      else await this.#release(found);
      if (found.length === 0) this.wake();
    } catch {
      this.#mayHaveLost = true;
      this.wake();
    } finally {
      this.#handovers -= 1;
    }
  }

  /** Returns the time until the next item is due, at most one poll interval. */
  async #restMs(): Promise<number> {
    const { pollMs = POLL_MS } = this.#options;
    if (this.#underWay.size > 0) return pollMs;
    const dueMs = await this.#source.nextDueMs().catch(() => undefined);
    if (dueMs === Number.POSITIVE_INFINITY) return Math.max(pollMs, EMPTY_POLL_MS);
    return Math.max(5, Math.min(pollMs, dueMs ?? pollMs));
  }

  #runNext(): void {
    if (this.#running) for (const item of this.#slots.take()) this.#run(item);
  }

  #run(item: Item): void {
    const { run, unblocksOthers, work } = this.#options;
    const startedMs = elapsedMs();
    let answered = false;
    const onAnswer = (result: RunResult): void => {
      answered = true;
      this.#answered(item, result, elapsedMs() - startedMs);
    };
    const ended = startWork(work(item), () => run(item, onAnswer))
      .catch(async (error: unknown) => {
        await this.#putBack(item, error);
        if (!answered) onAnswer("sent");
      })
      .finally(() => this.#letGo(item));
    this.#track(unblocksOthers?.(item) ? ended.then(() => this.#handOver(item)) : ended);
  }

  #answered(item: Item, result: RunResult, tookMs: number): void {
    const key = this.#options.getKey(item);
    const group = this.#options.getGroup(item);
    this.#slots.end(key, result, tookMs);
    // The key is closed for now: its items wait in the source, where other processes see them.
    if (result === "rate-limited" || result === "not-sent") {
      this.#fullKeys.add(key);
      this.#track(this.#release(this.#slots.withdraw(key)));
    }
    this.#runNext();
    // A claim that can find nothing new would read past all items that wait for others.
    const isLeft = this.#fullKeys.has(key) || this.#starvedGroups.has(group);
    const mayFind = isLeft || this.#slots.free < CLAIM_SIZE;
    if (!mayFind || !this.#slots.needsMore(key, group)) return;
    if (this.#slots.isShort(key, group)) this.wake();
    else this.#wakeForMore();
  }

  /** Wakes the loop when a claim is worth its statement: no slot is idle as long as items wait here. */
  #wakeForMore(): void {
    this.#answeredSinceClaim += 1;
    if (this.#answeredSinceClaim >= WORTH_CLAIMING) this.wake();
    else this.#wakeSoon ??= setTimeout(() => this.wake(), WORTH_CLAIMING_MS);
  }

  #track(work: Promise<void>): void {
    const done = work.finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #putBack(item: Item, error: unknown): Promise<void> {
    const { log, what, work } = this.#options;
    log.error({ ...work(item).ids, err: error }, `carrying out ${what}: an attempt failed on our side`);
    await new Promise((resolve) => setTimeout(resolve, FAULT_PAUSE_MS));
    if (isDatabaseAway(error)) await this.#release([item]);
    // An item that could not be given back is lost, like one that the source keeps because it may have been sent.
    else await this.#source.postpone(item).catch(() => {});
    this.#mayHaveLost = true;
  }

  /** Never throws: what could not be released is lost, and recovered when the database is back. */
  async #release(items: Item[]): Promise<void> {
    if (items.length === 0) return;
    try {
      await this.#source.release(items);
    } catch {
      this.#mayHaveLost = true;
    }
    for (const item of items) this.#letGo(item);
  }

  /** Forgets an item, unless it has been claimed again meanwhile. */
  #letGo(item: Item): void {
    const id = this.#options.getId(item);
    if (this.#held.get(id) === item) this.#held.delete(id);
  }
}

/** One lane per destination: some messages are sent at once, the rest wait in line, so that a slow receiver delays only its own. */
import { elapsedMs } from "../ground/clock.ts";

/** Messages sent at once to one receiver: enough for 1,000 per second at 60 ms each. */
const WIDTH = 64;
/** The same for a failing receiver. */
const FAILING_WIDTH = 4;
/** Messages that one process holds, in total and per destination, under way or in line. */
const ROOM = 4_096;
export const DEPTH = 16 * WIDTH;
export const FAILING_DEPTH = FAILING_WIDTH;
/** A lane that is full for longer belongs to a slow receiver: routing does not wait for it. */
export const FULL_MS = 50;
/**
 * While all room is taken, a line that is not gone after this time is released, and stays short until the lane is empty.
 * At 1,000 messages per second even the longest line is gone earlier.
 */
const SLOW_MS = 5_000;
const SLOW_DEPTH = WIDTH;
/** With less room than this, all room counts as taken. */
const LITTLE_ROOM = 512;

interface Lane<Item> {
  waiting: Item[];
  active: number;
  width: number;
  /** When the lane became full. */
  fullMs: number | undefined;
  /** How many of the messages that were in line when all room was taken are still there. */
  seen: { sinceMs: number; left: number } | undefined;
  slow: boolean;
}

export class Lanes<Item> {
  readonly #lanes = new Map<string, Lane<Item>>();
  readonly #run: (item: Item) => Promise<void>;
  readonly #onSpace: () => void;
  #size = 0;
  #empty: (() => void)[] = [];

  readonly #slowMs: number;

  /** `run` must not throw; `onSpace` is called when a lane that was full takes more. */
  constructor(run: (item: Item) => Promise<void>, onSpace: () => void, slowMs = SLOW_MS) {
    this.#run = run;
    this.#onSpace = onSpace;
    this.#slowMs = slowMs;
  }

  get room(): number {
    return ROOM - this.#size;
  }

  get isFull(): boolean {
    return this.room < LITTLE_ROOM;
  }

  /** Returns how many more messages a destination takes: 0 until half of a full lane is gone. */
  space(id: string, failing = false): number {
    const lane = this.#lanes.get(id);
    if (lane) return spaceOf(lane);
    return failing ? FAILING_DEPTH : DEPTH;
  }

  /** Lists the destinations that have a lane, and how many more messages each takes. */
  free(): { id: string; free: number }[] {
    return [...this.#lanes].map(([id, lane]) => ({ id, free: spaceOf(lane) }));
  }

  /**
   * How many events may be routed so that every destination has room for all of them: deliveries without room must be
   * released and claimed again. 0 while a lane is full that will soon have room.
   */
  get fits(): number {
    let fits = DEPTH;
    const nowMs = elapsedMs();
    for (const lane of this.#lanes.values()) {
      if (lane.width === FAILING_WIDTH || lane.slow || nowMs - (lane.fullMs ?? nowMs) >= FULL_MS) continue;
      fits = Math.min(fits, spaceOf(lane));
    }
    return fits;
  }

  add(id: string, item: Item, failing: boolean): void {
    const width = failing ? FAILING_WIDTH : WIDTH;
    const lane = this.#lanes.get(id) ?? {
      waiting: [],
      active: 0,
      width,
      fullMs: undefined,
      seen: undefined,
      slow: false,
    };
    this.#lanes.set(id, lane);
    lane.waiting.push(item);
    this.#size += 1;
    this.#start(id, lane);
    this.#look(lane);
  }

  /** Widens or narrows a destination's lane after an attempt. */
  judge(id: string, failing: boolean): void {
    const lane = this.#lanes.get(id);
    if (!lane) return;
    lane.width = failing ? FAILING_WIDTH : WIDTH;
    this.#look(lane);
  }

  /** While all room is taken: removes and returns the lines of slow receivers, which would delay all others. */
  shed(): Item[] {
    if (!this.isFull) return [];
    const nowMs = elapsedMs();
    const shed: Item[] = [];
    for (const lane of this.#lanes.values()) {
      if (lane.waiting.length === 0) continue;
      lane.seen ??= { sinceMs: nowMs, left: lane.waiting.length };
      if (nowMs - lane.seen.sinceMs < this.#slowMs) continue;
      lane.slow = true;
      lane.seen = undefined;
      shed.push(...lane.waiting.splice(0));
    }
    this.#size -= shed.length;
    return shed;
  }

  /** Drops what is in line and resolves when what is under way has ended. */
  async drain(): Promise<void> {
    for (const lane of this.#lanes.values()) this.#size -= lane.waiting.splice(0).length;
    if (this.#size > 0) await new Promise<void>((resolve) => this.#empty.push(resolve));
  }

  /** Records when a lane became full, or reports that it has room again. */
  #look(lane: Lane<Item>): void {
    if (spaceOf(lane) === 0) lane.fullMs ??= elapsedMs();
    else if (lane.fullMs !== undefined) {
      lane.fullMs = undefined;
      this.#onSpace();
    }
  }

  #start(id: string, lane: Lane<Item>): void {
    while (lane.active < lane.width) {
      const item = lane.waiting.shift();
      if (item === undefined) break;
      if (lane.seen && (lane.seen.left -= 1) === 0) lane.seen = undefined;
      lane.active += 1;
      void this.#run(item).then(() => {
        lane.active -= 1;
        this.#size -= 1;
        this.#look(lane);
        if (lane.active === 0 && lane.waiting.length === 0) this.#lanes.delete(id);
        else this.#start(id, lane);
        if (this.#size === 0) this.#empty.splice(0).forEach((resolve) => resolve());
      });
    }
  }
}

/** A lane is refilled by half at a time: claims for single messages would waste statements. */
function spaceOf({ waiting, active, width, slow }: Lane<unknown>): number {
  const depth = width === FAILING_WIDTH ? FAILING_DEPTH : slow ? SLOW_DEPTH : DEPTH;
  const space = depth - active - waiting.length;
  return space >= depth / 2 ? space : 0;
}

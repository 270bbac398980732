/** One lane per destination: some messages are sent at once, the rest wait in line, so that a slow receiver delays only its own. */
import { elapsedMs } from "../../ground/clock.ts";
import { FULL_MS, DeliveryCapacity } from "./delivery-capacity.ts";

/** Messages sent at once to one receiver, unless it takes larger batches: enough for 1,000 per second at 60 ms each. */
const WIDTH = 64;
/** The same for a failing receiver. */
const FAILING_WIDTH = 4;
/** Messages that one process has in memory per destination, sent or queued. */
export const DEPTH = 16 * WIDTH;
export const FAILING_DEPTH = FAILING_WIDTH;
/** A receiver that takes longer on average, or from which nothing has come back for as long, is slow. */
const SLOW_MS = 1_000;
/** The last messages that a project may hold are divided between its lanes: each may hold one of `PARTS` of what is left. */
const RESERVE = 512;
const PARTS = 16;
/** Weight of the last attempt in the average. */
const NEWEST = 1 / 8;

interface LaneServices<Item> {
  /** Sends a message; calls `begun` when the request begins. Must not throw. */
  run: (item: Item, begun: () => void) => Promise<void>;
  /** Called when a lane or project that was full takes more. */
  onSpace: () => void;
  /** Returns how many ordinary messages this one counts as. */
  measureCost: (item: Item) => number;
  slowMs?: number;
}

/** Destination whose messages wait in a lane. */
interface LaneOwner {
  id: string;
  projectId: string;
  failing: boolean;
  /** How many messages the receiver takes together. */
  batch?: number | undefined;
}

interface Lane<Item> {
  readonly projectId: string;
  readonly waiting: Item[];
  /** How many messages the receiver takes together: they wait for each other. 0 if it takes them one by one. */
  readonly batch: number;
  active: number;
  failing: boolean;
  slow: boolean;
  /** Start times of the open requests, oldest first. */
  readonly begun: Set<{ ms: number }>;
  endedMs: number;
  averageMs: number | undefined;
  /** When the lane became full. */
  fullMs: number | undefined;
}

export class Lanes<Item> {
  readonly #lanes = new Map<string, Lane<Item>>();
  readonly #deps: LaneServices<Item>;
  readonly #capacity: DeliveryCapacity;
  readonly #slowMs: number;
  #size = 0;
  #empty: (() => void)[] = [];

  constructor(deps: LaneServices<Item>) {
    this.#deps = deps;
    this.#capacity = new DeliveryCapacity(deps.onSpace);
    this.#slowMs = deps.slowMs ?? SLOW_MS;
  }

  get capacity(): number {
    return this.#capacity.free;
  }

  /** Returns whether the capacity of the process and of the project allow one more message for a destination. */
  hasCapacity(id: string, projectId: string): boolean {
    const lane = this.#lanes.get(id);
    return this.#share(projectId, lane ? lane.active + lane.waiting.length : 0) > 0;
  }

  /** Returns how many messages of a destination may be sent at once now. */
  getWidth(id: string): number {
    const lane = this.#lanes.get(id);
    return lane ? this.#width(lane) : WIDTH;
  }

  /** Returns whether the project is near its limit. */
  isTight(projectId: string): boolean {
    return this.#capacity.left(projectId) < RESERVE;
  }

  /** Lists the projects that take nothing more now. */
  fullProjects(): string[] {
    return this.#capacity.fullProjects();
  }

  /** Returns how many more messages a destination takes. After a lane was full, this is 0 until half of it is free. */
  space({ id, projectId, failing }: LaneOwner): number {
    const lane = this.#lanes.get(id);
    if (lane) return this.#space(lane);
    return Math.min(failing ? FAILING_DEPTH : DEPTH, this.#share(projectId, 0));
  }

  /** Returns whether the destination has a lane and the lane is full. */
  isFull(id: string): boolean {
    const lane = this.#lanes.get(id);
    return lane !== undefined && this.#space(lane) === 0;
  }

  /** Lists the destinations that have a lane, and how many more messages each takes. */
  free(): { id: string; free: number }[] {
    return [...this.#lanes].map(([id, lane]) => ({ id, free: this.#space(lane) }));
  }

  /**
   * How many events may be routed so that every destination has capacity for all of them: deliveries without capacity must be
   * released and claimed again. 0 while a lane or project is full that will soon have capacity.
   */
  get fits(): number {
    if (this.#capacity.isJustFull) return 0;
    let fits = DEPTH;
    const nowMs = elapsedMs();
    for (const lane of this.#lanes.values()) {
      if (lane.failing || lane.slow || nowMs - (lane.fullMs ?? nowMs) >= FULL_MS) continue;
      fits = Math.min(fits, this.#laneSpace(lane));
    }
    return fits;
  }

  add({ id, projectId, failing, batch = 0 }: LaneOwner, item: Item): void {
    const lane = this.#lanes.get(id) ?? createLane<Item>(projectId, failing, batch);
    this.#lanes.set(id, lane);
    lane.waiting.push(item);
    this.#size += 1;
    this.#capacity.take(projectId, this.#deps.measureCost(item));
    this.#start(id, lane);
    this.#noteSpace(lane);
  }

  /** Widens or narrows a destination's lane after an attempt. */
  judge(id: string, failing: boolean): void {
    const lane = this.#lanes.get(id);
    if (!lane) return;
    lane.failing = failing;
    this.#noteSpace(lane);
  }

  /** While little is left for their project: removes and returns the lines of slow receivers, which would delay others. */
  shed(): Item[] {
    const shed: Item[] = [];
    for (const lane of this.#lanes.values()) {
      this.#judgeSpeed(lane);
      if (lane.slow && this.isTight(lane.projectId)) shed.push(...this.#clear(lane));
    }
    return shed;
  }

  /** Drops the queue and resolves when all open requests have ended. */
  async drain(): Promise<void> {
    for (const lane of this.#lanes.values()) this.#clear(lane);
    if (this.#size > 0) await new Promise<void>((resolve) => this.#empty.push(resolve));
  }

  #clear({ waiting, projectId }: Lane<Item>): Item[] {
    const cleared = waiting.splice(0);
    this.#size -= cleared.length;
    for (const item of cleared) this.#capacity.give(projectId, this.#deps.measureCost(item));
    return cleared;
  }

  #judgeSpeed(lane: Lane<Item>): void {
    const [oldest] = lane.begun;
    const quietSinceMs = Math.max(oldest?.ms ?? Infinity, lane.endedMs);
    const slow = (lane.averageMs ?? 0) >= this.#slowMs || elapsedMs() - quietSinceMs >= this.#slowMs;
    if (slow === lane.slow) return;
    lane.slow = slow;
    this.#capacity.countSlow(lane.projectId, slow ? 1 : -1);
    this.#noteSpace(lane);
  }

  /** Records when a lane became full, or reports that it has capacity again. */
  #noteSpace(lane: Lane<Item>): void {
    if (this.#laneSpace(lane) === 0) lane.fullMs ??= elapsedMs();
    else if (lane.fullMs !== undefined) {
      lane.fullMs = undefined;
      this.#deps.onSpace();
    }
  }

  #start(id: string, lane: Lane<Item>): void {
    const width = this.#width(lane);
    while (lane.active < width) {
      const item = lane.waiting.shift();
      if (item === undefined) break;
      lane.active += 1;
      void this.#run(id, lane, item);
    }
  }

  async #run(id: string, lane: Lane<Item>, item: Item): Promise<void> {
    const started = { ms: 0 };
    const begun = (): void => {
      started.ms = elapsedMs();
      lane.begun.add(started);
    };
    await this.#deps.run(item, begun);
    if (lane.begun.delete(started)) {
      lane.endedMs = elapsedMs();
      const tookMs = lane.endedMs - started.ms;
      lane.averageMs = (lane.averageMs ?? tookMs) * (1 - NEWEST) + tookMs * NEWEST;
      this.#judgeSpeed(lane);
    }
    lane.active -= 1;
    this.#size -= 1;
    if (lane.active === 0 && lane.waiting.length === 0) {
      this.#lanes.delete(id);
      if (lane.slow) this.#capacity.countSlow(lane.projectId, -1);
    } else this.#start(id, lane);
    this.#noteSpace(lane);
    this.#capacity.give(lane.projectId, this.#deps.measureCost(item));
    if (this.#size === 0) this.#empty.splice(0).forEach((resolve) => resolve());
  }

  #space(lane: Lane<Item>): number {
    return Math.min(this.#laneSpace(lane), this.#share(lane.projectId, lane.active + lane.waiting.length));
  }

  /** When little is left for its project, a lane takes a small part of it only: each lane of the project finds some. */
  #share(projectId: string, held: number): number {
    const left = this.#capacity.left(projectId);
    return Math.max(0, left - RESERVE, Math.ceil(left / PARTS) - held);
  }

  /**
   * A lane is refilled by half at a time: claims for single messages would waste statements. Not one with batches, which
   * would wait for their last messages.
   */
  #laneSpace(lane: Lane<Item>): number {
    const depth = lane.slow ? this.#width(lane) : lane.failing ? FAILING_DEPTH : DEPTH;
    const space = depth - lane.active - lane.waiting.length;
    const least = lane.batch > 0 ? 1 : depth / 2;
    return space >= least ? space : 0;
  }

  /** Slow lanes share a part of the capacity: the more there are, the narrower each. */
  #width({ failing, slow, projectId, batch }: Lane<Item>): number {
    const width = failing ? FAILING_WIDTH : Math.max(WIDTH, batch);
    return slow ? Math.min(width, this.#capacity.slowWidth(projectId)) : width;
  }
}

const createLane = <Item>(projectId: string, failing: boolean, batch: number): Lane<Item> => ({
  projectId,
  batch,
  waiting: [],
  active: 0,
  failing,
  slow: false,
  begun: new Set(),
  endedMs: -Infinity,
  averageMs: undefined,
  fullMs: undefined,
});

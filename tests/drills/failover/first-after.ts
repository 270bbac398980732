/** Watches counters, to see when each grows again. */
import { setTimeout as wait } from "node:timers/promises";

const LOOK_EVERY_MS = 5;

export class FirstAfter {
  readonly #counters: Record<string, () => number>;
  readonly #afterMs: Record<string, number> = {};
  #watches = true;

  /** Begins to watch. */
  constructor(counters: Record<string, () => number>) {
    this.#counters = counters;
    void this.#watch();
  }

  async #watch(): Promise<void> {
    const startedMs = performance.now();
    const before = Object.entries(this.#counters).map(([name, count]) => [name, count, count()] as const);
    while (this.#watches) {
      for (const [name, count, start] of before)
        if (count() > start) this.#afterMs[name] ??= Math.round(performance.now() - startedMs);
      await wait(LOOK_EVERY_MS);
    }
  }

  /** Ends watching; returns after how many milliseconds each counter grew first. One that did not grow is missing. */
  stop(): Record<string, number> {
    this.#watches = false;
    return this.#afterMs;
  }
}

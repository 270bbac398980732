/** Suspends a loop until its next round, or until it is woken. */

export class WakeSignal {
  #woken = false;
  #endRest = () => {};

  /** Ends the rest; if the loop is at work, ends its next rest at once. */
  wake(): void {
    this.#woken = true;
    this.#endRest();
  }

  /** Call before searching for work, so that a wake during the search is not lost. */
  clear(): void {
    this.#woken = false;
  }

  get isWoken(): boolean {
    return this.#woken;
  }

  async rest(ms: number): Promise<void> {
    if (this.#woken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

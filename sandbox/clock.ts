// The time of the simulated accounts: the machine's clock, moved by an offset that the controls set.

export class SandboxClock {
  #offsetMs = 0;
  readonly #listeners: (() => void)[] = [];
  /** Offset of the `Date` header only, like that of a provider whose web server has a slow clock. */
  dateSkewMs = 0;

  /** Returns milliseconds since 1970. Tokens and rate limits use the machine's clock. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Calls the listener whenever the time is moved. */
  whenMoved(listener: () => void): void {
    this.#listeners.push(listener);
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
    for (const listener of this.#listeners) listener();
  }

  /** Sets the present time, which continues from there. */
  set(at: number): void {
    this.advance(at - this.now());
  }

  dateHeader(): string {
    return new Date(this.now() + this.dateSkewMs).toUTCString();
  }

  reset(): void {
    this.#offsetMs = 0;
    this.dateSkewMs = 0;
  }
}

// The time of the simulated accounts: the machine's clock, moved by an offset that the controls set.

export class SandboxClock {
  #offsetMs = 0;
  readonly #listeners: (() => void)[] = [];
  /** Added to the `Date` header only, as when a provider's front door runs late. */
  dateSkewMs = 0;

  /** Milliseconds since 1970. Tokens and rate limits keep to the machine's clock. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Calls the listener whenever the time was moved. */
  whenMoved(listener: () => void): void {
    this.#listeners.push(listener);
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
    for (const listener of this.#listeners) listener();
  }

  /** Sets the present moment; it goes on from there. */
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

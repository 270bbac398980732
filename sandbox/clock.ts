// The time of the simulated accounts: the machine's clock, moved by an offset that the controls set.

export class SandboxClock {
  #offsetMs = 0;
  /** Added to the `Date` header only, as when a provider's front door runs late. */
  dateSkewMs = 0;

  /** Milliseconds since 1970. Tokens and rate limits keep to the machine's clock. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  /** Sets the present moment; it goes on from there. */
  set(at: number): void {
    this.#offsetMs = at - Date.now();
  }

  dateHeader(): string {
    return new Date(this.now() + this.dateSkewMs).toUTCString();
  }

  reset(): void {
    this.#offsetMs = 0;
    this.dateSkewMs = 0;
  }
}

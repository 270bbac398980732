/** Collects one outcome per record while a write is carried out in several requests. */
import type { RecordOutcome } from "../connector.ts";
import { buildNotSent, ProviderError } from "./provider-error.ts";

export class Outcomes {
  readonly #slots: (RecordOutcome | undefined)[];
  #stopped = false;

  constructor(count: number) {
    this.#slots = Array.from({ length: count });
  }

  settle(index: number, outcome: RecordOutcome): void {
    this.#slots[index] ??= outcome;
  }

  fail(indexes: number[], error: ProviderError): void {
    for (const index of indexes) this.settle(index, { success: false, error });
  }

  /** Returns those of `indexes` that have no outcome yet. */
  open(indexes: number[]): number[] {
    return indexes.filter((index) => this.#slots[index] === undefined);
  }

  /** True after a request failed as a whole when another had written something: nothing more is sent. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /**
   * Runs one request for these records. Rethrows its `ProviderError` if nothing is written yet. Otherwise the caller
   * would repeat what is written, so the error becomes the outcome of the records that are left.
   */
  async attempt(indexes: number[], request: () => Promise<void>): Promise<void> {
    if (this.#stopped || indexes.length === 0) return;
    try {
      await request();
    } catch (error) {
      if (!(error instanceof ProviderError) || !this.#slots.some((slot) => slot?.success)) throw error;
      this.#stopped = true;
      this.fail(this.open(indexes), error);
      this.fail(this.open(this.#all()), buildNotSent(error));
    }
  }

  /** Returns every outcome in order; a record that no answer mentioned gets an error. */
  finish(): RecordOutcome[] {
    return this.#slots.map((slot) => slot ?? { success: false, error: buildNotMentioned() });
  }

  #all(): number[] {
    return this.#slots.map((_, index) => index);
  }
}

const buildNotMentioned = (): ProviderError =>
  new ProviderError({
    kind: "unknown_outcome",
    message:
      "the provider's answer does not say what became of this record; look it up before writing it again",
  });

/** Collects one outcome per definition while fields are written in several requests. */
import { buildNotSent, ProviderError } from "./provider-error.ts";
import type { FieldOutcome } from "../fields.ts";

export class FieldOutcomes {
  readonly #outcomes: FieldOutcome[];
  readonly #open: Set<number>;
  #written = false;
  #stopped = false;

  /** `open`: positions of the definitions that need a write. */
  constructor(planned: FieldOutcome[], open: number[]) {
    this.#outcomes = planned.map((outcome) => ({ ...outcome }));
    this.#open = new Set(open);
  }

  /** Returns those of `indexes` that have no outcome yet. */
  open(indexes: number[]): number[] {
    return indexes.filter((index) => this.#open.has(index));
  }

  /** The definition is in force. */
  settle(index: number, change: Pick<FieldOutcome, "action" | "metadata">): void {
    if (change.action !== "none") this.#written = true;
    this.#change(index, change);
  }

  /** Fails these fields, unless their outcome is already known. */
  fail(indexes: number[], error: ProviderError): void {
    for (const index of indexes) this.#change(index, { error });
  }

  warn(index: number, warning: string): void {
    this.#outcomes[index]?.warnings.push(warning);
  }

  /**
   * Runs one request for these definitions. Rethrows its `ProviderError` if nothing is written yet; otherwise the error
   * becomes the outcome of the definitions that are left, and nothing more is sent.
   */
  async attempt(indexes: number[], request: () => Promise<void>): Promise<void> {
    if (this.#stopped || indexes.length === 0) return;
    try {
      await request();
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (!this.#written) throw error;
      this.#stopped = true;
      this.fail(this.open(indexes), error);
      this.fail([...this.#open], buildNotSent(error));
    }
  }

  finish(): FieldOutcome[] {
    this.fail([...this.#open], buildNotMentioned());
    return this.#outcomes;
  }

  #change(index: number, change: Partial<FieldOutcome>): void {
    const outcome = this.#outcomes[index];
    if (outcome) Object.assign(outcome, change);
    this.#open.delete(index);
  }
}

const buildNotMentioned = (): ProviderError =>
  new ProviderError({
    kind: "unknown_outcome",
    message: "the provider's answer does not say what became of this field; repeating the request is safe",
  });

/** Collects one outcome per definition while fields are written in several requests. */
import { notSent, ProviderError } from "./provider-error.ts";
import type { FieldOutcome } from "./fields.ts";

export class FieldOutcomes {
  readonly #outcomes: FieldOutcome[];
  readonly #open: Set<number>;
  #written = false;
  #stopped = false;

  /** `open`: the positions that something has to be written for. */
  constructor(planned: FieldOutcome[], open: number[]) {
    this.#outcomes = planned.map((outcome) => ({ ...outcome }));
    this.#open = new Set(open);
  }

  /** Those of `indexes` that nothing was heard of yet. */
  open(indexes: number[]): number[] {
    return indexes.filter((index) => this.#open.has(index));
  }

  /** The definition is in force. */
  settle(index: number, change: Pick<FieldOutcome, "action" | "metadata">): void {
    if (change.action !== "none") this.#written = true;
    this.#change(index, change);
  }

  /** What happened to a field before stays said. */
  fail(indexes: number[], error: ProviderError): void {
    for (const index of indexes) this.#change(index, { error });
  }

  warn(index: number, warning: string): void {
    this.#outcomes[index]?.warnings.push(warning);
  }

  /**
   * Runs one request for these definitions. Its `ProviderError` is thrown on while nothing is written; after that it
   * becomes the outcome of the definitions not reached, and nothing more is sent.
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
      this.fail([...this.#open], notSent(error));
    }
  }

  finish(): FieldOutcome[] {
    this.fail([...this.#open], notMentioned());
    return this.#outcomes;
  }

  #change(index: number, change: Partial<FieldOutcome>): void {
    const outcome = this.#outcomes[index];
    if (outcome) Object.assign(outcome, change);
    this.#open.delete(index);
  }
}

const notMentioned = (): ProviderError =>
  new ProviderError({
    kind: "unknown_outcome",
    message: "the provider's answer does not say what became of this field; repeating the request is safe",
  });

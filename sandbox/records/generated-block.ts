// Block of records with consecutive keys that are computed from their positions, and never stored.

export type BlockSpan = {
  firstKey: number;
  count: number;
  /** Change times of the first and the last record, in milliseconds; the others are spread evenly between them. */
  fromMs: number;
  toMs: number;
  /** Change times are rounded down to a multiple of this. */
  unitMs: number;
};

export class GeneratedBlock<R> {
  readonly span: BlockSpan;
  /** Computes the record at a position. */
  readonly make: (index: number, key: number, changedAt: number) => R;
  /** Positions that pass a named test. A block never changes, so they stay valid. */
  readonly #passing = new Map<string, Uint32Array>();

  constructor(span: BlockSpan, make: (index: number, key: number, changedAt: number) => R) {
    this.span = span;
    this.make = make;
  }

  changedAt(index: number): number {
    const { count, fromMs, toMs, unitMs } = this.span;
    const at = count < 2 ? fromMs : fromMs + (index * (toMs - fromMs)) / (count - 1);
    return Math.floor(at / unitMs) * unitMs;
  }

  record(index: number): R {
    return this.make(index, this.span.firstKey + index, this.changedAt(index));
  }

  holds(key: number): boolean {
    return key >= this.span.firstKey && key < this.span.firstKey + this.span.count;
  }

  /** Finds the first position whose change time is at or after `ms`; change times never fall. */
  firstAt(ms: number): number {
    let low = 0;
    let high = this.span.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.changedAt(middle) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Finds the positions from `low` to `high`, exclusive, that pass the test. */
  passing(test: (record: R) => boolean, low: number, high: number): Uint32Array {
    const found: number[] = [];
    for (let index = low; index < high; index++) if (test(this.record(index))) found.push(index);
    return Uint32Array.from(found);
  }

  /** Returns all positions that pass the test with this name; computes them once. */
  known(name: string, test: (record: R) => boolean): Uint32Array {
    const known = this.#passing.get(name);
    if (known !== undefined) return known;
    const positions = this.passing(test, 0, this.span.count);
    const [oldest] = this.#passing.keys();
    if (this.#passing.size >= MAX_TESTS && oldest !== undefined) this.#passing.delete(oldest);
    this.#passing.set(name, positions);
    return positions;
  }
}

const MAX_TESTS = 8;

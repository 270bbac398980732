// A run of records with consecutive keys that are computed from their position and never stored.

export type BlockSpan = {
  firstKey: number;
  count: number;
  /** Change time of the first and of the last record, milliseconds; those between are spread evenly. */
  fromMs: number;
  toMs: number;
  /** Change times are cut to a multiple of this. */
  unitMs: number;
};

export class GeneratedBlock<R> {
  readonly span: BlockSpan;
  /** Computes the record at a position. */
  readonly make: (index: number, key: number, changedAt: number) => R;
  /** Positions that pass a named test. A block never changes, so they stay true. */
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

  /** Returns the first position whose change time is at or after `ms`; change times never fall. */
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

  /** Returns the positions, ascending, that pass the test; remembers them if it has a name. */
  passing(name: string | undefined, test: (record: R) => boolean): Uint32Array {
    const known = name === undefined ? undefined : this.#passing.get(name);
    if (known !== undefined) return known;
    const found: number[] = [];
    for (let index = 0; index < this.span.count; index++) if (test(this.record(index))) found.push(index);
    const positions = Uint32Array.from(found);
    if (name === undefined) return positions;
    const [oldest] = this.#passing.keys();
    if (this.#passing.size >= MOST_TESTS && oldest !== undefined) this.#passing.delete(oldest);
    this.#passing.set(name, positions);
    return positions;
  }
}

const MOST_TESTS = 8;

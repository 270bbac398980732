// Records of one object by ascending key: stored ones, generated ones, and changed generated ones.

import { GeneratedBlock, type BlockSpan } from "./generated-block.ts";

/** `key` orders the records and never changes; `updatedAt` is the change time in milliseconds. */
export type Row = { key: number; updatedAt: number };

export type Selection<R> = {
  afterKey?: number;
  throughKey?: number;
  /** Both are inclusive, in milliseconds. */
  changedFrom?: number;
  changedTo?: number;
  /** Only records after this one, in the order of change time and key. */
  afterPair?: { changedAt: number; key: number };
  /** Test with an optional name, under which its results for generated records are cached. */
  test?: { name?: string; passes(record: R): boolean };
  /** Whether to leave out unchanged generated records. */
  storedOnly?: boolean;
  /** Returns the version of a stored record to test; undefined to leave it out. */
  view?: (record: R) => R | undefined;
};

/** Keys in the wanted order, with the change time of each. */
type Keys = { keys: Float64Array; changedAt(n: number): number };

/** Ascending positions in a block; `from` is the first one if they are consecutive. */
type Run = { length: number; at(n: number): number; from?: number };

export class RecordTable<R extends Row> {
  readonly #blocks: GeneratedBlock<R>[] = [];
  /** Keys of stored records, and of changed generated ones. */
  readonly #keys: number[] = [];
  readonly #rows: R[] = [];
  /** Keys of generated records that were removed permanently; their rows hide the originals. */
  readonly #gone = new Set<number>();

  /** Adds a block, whose keys must be above all others. */
  addBlock(span: BlockSpan, make: (index: number, key: number, changedAt: number) => R): void {
    this.#blocks.push(new GeneratedBlock(span, make));
  }

  get blocks(): readonly GeneratedBlock<R>[] {
    return this.#blocks;
  }

  /** Returns the number of records, deleted ones included. */
  get size(): number {
    return this.count({});
  }

  get(key: number): R | undefined {
    const place = this.#firstAbove(key - 1);
    if (this.#keys[place] === key) return this.#gone.has(key) ? undefined : this.#rows[place];
    const block = this.#blocks.find((one) => one.holds(key));
    return block?.record(key - block.span.firstKey);
  }

  /** Stores a new record, or a changed generated one. */
  keep(record: R): void {
    const { key } = record;
    const place = this.#firstAbove(key - 1);
    this.#gone.delete(key);
    if (this.#keys[place] === key) this.#rows[place] = record;
    else if (place === this.#keys.length) {
      this.#keys.push(key);
      this.#rows.push(record);
    } else {
      this.#keys.splice(place, 0, key);
      this.#rows.splice(place, 0, record);
    }
  }

  drop(record: R): void {
    if (this.#blocks.some((block) => block.holds(record.key))) {
      this.keep(record);
      this.#gone.add(record.key);
      return;
    }
    const place = this.#firstAbove(record.key - 1);
    if (this.#keys[place] !== record.key) return;
    this.#keys.splice(place, 1);
    this.#rows.splice(place, 1);
  }

  /** Returns the stored records, without unchanged generated ones. */
  stored(): R[] {
    return this.#rows.filter((row) => !this.#gone.has(row.key));
  }

  /** Yields the selected records by ascending key. Generated ones are computed meanwhile. */
  *select(selection: Selection<R>): Generator<R> {
    let place = this.#firstAbove(selection.afterKey ?? Number.NEGATIVE_INFINITY);
    for (const block of selection.storedOnly === true ? [] : this.#blocks) {
      const run = selectRun(block, selection);
      for (let n = 0; n < run.length; n++) {
        const index = run.at(n);
        const key = block.span.firstKey + index;
        for (; (this.#keys[place] ?? Number.POSITIVE_INFINITY) < key; place++) {
          const row = this.#rows[place];
          if (row !== undefined && this.#selects(row, selection)) yield row;
        }
        if (this.#keys[place] !== key) yield block.record(index);
      }
    }
    for (; place < this.#rows.length; place++) {
      const row = this.#rows[place];
      if (row !== undefined && this.#selects(row, selection)) yield row;
    }
  }

  /** Returns the keys of the selected records, by key, or by change time and key. */
  keys(selection: Selection<R>, order: "key" | "change"): Float64Array {
    const stored = this.#storedKeys(selection, order);
    const blocks = selection.storedOnly === true ? [] : this.#blocks;
    const sources = [stored, ...blocks.map((block) => this.#generatedKeys(block, selection))];
    const [only] = sources;
    if (only !== undefined && sources.length === 1) return only.keys;
    return mergeKeys(sources, order);
  }

  #storedKeys(selection: Selection<R>, order: "key" | "change"): Keys {
    const rows: R[] = [];
    for (
      let n = this.#firstAbove(selection.afterKey ?? Number.NEGATIVE_INFINITY);
      n < this.#rows.length;
      n++
    ) {
      const row = this.#rows[n];
      if (row !== undefined && this.#selects(row, selection)) rows.push(row);
    }
    if (order === "change") rows.sort((a, b) => a.updatedAt - b.updatedAt || a.key - b.key);
    return {
      keys: Float64Array.from(rows, (row) => row.key),
      changedAt: (n) => rows[n]?.updatedAt ?? 0,
    };
  }

  #generatedKeys(block: GeneratedBlock<R>, selection: Selection<R>): Keys {
    const run = selectRun(block, selection);
    const { firstKey } = block.span;
    const keys = new Float64Array(run.length);
    let place = this.#firstAbove(firstKey - 1);
    let found = 0;
    for (let n = 0; n < run.length; n++) {
      const key = firstKey + run.at(n);
      while ((this.#keys[place] ?? Number.POSITIVE_INFINITY) < key) place++;
      if (this.#keys[place] !== key) keys[found++] = key;
    }
    const kept = keys.subarray(0, found);
    return { keys: kept, changedAt: (n) => block.changedAt((kept[n] ?? 0) - firstKey) };
  }

  /** Counts the selected records without computing generated ones. */
  count(selection: Selection<R>): number {
    let total = 0;
    const first = this.#firstAbove(selection.afterKey ?? Number.NEGATIVE_INFINITY);
    for (let place = first; place < this.#rows.length; place++) {
      const row = this.#rows[place];
      if (row !== undefined && this.#selects(row, selection)) total++;
    }
    for (const block of selection.storedOnly === true ? [] : this.#blocks) {
      const run = selectRun(block, selection);
      total += run.length - this.#hidden(block, run, first);
    }
    return total;
  }

  /** Counts the positions of a run whose records were changed, and so count as stored ones. */
  #hidden(block: GeneratedBlock<R>, run: Run, first: number): number {
    const { firstKey, count } = block.span;
    if (run.from !== undefined) {
      const low = this.#firstAbove(firstKey + run.from - 1);
      return this.#firstAbove(firstKey + run.from + run.length - 1) - low;
    }
    let hidden = 0;
    for (let place = Math.max(first, this.#firstAbove(firstKey - 1)); place < this.#keys.length; place++) {
      const index = (this.#keys[place] ?? 0) - firstKey;
      if (index >= count) break;
      const n = findFirst(run, index);
      if (n < run.length && run.at(n) === index) hidden++;
    }
    return hidden;
  }

  #selects(row: R, selection: Selection<R>): boolean {
    if (this.#gone.size > 0 && this.#gone.has(row.key)) return false;
    const seen = selection.view === undefined ? row : selection.view(row);
    if (seen === undefined) return false;
    const { throughKey, changedFrom, changedTo, afterPair, test } = selection;
    if (throughKey !== undefined && row.key > throughKey) return false;
    if (changedFrom !== undefined && seen.updatedAt < changedFrom) return false;
    if (changedTo !== undefined && seen.updatedAt > changedTo) return false;
    if (afterPair !== undefined && !isBehind(seen, afterPair)) return false;
    return test === undefined || test.passes(seen);
  }

  #firstAbove(key: number): number {
    const keys = this.#keys;
    let low = 0;
    let high = keys.length;
    if ((keys[high - 1] ?? Number.NEGATIVE_INFINITY) <= key) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((keys[middle] ?? 0) <= key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBehind(row: Row, { changedAt, key }: { changedAt: number; key: number }): boolean {
  return row.updatedAt > changedAt || (row.updatedAt === changedAt && row.key > key);
}

/** Selects the ascending positions in a block. */
function selectRun<R>(block: GeneratedBlock<R>, selection: Selection<R>): Run {
  const { changedTo, throughKey, test } = selection;
  const low = findLowest(block, selection);
  const high = Math.min(
    changedTo === undefined ? block.span.count : block.firstAt(changedTo + 1),
    throughKey === undefined ? block.span.count : throughKey - block.span.firstKey + 1,
  );
  if (test === undefined) return { length: Math.max(0, high - low), at: (n) => low + n, from: low };
  const passes = (record: R): boolean => test.passes(record);
  const all = test.name === undefined ? block.passing(passes, low, high) : block.known(test.name, passes);
  const run = { length: all.length, at: (n: number) => all[n] ?? 0 };
  const start = findFirst(run, low);
  return { length: Math.max(0, findFirst(run, high) - start), at: (n) => all[start + n] ?? 0 };
}

function findLowest<R>(block: GeneratedBlock<R>, { afterKey, changedFrom, afterPair }: Selection<R>): number {
  const { firstKey, count } = block.span;
  const low = Math.max(
    0,
    afterKey === undefined ? 0 : afterKey - firstKey + 1,
    changedFrom === undefined ? 0 : block.firstAt(changedFrom),
  );
  if (afterPair === undefined) return low;
  const sameTime = block.firstAt(afterPair.changedAt);
  const later = block.firstAt(afterPair.changedAt + 1);
  const behind = Math.min(later, Math.max(sameTime, afterPair.key - firstKey + 1));
  return Math.min(count, Math.max(low, behind));
}

/** Merges lists that are each in the wanted order. */
function mergeKeys(sources: Keys[], order: "key" | "change"): Float64Array {
  const all = new Float64Array(sources.reduce((sum, source) => sum + source.keys.length, 0));
  const heads = sources.map((source) => ({ source, n: 0 })).filter(({ source }) => source.keys.length > 0);
  for (let filled = 0; filled < all.length; filled++) {
    const [last] = heads;
    if (last !== undefined && heads.length === 1) {
      all.set(last.source.keys.subarray(last.n), filled);
      break;
    }
    let [first] = heads;
    for (const head of heads)
      if (first !== undefined && head !== first && isBefore(head, first, order)) first = head;
    if (first === undefined) break;
    all[filled] = first.source.keys[first.n++] ?? 0;
    if (first.n === first.source.keys.length) heads.splice(heads.indexOf(first), 1);
  }
  return all;
}

type Head = { source: Keys; n: number };

function isBefore(one: Head, other: Head, order: "key" | "change"): boolean {
  const compareKeys = (one.source.keys[one.n] ?? 0) - (other.source.keys[other.n] ?? 0);
  if (order === "key") return compareKeys < 0;
  return (one.source.changedAt(one.n) - other.source.changedAt(other.n) || compareKeys) < 0;
}

function findFirst(run: Run, index: number): number {
  let low = 0;
  let high = run.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (run.at(middle) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

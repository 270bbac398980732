// Values of generated records, computed when they are read, so that a scan of a million records needs no memory.

/** Inputs from which the value of a generated record may be computed. */
export type Seed = {
  /** Position in the block, from 0. */
  index: number;
  id: string;
  createdAt: number;
  changedAt: number;
};

export type ValueMaker<V> = (seed: Seed) => V;

/** Returns a function that creates objects with a getter for each name; the getters are on the prototype. */
export function buildLazyValues<V>(makers: Map<string, ValueMaker<V>>): (seed: Seed) => Record<string, V> {
  class Lazy {
    [name: string]: V;
    readonly #seed: Seed;

    constructor(seed: Seed) {
      this.#seed = seed;
    }

    static {
      for (const [name, make] of makers) {
        const get = function (this: Lazy): V {
          return make(this.#seed);
        };
        Object.defineProperty(Lazy.prototype, name, { get, enumerable: true });
      }
    }
  }
  return (seed) => new Lazy(seed);
}

/** Copies all values into an ordinary object, which may be changed. */
export function toPlainValues<V>(values: Record<string, V>): Record<string, V> {
  const plain: Record<string, V> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) plain[name] = value;
  }
  return plain;
}

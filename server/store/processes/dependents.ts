/** Index from rows to the cached values that were made from them. */

interface Dependents {
  link(key: string, ids: readonly string[]): void;
  unlink(key: string, ids: readonly string[]): void;
  /** Returns the keys of the values that depend on a row. */
  of(id: string): string[];
}

/** Opens the index. Most rows have one dependent, which needs no set of its own. */
export function openDependents(): Dependents {
  const dependents = new Map<string, string | Set<string>>();
  const unlinkOne = (key: string, id: string): void => {
    const known = dependents.get(id);
    if (known === key) dependents.delete(id);
    if (!(known instanceof Set)) return;
    known.delete(key);
    if (known.size === 0) dependents.delete(id);
  };
  return {
    link(key, ids) {
      for (const id of ids) {
        const known = dependents.get(id);
        if (known === undefined) dependents.set(id, key);
        else if (known instanceof Set) known.add(key);
        else if (known !== key) dependents.set(id, new Set([known, key]));
      }
    },
    unlink(key, ids) {
      for (const id of ids) unlinkOne(key, id);
    },
    of(id) {
      const known = dependents.get(id) ?? [];
      return typeof known === "string" ? [known] : [...known];
    },
  };
}

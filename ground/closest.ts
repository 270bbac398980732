/** Suggests the name that was probably meant, by edit distance. */

/** Returns the nearest of `names`, or undefined when none is near. Names that differ only in case are nearest. */
export function findClosest(wanted: string, names: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.min(4, Math.floor(wanted.length / 3)));
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) > limit || wanted.length > 128) continue;
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** Returns `Did you mean "x"?`, or `otherwise` when no name is near. */
export function suggestName(wanted: string, names: Iterable<string>, otherwise: string): string {
  const name = findClosest(wanted, names);
  return name === undefined ? otherwise : `Did you mean "${name}"?`;
}

/** Counts the insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        swapped && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, above] = [above, current];
  }
  return above[to.length] ?? 0;
}

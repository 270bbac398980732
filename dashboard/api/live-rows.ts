/** Merges the newest page of a list, which is asked for again and again, with the older rows that are known. */

/**
 * Returns the rows to know from now on. The newest page is right about everything from its first row to the last one that
 * was known before; below that, the known rows stay. Without any row in common the list begins anew.
 */
export function mergeRows<Row>(
  newest: readonly Row[],
  known: readonly Row[],
  getId: (row: Row) => string,
): readonly Row[] {
  const place = new Map(known.map((row, index) => [getId(row), index]));
  const lastKnown = newest.reduce((last, row) => Math.max(last, place.get(getId(row)) ?? -1), -1);
  if (lastKnown === -1) return newest;
  const ids = new Set(newest.map(getId));
  return [...newest, ...known.slice(lastKnown + 1).filter((row) => !ids.has(getId(row)))];
}

/** Returns how many rows stand above the first row that the person sees. */
export function countNew<Row>(
  rows: readonly Row[],
  seen: ReadonlySet<string>,
  getId: (row: Row) => string,
): number {
  const first = rows.findIndex((row) => seen.has(getId(row)));
  return first === -1 ? rows.length : first;
}

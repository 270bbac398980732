/** Writes a number with its noun. */

/** Returns "1 record" or "2 records". */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

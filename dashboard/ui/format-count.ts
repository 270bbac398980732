/** Writes a number with its noun. */

/** Returns "1 error" or "2 errors". */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

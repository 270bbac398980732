/** Tells which numbers of a JSON text JavaScript would round. Pure. */

/** Digits that every double keeps. */
export const SURE_DIGITS = 15;

/** Returns whether the integer part of a number is exact; fractions are doubles at every provider anyway. */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = source
    .replace(/e.*$/i, "")
    .replace(/^[-0.]+/, "")
    .replace(".", "");
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER || digits.length <= SURE_DIGITS;
}

/** Arranges a batch in requests that respect a size limit and never name one record twice. */

/**
 * Positions of `keys` in requests to be sent one after the other. A key that comes again goes into a later request
 * than its predecessor, so that the last value given wins, as if the records had been sent singly.
 */
export function splitBatch(keys: (string | undefined)[], limit: number): number[][] {
  const result: number[][] = [];
  const lastWave = new Map<string, number>();
  for (const [index, key] of keys.entries()) {
    const previous = key === undefined ? undefined : lastWave.get(key);
    let number = previous === undefined ? 0 : previous + 1;
    while ((result[number]?.length ?? 0) >= limit) number++;
    (result[number] ??= []).push(index);
    if (key !== undefined) lastWave.set(key, number);
  }
  return result;
}

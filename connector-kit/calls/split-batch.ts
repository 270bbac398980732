/** Splits a batch into requests within a size limit, each record at most once per request. */

/**
 * Returns positions of `keys` for each request, to be sent in order. A repeated key goes into a later request than its
 * predecessor, so that the last value wins as with single writes.
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

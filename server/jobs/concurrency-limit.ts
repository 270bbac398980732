/** Lets only so many run at once; the rest wait their turn. */

export type ConcurrencyLimit = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function limitConcurrency(count: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // Whoever ends hands its place over, so the count stays right between its end and the next one's start.
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Measures how long the calls of a drill take. */
import { setTimeout as wait } from "node:timers/promises";

export interface Latency {
  calls: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

/** `times` in milliseconds. */
function summarizeLatency(times: number[], failed: number): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
  return { calls: times.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Calls one of each kind after the other, again and again for this time. A call that rejects has failed. */
export async function measureLatency<Kind extends string>(
  calls: Record<Kind, () => Promise<unknown>>,
  { seconds, pauseMs }: { seconds: number; pauseMs: number },
): Promise<Record<Kind, Latency>> {
  const until = performance.now() + seconds * 1_000;
  const measured = await Promise.all(
    Object.entries<() => Promise<unknown>>(calls).map(async ([kind, call]) => {
      const times: number[] = [];
      let failed = 0;
      do {
        const started = performance.now();
        await call().catch(() => (failed += 1));
        times.push(performance.now() - started);
        await wait(pauseMs);
      } while (performance.now() < until);
      return [kind, summarizeLatency(times, failed)] as const;
    }),
  );
  return Object.fromEntries(measured) as Record<Kind, Latency>;
}

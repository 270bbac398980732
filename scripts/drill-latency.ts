/** Summarizes how long the calls of a drill took. */

export interface Latency {
  calls: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

/** `times` in milliseconds. */
export function summarizeLatency(times: number[], failed: number): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
  return { calls: times.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) };
}

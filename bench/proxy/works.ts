/** The workloads for a proxy, and one measured round of them. */
import { load, type LoadResult } from "./load.ts";
import { readCpuMicros, type Runner } from "./runners.ts";

export interface Work {
  name: string;
  method: "GET" | "POST";
  bodyBytes: number;
  connections: number;
}

export interface Sample extends LoadResult {
  /** CPU time of the proxy's processes in microseconds per answer. */
  cpuMicros: number;
  /** Share of the round in which the proxy's processes were running; up to one for each. */
  share: number;
  /** Share of the busiest process in the proxy's CPU time. */
  busiest: number;
}

export const WORKS: Work[] = [
  { name: "GET 1 KiB, 64 connections", method: "GET", bodyBytes: 0, connections: 64 },
  { name: "GET 1 KiB, 1 connection", method: "GET", bodyBytes: 0, connections: 1 },
  { name: "POST 10 KiB, 64 connections", method: "POST", bodyBytes: 10_240, connections: 64 },
  { name: "POST 10 KiB, 1 connection", method: "POST", bodyBytes: 10_240, connections: 1 },
];

export const NOTHING: Sample = {
  answers: 0,
  perSecond: 0,
  p50: 0,
  p99: 0,
  failed: 0,
  cpuMicros: 0,
  share: 0,
  busiest: 0,
};

export async function measure(runner: Runner, work: Work, durationMs: number): Promise<Sample> {
  const { connections } = work;
  const before = readCpuMicros(runner.pid);
  const started = performance.now();
  const result = await load({
    port: runner.port,
    request: buildRequest(runner, work),
    connections,
    durationMs,
  });
  const used = readCpuMicros(runner.pid).map((micros, at) => micros - (before[at] ?? 0));
  const cpuMicros = used.reduce((sum, micros) => sum + micros, 0);
  return {
    ...result,
    cpuMicros: cpuMicros / Math.max(1, result.answers),
    share: cpuMicros / ((performance.now() - started) * 1_000),
    busiest: Math.max(...used) / Math.max(1, cpuMicros),
  };
}

export const warmUp = async (runner: Runner, durationMs: number): Promise<void> => {
  for (const work of WORKS) await measure(runner, work, durationMs / WORKS.length);
};

export function computeMedian(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function buildRequest({ lines }: Runner, { method, bodyBytes }: Work): Buffer {
  const head = [
    `${method} /v1/contacts?limit=1 HTTP/1.1`,
    "Host: proxy.test",
    "Accept: application/json",
    "User-Agent: bench/1.0",
    ...(lines.length > 0 ? lines : ["x-api-key: key"]),
    ...(bodyBytes > 0 ? ["Content-Type: application/json", `Content-Length: ${bodyBytes}`] : []),
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(head.join("\r\n")), Buffer.alloc(bodyBytes, "x")]);
}

/** Decides whether a trace is recorded. */
import type { Sampler } from "../../ground/telemetry-config.ts";
import type { TraceContext } from "../../ground/trace-context.ts";

/** Decides by 52 random bits at the end of the trace id, so that every service samples the same traces. */
export function isSampled(
  { ratio, followsCaller }: Sampler,
  traceId: string,
  caller: TraceContext | undefined,
): boolean {
  if (caller && followsCaller) return caller.sampled;
  return parseInt(traceId.slice(-13), 16) / 2 ** 52 >= 1 - ratio;
}

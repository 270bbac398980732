/** Sends traces and metrics to the operator's collector by OTLP; opened only if the environment names one. */
import { hostname } from "node:os";
import type { Registry } from "@prometheus-io/client";
import { openOperatorEgress } from "../egress/operator-egress.ts";
import { newId } from "../../ground/ids.ts";
import type { Log } from "../../ground/log.ts";
import type { TelemetryConfig, Sampler } from "../../ground/telemetry-config.ts";
import type { Tracer } from "../../ground/tracer.ts";
import { VERSION } from "../../ground/version.ts";
import { startSendingMetrics } from "./send-metrics.ts";
import { openOtlpSender } from "./otlp-sender.ts";
import { SpanQueue } from "./span-queue.ts";
import type { TraceContext } from "../../ground/trace-context.ts";

export interface Telemetry {
  /** Undefined if traces are not sent. */
  tracer: Tracer | undefined;
  /** Sends these metrics from now on, if metrics are sent. */
  sendMetrics(registry: Registry): void;
  /** Sends what is left, for some seconds at most. */
  close(): Promise<void>;
}

/** The last batches are sent within this time, or lost. */
const CLOSE_MS = 3_000;

export function openTelemetry(config: TelemetryConfig, log: Log): Telemetry {
  const { tracesUrl, metricsUrl, sampler, spanDelayMs, metricIntervalMs } = config;
  const egress = openOperatorEgress();
  const resource = {
    "service.version": VERSION,
    "service.instance.id": newId(),
    "host.name": hostname(),
    "process.pid": String(process.pid),
    ...config.resource,
  };
  const sender = (url: URL, what: string) => openOtlpSender({ egress, url, what, config, log });
  const spans =
    tracesUrl && new SpanQueue({ sender: sender(tracesUrl, "traces"), resource, log, everyMs: spanDelayMs });
  let metrics: { stop(): Promise<void> } | undefined;
  return {
    tracer: spans && {
      samples: (traceId, caller) => isSampled(sampler, traceId, caller),
      record: (span) => spans.add(span),
    },
    sendMetrics(registry) {
      if (!metricsUrl || metrics) return;
      const to = sender(metricsUrl, "metrics");
      metrics = startSendingMetrics({ registry, sender: to, resource, everyMs: metricIntervalMs, log });
    },
    async close() {
      const sent = Promise.all([spans?.close(), metrics?.stop()]);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_MS);
      await Promise.race([sent, late]);
      clearTimeout(timer);
      await egress.close();
      // An open request has failed by now.
      await sent;
    },
  };
}

/** Decides by 52 random bits at the end of the trace id, so that every service samples the same traces. */
function isSampled(
  { ratio, followsCaller }: Sampler,
  traceId: string,
  caller: TraceContext | undefined,
): boolean {
  if (caller && followsCaller) return caller.sampled;
  return parseInt(traceId.slice(-13), 16) / 2 ** 52 >= 1 - ratio;
}

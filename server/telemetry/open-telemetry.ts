/** Sends traces and metrics to the operator's collector with OpenTelemetry's SDK; loaded only if the environment names a collector. */
import { hostname } from "node:os";
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as SdkTracer,
} from "@opentelemetry/api";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Registry } from "@prometheus-io/client";
import { LRUCache } from "lru-cache";
import { openOperatorAgent } from "../egress/operator-egress.ts";
import { runOutsideWork } from "../../ground/current-work.ts";
import { newId } from "../../ground/ids.ts";
import type { Log } from "../../ground/log.ts";
import type { TelemetryConfig } from "../../ground/telemetry-config.ts";
import type { Span, SpanAttributes, SpanParent, SpanStart, Tracer } from "../../ground/tracer.ts";
import { VERSION } from "../../ground/version.ts";
import { CollectorExporter, LOG_EVERY_MS } from "./collector-exporter.ts";
import { readPrometheus } from "./prometheus-metrics.ts";
import { elapsedMs, nowMs } from "../../ground/clock.ts";
import type { TraceContext } from "../../ground/trace-context.ts";

interface Telemetry {
  /** Undefined if traces are not sent. */
  tracer: Tracer | undefined;
  /** Sends these metrics from now on, if metrics are sent. */
  sendMetrics(registry: Registry): void;
  /** Sends what is left, for some seconds at most. */
  close(): Promise<void>;
}

/** The last batches are sent within this time, or lost. */
const CLOSE_MS = 3_000;
const BATCH_SPANS = 1_000;
/** Further spans are dropped: a collector that is down must cost neither memory nor time. */
const MAX_SPANS = 20_000;
/** A batch is kept until the collector has it, so the SDK must not give it up. */
const NEVER_MS = 2 ** 31 - 1;

export function openTelemetry(config: TelemetryConfig, log: Log): Telemetry {
  const { tracesUrl, metricsUrl, metricIntervalMs } = config;
  logSdkFaults(log);
  const resource = defaultResource().merge(
    resourceFromAttributes({
      "service.version": VERSION,
      "service.instance.id": newId(),
      "host.name": hostname(),
      "process.pid": String(process.pid),
      ...config.resource,
    }),
  );
  const traces = tracesUrl && openTraces(tracesUrl, config, log);
  const provider =
    traces &&
    new TracerProvider({ resource, sampler: toSampler(config), spanProcessors: [traces.processor] });
  let metrics: MeterProvider | undefined;
  return {
    tracer: provider && recordSpans(provider.getTracer("busbar", VERSION)),
    sendMetrics(registry) {
      if (!metricsUrl || metrics) return;
      const Exporter = config.protocol === "http/json" ? JsonMetrics : ProtobufMetrics;
      const options = { what: "metrics", collector: metricsUrl.host, log };
      const reader = new PeriodicExportingMetricReader({
        exporter: new CollectorExporter(new Exporter(toExporterOptions(metricsUrl, config)), options),
        exportIntervalMillis: metricIntervalMs,
        metricProducers: [readPrometheus(registry)],
      });
      metrics = new MeterProvider({ resource, readers: [reader] });
    },
    async close() {
      traces?.exporter.stopRetrying();
      const sent = Promise.allSettled([provider?.shutdown(), metrics?.shutdown()]);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_MS);
      await Promise.race([sent, late]);
      clearTimeout(timer);
    },
  };
}

function openTraces(url: URL, config: TelemetryConfig, log: Log) {
  const Exporter = config.protocol === "http/json" ? JsonTraces : ProtobufTraces;
  const options = { what: "traces", collector: url.host, log, retryMs: config.spanDelayMs };
  const exporter = new CollectorExporter(new Exporter(toExporterOptions(url, config)), options);
  const processor = new BatchSpanProcessor({
    exporter,
    maxExportBatchSize: BATCH_SPANS,
    // One batch more is with the exporter.
    maxQueueSize: MAX_SPANS - BATCH_SPANS,
    scheduledDelayMillis: config.spanDelayMs,
    exportTimeoutMillis: NEVER_MS,
  });
  return { exporter, processor };
}

const toExporterOptions = (url: URL, { headers, timeoutMs }: TelemetryConfig) => ({
  url: url.href,
  headers,
  timeoutMillis: timeoutMs,
  httpAgentOptions: openOperatorAgent,
});

function toSampler({ sampler: { ratio, followsCaller } }: TelemetryConfig) {
  const root = new TraceIdRatioBasedSampler(ratio);
  return followsCaller ? new ParentBasedSampler({ root }) : root;
}

/** Writes what the SDK reports into our log, each kind once in a while: dropped spans, and batches that were taken in part. */
function logSdkFaults(log: Log): void {
  const logged = new LRUCache<string, true>({ max: 100, ttl: LOG_EVERY_MS });
  const report = (message: string, ...details: unknown[]): void => {
    if (logged.has(message)) return;
    logged.set(message, true);
    const reason = details.find((detail) => typeof detail === "string")?.slice(0, 200);
    runOutsideWork(() => log.warn({ reason }, `OpenTelemetry: ${message.slice(0, 500)}`));
  };
  const ignore = (): void => {};
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const recordSpans = (sdk: SdkTracer): Tracer => ({
  begin({ name, kind, attributes, agoMs = 0 }: SpanStart, parent: SpanParent | undefined) {
    const startTime = nowMs() - agoMs;
    const options = { kind: KINDS[kind], startTime, ...(attributes && { attributes }) };
    const span = sdk.startSpan(name, options, toContext(parent));
    return span.isRecording() ? new RecordedSpan(span, startTime, agoMs) : undefined;
  },
});

const toContext = (parent: SpanParent | undefined) =>
  parent
    ? trace.setSpanContext(ROOT_CONTEXT, {
        traceId: parent.traceId,
        spanId: parent.spanId,
        traceFlags: parent.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
        isRemote: parent.isRemote === true,
      })
    : ROOT_CONTEXT;

class RecordedSpan implements Span {
  readonly context: TraceContext;
  readonly #span: SdkSpan;
  readonly #startMs: number;
  readonly #startedMs: number;
  #hasFailed = false;

  constructor(span: SdkSpan, startMs: number, agoMs: number) {
    const { traceId, spanId } = span.spanContext();
    this.context = { traceId, spanId, sampled: true };
    this.#span = span;
    this.#startMs = startMs;
    this.#startedMs = elapsedMs() - agoMs;
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(kind: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#span.setAttribute("error.type", kind).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end(this.#startMs + elapsedMs() - this.#startedMs);
  }
}

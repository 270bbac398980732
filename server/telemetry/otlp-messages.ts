/**
 * Writes spans, and the metrics of Prometheus' client under the same names, in the JSON form of OTLP 1:
 * https://opentelemetry.io/docs/specs/otlp/
 */
import type { MetricObjectWithValues, MetricValueWithName } from "@prometheus-io/client";
import type { JsonObject } from "../../ground/json.ts";
import { VERSION } from "../../ground/version.ts";
import type { EndedSpan, SpanKind, SpanAttributes } from "../../ground/tracer.ts";

/** `startMs`: since when counters count. */
export interface MetricTimes {
  startMs: number;
  nowMs: number;
}

type Value = MetricValueWithName<string>;

/** Counters and histograms are cumulative. */
const CUMULATIVE = 2;

export const metricsMessage = (
  resource: Record<string, string>,
  metrics: MetricObjectWithValues<Value>[],
  times: MetricTimes,
): object => ({
  resourceMetrics: [
    {
      resource: { attributes: buildAttributes(resource) },
      scopeMetrics: [
        {
          scope: { name: "busbar", version: VERSION },
          metrics: metrics.flatMap((metric) => {
            const data = toMetricData(metric, times);
            return data ? [{ name: metric.name, description: metric.help, ...data }] : [];
          }),
        },
      ],
    },
  ],
});

/** Returns undefined for a metric without values, such as a gauge of the database while it is down. */
function toMetricData(
  { type, values }: MetricObjectWithValues<Value>,
  times: MetricTimes,
): JsonObject | undefined {
  if (type === "histogram") {
    const dataPoints = histogramPoints(values, times);
    return dataPoints.length === 0
      ? undefined
      : { histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const dataPoints = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...toPoint(labels, times), asDouble: value }));
  if (dataPoints.length === 0 || type === "summary") return undefined;
  return type === "gauge"
    ? { gauge: { dataPoints } }
    : { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
}

/** Values of metrics without labels have no `labels`, whatever their type says. */
const toPoint = (labels: Value["labels"] | undefined, { startMs, nowMs }: MetricTimes): JsonObject => ({
  attributes: buildAttributes(labels ?? {}),
  startTimeUnixNano: toNanos(startMs),
  timeUnixNano: toNanos(nowMs),
});

interface Series {
  labels: Value["labels"];
  bounds: number[];
  /** Up to each bound, and the last one of all. */
  counts: number[];
  sum: number;
}

/** Prometheus counts up to each bound, OTLP between two of them. */
function histogramPoints(values: Value[], times: MetricTimes): JsonObject[] {
  const all = new Map<string, Series>();
  for (const { metricName = "", labels: given, value } of values) {
    const { le, ...labels }: Value["labels"] = given ?? {};
    const key = JSON.stringify(Object.entries(labels).toSorted());
    const series = all.get(key) ?? { labels, bounds: [], counts: [], sum: 0 };
    all.set(key, series);
    if (metricName.endsWith("_sum")) series.sum = value;
    if (le === undefined) continue;
    series.counts.push(value);
    if (le !== "+Inf") series.bounds.push(Number(le));
  }
  return [...all.values()].map(({ labels, bounds, counts, sum }) => ({
    ...toPoint(labels, times),
    count: String(counts.at(-1) ?? 0),
    sum,
    explicitBounds: bounds,
    bucketCounts: counts.map((count, at) => String(count - (counts[at - 1] ?? 0))),
  }));
}

const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };
const STATUS_ERROR = 2;

export const tracesMessage = (resource: Record<string, string>, spans: EndedSpan[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: buildAttributes(resource) },
      scopeSpans: [{ scope: { name: "busbar", version: VERSION }, spans: spans.map(spanMessage) }],
    },
  ],
});

const spanMessage = ({
  context,
  parentSpanId,
  name,
  kind,
  startMs,
  endMs,
  attributes,
  error,
}: EndedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: toNanos(startMs),
  endTimeUnixNano: toNanos(endMs),
  attributes: buildAttributes(error === undefined ? attributes : { ...attributes, "error.type": error }),
  ...(error !== undefined && { status: { code: STATUS_ERROR } }),
});

/** Nanoseconds exceed what a number holds, so they are text. */
function toNanos(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, "0")}`;
}

export const buildAttributes = (attributes: SpanAttributes): JsonObject[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toOtlpValue(value) }],
  );

function toOtlpValue(value: string | number | boolean): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Writes the metrics of Prometheus' client in the JSON form of OTLP 1, under the same names. */
import type { MetricObjectWithValues, MetricValueWithName } from "@prometheus-io/client";
import type { JsonObject } from "../../ground/json.ts";
import { VERSION } from "../../ground/version.ts";
import { buildAttributes, toNanos } from "./otlp-values.ts";

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

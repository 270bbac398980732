/** Gives the metrics of Prometheus' client to OpenTelemetry's SDK, under the same names. */
import { ValueType, type Attributes, type HrTime } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValueWithName, Registry } from "@prometheus-io/client";
import { nowMs } from "../../ground/clock.ts";
import { VERSION } from "../../ground/version.ts";

type Value = MetricValueWithName<string>;

/** Since when counters count, and until when. */
interface Times {
  startTime: HrTime;
  endTime: HrTime;
}

export function readPrometheus(registry: Registry): MetricProducer {
  const startTime = millisToHrTime(nowMs());
  return {
    async collect() {
      const metrics = await registry.getMetricsAsJSON();
      const times = { startTime, endTime: millisToHrTime(nowMs()) };
      const data = metrics.flatMap((metric) => toMetricData(metric, times) ?? []);
      const scopeMetrics = [{ scope: { name: "busbar", version: VERSION }, metrics: data }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

/** Returns undefined for a metric without values, such as a gauge of the database while it is down. */
function toMetricData(
  { name, help, type, values }: MetricObjectWithValues<Value>,
  times: Times,
): MetricData | undefined {
  const metric = {
    descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === "histogram") {
    const dataPoints = listHistogramPoints(values, times);
    return dataPoints.length === 0
      ? undefined
      : { ...metric, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = values
    .filter(({ value }) => Number.isFinite(value))
    // Values of metrics without labels have no `labels`, whatever their type says.
    .map(({ value, labels }) => ({ ...times, attributes: toAttributes(labels), value }));
  if (dataPoints.length === 0 || type === "summary") return undefined;
  return type === "gauge"
    ? { ...metric, dataPointType: DataPointType.GAUGE, dataPoints }
    : { ...metric, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

const toAttributes = (labels: Value["labels"] | undefined): Attributes => ({ ...labels });

/** Prometheus counts up to each bound, OpenTelemetry between two of them. */
function listHistogramPoints(values: Value[], times: Times): DataPoint<Histogram>[] {
  const all = new Map<string, { labels: Value["labels"]; bounds: number[]; counts: number[]; sum: number }>();
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
    ...times,
    attributes: toAttributes(labels),
    value: {
      count: counts.at(-1) ?? 0,
      sum,
      buckets: { boundaries: bounds, counts: counts.map((count, at) => count - (counts[at - 1] ?? 0)) },
    },
  }));
}

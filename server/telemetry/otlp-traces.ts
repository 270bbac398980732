/** Writes spans in the JSON form of OTLP 1: https://opentelemetry.io/docs/specs/otlp/ */
import type { EndedSpan, SpanKind } from "../../ground/tracer.ts";
import { VERSION } from "../../ground/version.ts";
import { buildAttributes, toNanos } from "./otlp-values.ts";

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

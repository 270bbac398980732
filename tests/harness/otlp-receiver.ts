/** A collector for tests: takes traces and metrics by OTLP over HTTP, and holds each message to the protocol's form. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, unknown>;
  failed: boolean;
  resource: Record<string, unknown>;
}

export interface ReceivedMetric {
  name: string;
  type: "sum" | "gauge" | "histogram";
  points: { attributes: Record<string, unknown>; value?: number; count?: number; buckets?: number[] }[];
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Of the last message. */
  metrics: ReceivedMetric[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Answers every request with this status instead of taking it. */
  refuseWith: number | undefined;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    receiver.requests.push({ path: request.url ?? "", headers: request.headers });
    if (receiver.refuseWith !== undefined) return response.writeHead(receiver.refuseWith).end();
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (request.url?.endsWith("/v1/traces")) receiver.spans.push(...readSpans(message));
    else receiver.metrics = readMetrics(message);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: [],
    requests: [],
    refuseWith: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };
}

const readAttributes = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { stringValue, intValue, doubleValue, boolValue } = value;
      const read = stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
      assert.notEqual(read, undefined, `the attribute ${key} has no value`);
      return [key, read];
    }),
  );

interface SpanMessage {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status?: { code?: number };
}

interface TracesMessage {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: SpanMessage[] }[];
  }[];
}

const readSpans = ({ resourceSpans }: TracesMessage): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => {
        const { traceId, spanId, parentSpanId, name, kind } = span;
        assert.match(traceId, /^[0-9a-f]{32}$/);
        assert.match(spanId, /^[0-9a-f]{16}$/);
        assert.ok(kind >= 1 && kind <= 5, `${name} has the kind ${kind}`);
        const [startNs, endNs] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
        assert.ok(startNs <= endNs, `${name} ends before it begins`);
        return {
          traceId,
          spanId,
          parentSpanId,
          name,
          kind,
          startNs,
          endNs,
          attributes: readAttributes(span.attributes),
          failed: span.status?.code === 2,
          resource: readAttributes(resource.attributes),
        };
      }),
    ),
  );

interface Point {
  attributes: Attribute[];
  asDouble?: number;
  count?: string;
  bucketCounts?: string[];
  explicitBounds?: number[];
}

interface MetricsMessage {
  resourceMetrics: {
    scopeMetrics: {
      metrics: ({ name: string } & Partial<Record<ReceivedMetric["type"], { dataPoints: Point[] }>>)[];
    }[];
  }[];
}

const TYPES = ["sum", "gauge", "histogram"] as const;

const readMetrics = ({ resourceMetrics }: MetricsMessage): ReceivedMetric[] =>
  resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map((metric) => {
        const type = TYPES.find((one) => metric[one] !== undefined);
        assert.ok(type, `${metric.name} has no data`);
        return { name: metric.name, type, points: (metric[type]?.dataPoints ?? []).map(readPoint) };
      }),
    ),
  );

function readPoint({ attributes, asDouble, count, bucketCounts, explicitBounds }: Point) {
  if (bucketCounts) {
    const buckets = bucketCounts.map(Number);
    assert.equal(buckets.length, (explicitBounds?.length ?? 0) + 1);
    assert.equal(
      buckets.reduce((sum, one) => sum + one, 0),
      Number(count),
    );
    return { attributes: readAttributes(attributes), count: Number(count), buckets };
  }
  assert.equal(typeof asDouble, "number");
  return { attributes: readAttributes(attributes), value: asDouble };
}

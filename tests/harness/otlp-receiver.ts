/** A collector for tests: takes traces and metrics by OTLP over HTTP, and reads them with OpenTelemetry's own messages. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

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

interface ReceivedMetric {
  name: string;
  type: "sum" | "gauge" | "histogram";
  points: { attributes: Record<string, unknown>; value?: number; count?: number; buckets?: number[] }[];
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Metrics of the last message. */
  metrics: ReceivedMetric[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Why messages could not be read. */
  unread: unknown[];
  /** Answers every request with this status instead of taking it. */
  refuseWith: number | undefined;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    // The sender has given up, and sends it again.
    if (!body) return;
    receiver.requests.push({ path: request.url ?? "", headers: request.headers });
    // Longer than the sender's timeout, which it therefore does not spend on repeats of its own.
    if (receiver.refuseWith !== undefined)
      return response.writeHead(receiver.refuseWith, { "retry-after": "3600" }).end();
    const kind = request.url?.endsWith("/v1/traces") ? "trace" : "metrics";
    const type = request.headers["content-type"];
    try {
      const message = readAsPublished(kind, type, body);
      if (kind === "trace") receiver.spans.push(...readSpans(message as TracesMessage));
      else receiver.metrics = readMetrics(message as MetricsMessage);
    } catch (error) {
      receiver.unread.push(error);
      return response.writeHead(400).end();
    }
    response.writeHead(200, { "content-type": type }).end(type === "application/json" ? "{}" : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: [],
    requests: [],
    unread: [],
    refuseWith: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

interface PublishedMessage {
  fromObject(value: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): object;
}
interface PublishedRoot {
  opentelemetry: {
    proto: { collector: Record<"trace" | "metrics", { v1: Record<string, PublishedMessage> }> };
  };
}

/** OTLP's JSON writes ids as hexadecimal text, where that of Protocol Buffers has Base64. */
const IDS = new Set(["traceId", "spanId", "parentSpanId"]);

/**
 * Reads a message with the classes that OpenTelemetry generated from the protocol's own definition. What the definition does not
 * have, or has with another type, does not come out again.
 */
function readAsPublished(kind: "trace" | "metrics", type: string | undefined, body: Buffer): object {
  const { opentelemetry }: PublishedRoot = createRequire(import.meta.url)(
    "@opentelemetry/otlp-transformer/build/src/generated/root.js",
  );
  const name = kind === "trace" ? "ExportTraceServiceRequest" : "ExportMetricsServiceRequest";
  const published = opentelemetry.proto.collector[kind].v1[name];
  assert.ok(published, name);
  const read = (bytes: Uint8Array): object =>
    withIds(
      published.toObject(published.decode(bytes), { longs: String, enums: Number, bytes: Buffer }),
      (id) => Buffer.from(id).toString("hex"),
    );
  if (type === "application/x-protobuf") {
    assert.deepEqual(Buffer.from(published.encode(published.decode(body)).finish()), body);
    return read(body);
  }
  assert.equal(type, "application/json");
  const sent = JSON.parse(body.toString());
  const message = read(
    published.encode(published.fromObject(withIds(sent, (id) => Buffer.from(id, "hex")))).finish(),
  );
  assert.deepEqual(normalize(message), normalize(sent));
  return message;
}

/** Returns a copy without empty lists, which have no binary form, and with numbers as text, as which JSON may have long ones. */
const normalize = (value: object): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) => {
    if (typeof member === "number") return String(member);
    return Array.isArray(member) && member.length === 0 ? undefined : member;
  });

/** Returns a copy in which ids are changed. */
const withIds = <T extends object>(value: T, change: (id: never) => unknown): T =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      IDS.has(name)
        ? change(member as never)
        : Array.isArray(member)
          ? member.map((one) => (typeof one === "object" && one ? withIds(one as object, change) : one))
          : typeof member === "object" && member
            ? withIds(member as object, change)
            : member,
    ]),
  ) as T;

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };
}

const readAttributes = (attributes: Attribute[] = []): Record<string, unknown> =>
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
  attributes?: Attribute[];
  status?: { code?: number };
}

interface TracesMessage {
  resourceSpans?: {
    resource: { attributes?: Attribute[] };
    scopeSpans: { spans: SpanMessage[] }[];
  }[];
}

const readSpans = ({ resourceSpans = [] }: TracesMessage): ReceivedSpan[] =>
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
  attributes?: Attribute[];
  asDouble?: number;
  count?: string;
  bucketCounts?: string[];
  explicitBounds?: number[];
}

interface MetricsMessage {
  resourceMetrics?: {
    scopeMetrics: {
      metrics: ({ name: string } & Partial<Record<ReceivedMetric["type"], { dataPoints: Point[] }>>)[];
    }[];
  }[];
}

const TYPES = ["sum", "gauge", "histogram"] as const;

const readMetrics = ({ resourceMetrics = [] }: MetricsMessage): ReceivedMetric[] =>
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

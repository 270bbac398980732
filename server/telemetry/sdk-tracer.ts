/** Records spans with OpenTelemetry's SDK, by our clock, which follows the database's. */
import {
  SpanStatusCode,
  ROOT_CONTEXT,
  TraceFlags,
  trace,
  SpanKind,
  type Tracer as SdkTracer,
  type Span as SdkSpan,
} from "@opentelemetry/api";
import { elapsedMs, nowMs } from "../../ground/clock.ts";
import type { TraceContext } from "../../ground/trace-context.ts";
import type { Span, SpanAttributes, SpanParent, SpanStart, Tracer } from "../../ground/tracer.ts";

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

export const recordSpans = (sdk: SdkTracer): Tracer => ({
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

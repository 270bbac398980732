/** Defines spans as they are recorded, and who records them. */
import type { TraceContext } from "./trace-context.ts";

/** `producer` and `consumer`: work that goes on later, through a queue. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** Never secrets, records or names of customers. Undefined ones are left out. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** A span that is over. */
export interface EndedSpan {
  context: TraceContext;
  /** Undefined for the first span of a trace. */
  parentSpanId: string | undefined;
  /** Must have few distinct values: no ids, no names of customers. */
  name: string;
  kind: SpanKind;
  startMs: number;
  endMs: number;
  attributes: SpanAttributes;
  /** The kind of error that ended the work; undefined if none did. */
  error: string | undefined;
}

/** Decides which traces are recorded, and takes their spans. */
export interface Tracer {
  /** `caller` is undefined for a trace that begins here. */
  samples(traceId: string, caller: TraceContext | undefined): boolean;
  record(span: EndedSpan): void;
}

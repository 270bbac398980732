/** Defines spans, and what begins them: OpenTelemetry's SDK, which is loaded only where traces are sent. */
import type { TraceContext } from "./trace-context.ts";

/** `producer` and `consumer`: work that goes on later, through a queue. */
type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** Never secrets, records or names of customers. Undefined ones are left out. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface SpanStart {
  /** Must have few distinct values: no ids, no names of customers. */
  name: string;
  kind: SpanKind;
  attributes?: SpanAttributes;
  /** How long ago the work began, in milliseconds; now unless given. */
  agoMs?: number;
}

export interface Span {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, by a kind of error: a text could name customers. The first kind counts. */
  fail(kind: string): void;
  end(): void;
}

/** `isRemote`: it came with a request or through a table, and may be of another process. */
export type SpanParent = TraceContext & { isRemote?: boolean };

export interface Tracer {
  /** Begins a span, or a trace if there is no parent; undefined if it is not recorded. */
  begin(start: SpanStart, parent: SpanParent | undefined): Span | undefined;
}

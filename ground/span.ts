/** Measures pieces of work as spans of a trace. Where no trace is recorded, nothing is made and the work just runs. */
import { randomBytes } from "node:crypto";
import { elapsedMs, nowMs } from "./clock.ts";
import { asWork, currentWork, type WorkIds } from "./current-work.ts";
import { toTraceparent, type TraceContext } from "./trace-context.ts";
import type { EndedSpan, SpanAttributes, SpanKind, Tracer } from "./tracer.ts";

export interface SpanStart {
  name: string;
  kind: SpanKind;
  attributes?: SpanAttributes;
  /** How long ago the work began, in milliseconds; now unless given. */
  agoMs?: number;
}

export class Span {
  readonly context: TraceContext;
  readonly tracer: Tracer;
  readonly #startMs: number;
  readonly #startedMs: number;
  readonly #span: Pick<EndedSpan, "parentSpanId" | "name" | "kind" | "attributes">;
  #error: string | undefined;

  constructor(tracer: Tracer, traceId: string, parentSpanId: string | undefined, start: SpanStart) {
    const { name, kind, attributes, agoMs = 0 } = start;
    this.tracer = tracer;
    this.context = { traceId, spanId: newSpanId(), sampled: true };
    this.#span = { parentSpanId, name, kind, attributes: { ...attributes } };
    this.#startMs = nowMs() - agoMs;
    this.#startedMs = elapsedMs() - agoMs;
  }

  set(attributes: SpanAttributes): void {
    Object.assign(this.#span.attributes, attributes);
  }

  /** Marks the span as failed, by a kind of error: a text could name customers. */
  fail(kind: string): void {
    this.#error ??= kind;
  }

  end(): void {
    const endMs = this.#startMs + elapsedMs() - this.#startedMs;
    const { context } = this;
    this.tracer.record({ ...this.#span, context, startMs: this.#startMs, endMs, error: this.#error });
  }
}

const newSpanId = (): string => randomBytes(8).toString("hex");
const newTraceId = (): string => randomBytes(16).toString("hex");

/** Begins the first span here of the caller's trace, or of a new one; undefined if it is not recorded. */
export function beginSpan(
  tracer: Tracer | undefined,
  caller: TraceContext | undefined,
  start: SpanStart,
): Span | undefined {
  if (!tracer) return undefined;
  const traceId = caller?.traceId ?? newTraceId();
  return tracer.samples(traceId, caller) ? new Span(tracer, traceId, caller?.spanId, start) : undefined;
}

/** Begins a span below another one. */
export const beginChild = ({ tracer, context }: Span, start: SpanStart): Span =>
  new Span(tracer, context.traceId, context.spanId, start);

export interface WorkStart extends SpanStart {
  tracer: Tracer | undefined;
  /** The span that the work continues, as the caller named it. */
  caller: TraceContext | undefined;
  ids: WorkIds;
}

/** Runs background work of its own: its log lines have these ids, and it is a span of the caller's trace or of a new one. */
export function startWork<Result>(
  start: WorkStart,
  run: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const span = beginSpan(start.tracer, start.caller, start);
  const trace = span?.context ?? start.caller;
  const ids = trace ? { ...start.ids, traceId: trace.traceId } : start.ids;
  const work = { ids, trace, tracer: span?.tracer };
  // Every delivery passes here: without a span it costs an object and no promise.
  return asWork(work, () => (span ? ending(span, run) : run(undefined)));
}

/** Runs a part of the current work as a span of its own. */
export function inSpan<Result>(
  start: SpanStart,
  run: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const work = currentWork();
  if (!work?.tracer || !work.trace) return run(undefined);
  const { traceId, spanId } = work.trace;
  const span = new Span(work.tracer, traceId, spanId, start);
  // The same ids: those that are added inside belong to the whole work.
  return asWork({ ...work, trace: span.context }, () => ending(span, run));
}

async function ending<Result>(span: Span, run: (span: Span) => Promise<Result>): Promise<Result> {
  try {
    return await run(span);
  } catch (error) {
    span.fail(nameErrorKind(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the kind of a provider's error, the slug of a Problem, or the name of an error. */
function nameErrorKind(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("kind" in error && typeof error.kind === "string") return error.kind;
  return "slug" in error && typeof error.slug === "string" ? error.slug : error.name;
}

/** Returns the context to pass on, as the header `traceparent`; undefined outside any trace. */
export function currentTraceparent(): string | undefined {
  const trace = currentWork()?.trace;
  return trace && toTraceparent(trace);
}

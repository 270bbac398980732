/** Measures pieces of work as spans of a trace. Where no trace is recorded, nothing is made and the work just runs. */
import { runAsWork, findCurrentWork, type WorkIds } from "./current-work.ts";
import { toTraceparent, type TraceContext } from "./trace-context.ts";
import type { Span, SpanStart, Tracer } from "./tracer.ts";

/** Begins the first span here of the caller's trace, or of a new one; undefined if it is not recorded. */
export const beginSpan = (
  tracer: Tracer | undefined,
  caller: TraceContext | undefined,
  start: SpanStart,
): Span | undefined => tracer?.begin(start, caller && { ...caller, isRemote: true });

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
  const work = { ids, trace, tracer: span && start.tracer };
  // Every delivery passes here: without a span it costs an object and no promise.
  return runAsWork(work, () => (span ? endAfter(span, run) : run(undefined)));
}

/** Runs a part of the current work as a span of its own. */
export function runInSpan<Result>(
  start: SpanStart,
  run: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const work = findCurrentWork();
  const span = work?.tracer?.begin(start, work.trace);
  if (!work || !span) return run(undefined);
  // The same ids: those that are added inside belong to the whole work.
  return runAsWork({ ...work, trace: span.context }, () => endAfter(span, run));
}

async function endAfter<Result>(span: Span, run: (span: Span) => Promise<Result>): Promise<Result> {
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
export function formatTraceparent(): string | undefined {
  const trace = findCurrentWork()?.trace;
  return trace && toTraceparent(trace);
}

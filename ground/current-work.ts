/** Remembers, along the calls of a piece of work, which ids its log lines have and to which trace it belongs. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { TraceContext } from "./trace-context.ts";
import type { Tracer } from "./tracer.ts";

/** Every log line of the work has them. */
export interface WorkIds {
  requestId?: string | undefined;
  projectId?: string | undefined;
  installationId?: string | undefined;
  connectionId?: string | undefined;
  operationId?: string | undefined;
  subscriptionId?: string | undefined;
  destinationId?: string | undefined;
  eventId?: string | undefined;
  traceId?: string | undefined;
}

/** A request, or a piece of background work. */
export interface Work {
  readonly ids: WorkIds;
  /** Undefined if the caller sent no context and nothing is recorded. */
  readonly trace: TraceContext | undefined;
  /** Undefined if nothing is recorded: then the caller's context is passed on as it is. */
  readonly tracer: Tracer | undefined;
}

const current = new AsyncLocalStorage<Work | undefined>();

export const findCurrentWork = (): Work | undefined => current.getStore();

/** Runs a piece of work of its own, whatever work it was started in. */
export const runAsWork = <Result>(work: Work, run: () => Result): Result => current.run(work, run);

/** Runs a part of the current work whose log lines have further ids. */
export function withWorkIds<Result>(ids: WorkIds, run: () => Result): Result {
  const work = current.getStore();
  return current.run({ trace: undefined, tracer: undefined, ...work, ids: { ...work?.ids, ...ids } }, run);
}

/**
 * Runs what serves several pieces of work, such as the opening of a shared connection, as part of none. Otherwise its later
 * log lines would have the ids of the work that came first.
 */
export const runOutsideWork = <Result>(run: () => Result): Result => current.run(undefined, run);

/** Adds ids to the log lines of the current work, as soon as they are known. */
export const addWorkIds = (ids: WorkIds): void => {
  const work = current.getStore();
  if (work) Object.assign(work.ids, ids);
};

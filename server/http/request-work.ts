/** Wraps each admitted request in a unit of work: ids for its log lines, and its span in the caller's trace. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { runAsWork, type Work, type WorkIds } from "../../ground/current-work.ts";
import { isUuid } from "../../ground/ids.ts";
import { beginSpan } from "../../ground/span.ts";
import { readTraceparent } from "../../ground/trace-context.ts";
import type { Span, Tracer } from "../../ground/tracer.ts";
import type { Caller, ProjectRef, Route } from "./endpoint.ts";

interface RequestWork extends Work {
  span: Span | undefined;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set as soon as it may be carried out. */
    work: RequestWork | undefined;
  }
}

/** Public endpoints that act for a customer. Health checks and documents would only be noise among the traces. */
const ACTING = /^\/(callbacks|subscribe)\//;

/**
 * Begins the work of a request that may be carried out. A refused stranger makes no span, and only a caller with a credential
 * names the trace: anybody else could join the spans to a foreign one.
 */
export function beginRequest(
  tracer: Tracer | undefined,
  { method, path, audience }: Pick<Route, "method" | "path" | "audience">,
  { caller, project }: { caller?: Pick<Caller, "projectId">; project?: ProjectRef },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const isPublic = audience === "public";
  const context = isPublic ? undefined : readTraceparent(request.headers["traceparent"]);
  const projectId = project?.id ?? caller?.projectId;
  const isTraced = tracer && (!isPublic || ACTING.test(path));
  const span = isTraced
    ? beginSpan(tracer, context, {
        name: `${method} ${path}`,
        kind: "server",
        attributes: {
          "http.request.method": method,
          "http.route": path,
          "busbar.request.id": request.id,
          "busbar.project.id": projectId,
        },
        agoMs: reply.elapsedTime,
      })
    : undefined;
  const trace = span?.context ?? context;
  const ids: WorkIds = {
    requestId: request.id,
    projectId,
    ...readIdsOfPath(request),
    traceId: trace?.traceId,
  };
  request.work = { ids, trace, tracer: span && tracer, span };
}

const NAMED = ["installationId", "connectionId", "operationId", "eventId"] as const;

/** Reads ids from the path, and only ids: a caller may have written anything else there, such as a secret. */
function readIdsOfPath({ params }: FastifyRequest): WorkIds {
  const given = params as Partial<Record<string, string>>;
  const ids: WorkIds = {};
  for (const name of NAMED) {
    const id = given[name];
    if (id !== undefined && isUuid(id)) ids[name] = id;
  }
  return ids;
}

/** Runs a part of the request as part of its work. */
export function runInRequest<Result>(request: FastifyRequest, run: () => Result): Result {
  const { work } = request;
  return work ? runAsWork(work, run) : run();
}

/** Returns the ids of the request's log lines, those included that became known while it was carried out. */
export function requestIds(request: FastifyRequest): WorkIds {
  const { work, known } = request;
  if (work) return work.ids;
  return { requestId: request.id, projectId: known?.project?.id ?? known?.caller.projectId };
}

/** Ends the span of the request. */
export function endRequest({ work }: FastifyRequest, status: number): void {
  const span = work?.span;
  if (!span) return;
  span.set({ "http.response.status_code": status });
  if (status >= 500) span.fail(String(status));
  span.end();
}

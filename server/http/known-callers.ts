/** Remembers who makes a request as soon as that is known, for its handler and for the list of refused requests. */
import type { FastifyRequest } from "fastify";
import type { Problem } from "../../ground/errors.ts";
import { normalizePath } from "../../ground/normalize-path.ts";
import type { Caller, ProjectRef, Route } from "./endpoint.ts";

interface KnownCaller {
  entry: Route;
  caller: Caller;
  project?: ProjectRef;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set as soon as its caller is known. */
    known: KnownCaller | undefined;
  }
}

/** A request that was refused although its credential and project were valid. */
export interface RefusedRequest {
  requestId: string;
  projectId: string;
  caller: Caller;
  method: string;
  /** Without the query. */
  path: string;
  operationId: string;
  /** The customer that body, query or path name. */
  groupRef?: string;
  problem: Problem;
}

/** Returns the refused request; undefined if its credential or project is not known. */
export function toRefusedRequest(request: FastifyRequest, problem: Problem): RefusedRequest | undefined {
  const { known } = request;
  const projectId = known?.project?.id ?? known?.caller.projectId;
  if (!known || projectId === undefined) return undefined;
  return {
    requestId: request.id,
    projectId,
    caller: known.caller,
    method: request.method,
    // Normalized, so that an erasure finds the name of a group in it.
    path: normalizePath(request.originalUrl.split("?")[0] ?? ""),
    operationId: known.entry.endpoint.operationId,
    ...findNamedGroup(request.body, request.query, request.params),
    problem,
  };
}

/** No group has a longer one. */
const LONGEST_REFERENCE = 255;

function findNamedGroup(...parts: unknown[]): { groupRef?: string } {
  for (const part of parts) {
    const groupRef: unknown =
      typeof part === "object" && part !== null && "groupRef" in part && part.groupRef;
    if (typeof groupRef === "string") return { groupRef: groupRef.slice(0, LONGEST_REFERENCE) };
  }
  return {};
}

/** Calls operations of the API from inside the server, as their endpoints would be called over HTTP. */
import type { Caller, ProjectRef, Route } from "../http/endpoint.ts";
import type { Audit } from "../http/server-options.ts";
import { createValidator } from "../http/validation.ts";
import type { Json } from "../../ground/json.ts";
import type { AgentSession } from "./agent-session.ts";

interface OperationCall {
  project: ProjectRef;
  caller: Caller;
  requestId: string;
  params?: object;
  query?: object;
  body?: object;
  headers?: Record<string, string>;
}

/** Returns the answer of a success. Throws the Problem with which the endpoint refuses. */
export type CallOperation = (operationId: string, call: OperationCall) => Promise<unknown>;

/** What an operation of the API is called with. */
interface Inputs {
  params?: object;
  query?: object;
  body?: object;
}

/** Calls an operation of the API as the agent's credential may; returns its answer as it would be sent. */
export async function callAs(
  { deps, session }: { deps: { callOperation: CallOperation }; session: AgentSession },
  operationId: string,
  inputs: Inputs = {},
): Promise<Json> {
  const { project, caller, requestId } = session;
  const answer = await deps.callOperation(operationId, { project, caller, requestId, ...inputs });
  return JSON.parse(JSON.stringify(answer ?? null)) as Json;
}

/** The caller is authenticated and authorized by whoever calls. */
export function openOperations(routes: readonly Route[], audit?: Audit): CallOperation {
  const byId = new Map(routes.map((entry) => [entry.endpoint.operationId, prepare(entry, audit)]));
  return (operationId, call) => {
    const run = byId.get(operationId);
    if (!run) throw new Error(`there is no operation ${operationId}`);
    return run(call);
  };
}

const NAMES = { query: [], body: [], header: [] };

function prepare(entry: Route, audit: Audit | undefined): (call: OperationCall) => Promise<unknown> {
  const { endpoint } = entry;
  const params = endpoint.params && createValidator(endpoint.params, "path");
  const query = endpoint.query && createValidator(endpoint.query, "query", NAMES);
  const body = endpoint.body && createValidator(endpoint.body, "body", NAMES);
  return async ({ project, caller, requestId, headers = {}, ...given }) => {
    const call = {
      caller,
      project,
      requestId,
      headers,
      params: params ? params(given.params ?? {}) : {},
      query: query ? query(given.query ?? {}) : {},
      body:
        body && (given.body !== undefined || !endpoint.bodyOptional) ? body(given.body ?? {}) : given.body,
      url: entry.path,
      remoteAddress: "",
    };
    const handle = () => endpoint.handle(call);
    return audit ? audit(entry, call, handle) : handle();
  };
}

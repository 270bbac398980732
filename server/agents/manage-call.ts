/** What the tools of a project's endpoint are given with each call. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { Database } from "../store/database.ts";
import type { AgentSession } from "./agent-session.ts";
import type { CallOperation } from "./api-operations.ts";
import type { AgentPolicy } from "./policy.ts";

export interface ManageServices {
  database: Database;
  catalog: Catalog;
  callOperation: CallOperation;
  publicUrl: () => string;
  minuteMs: number;
}

export interface ManageCall {
  deps: ManageServices;
  session: AgentSession;
  policy: AgentPolicy;
}

/** What an operation of the API is called with. */
interface Inputs {
  params?: object;
  query?: object;
  body?: object;
}

/** Calls an operation of the API as the agent's credential may; returns its answer as it would be sent. */
export async function callAs(
  { deps, session }: { deps: Pick<ManageServices, "callOperation">; session: AgentSession },
  operationId: string,
  inputs: Inputs = {},
): Promise<Json> {
  const { project, caller, requestId } = session;
  const answer = await deps.callOperation(operationId, { project, caller, requestId, ...inputs });
  return JSON.parse(JSON.stringify(answer ?? null)) as Json;
}

/** Of a list in pages: its entries, and where the next page begins. */
export interface ListedPage {
  entries: JsonObject[];
  cursor?: string;
}

export async function listPage(
  call: ManageCall,
  operationId: string,
  query: { limit?: number | undefined; cursor?: string | undefined } & Record<string, unknown>,
): Promise<ListedPage> {
  const { limit, cursor, ...filters } = query;
  const given = Object.entries({ ...filters, pageSize: limit ?? 25, pageToken: cursor });
  const answer = await callAs(call, operationId, {
    query: Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  });
  const { results, pagination } = isJsonObject(answer) ? answer : {};
  const next = isJsonObject(pagination) ? pagination["nextPageToken"] : undefined;
  return {
    entries: Array.isArray(results) ? results.filter(isJsonObject) : [],
    ...(typeof next === "string" && { cursor: next }),
  };
}

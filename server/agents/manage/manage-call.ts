/** What the tools of a project's endpoint are given with each call. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { isJsonObject, type JsonObject } from "../../../ground/json.ts";
import type { Database } from "../../store/database/database.ts";
import type { AgentSession } from "../agent-session.ts";
import { callAs, type CallOperation } from "../api-operations.ts";
import type { AgentPolicy } from "../policy/policy.ts";

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

/** Entries of one page, and the cursor of the next. */
interface ListedPage {
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

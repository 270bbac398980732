/** Reads one record by its id. */
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { Connector } from "../connector.ts";
import type { ProviderFetch, ProviderRequest } from "../calls/provider-fetch.ts";
import { buildUnreadable, send } from "../calls/send-request.ts";
import { buildBody } from "./write/body-members.ts";
import { hasMark } from "./deleted-mark.ts";
import { fillPath } from "./fill-path.ts";
import { withDocument } from "./plan-graphql.ts";
import { getMember, type ObjectPlan } from "./object-plan.ts";
import { put, type RequestParts } from "./request-parts.ts";
import { findUntoldRefusal } from "./untold-refusal.ts";
import { selectFieldsInPath } from "./selected-fields.ts";

type Classify = NonNullable<Connector["classify"]>;

/** Returns the request of one record, with these fields. */
export const getRequest = (
  plan: ObjectPlan,
  { path, method = "GET", headers, body, idTo }: NonNullable<ObjectPlan["get"]>,
  id: string,
  fields: string[],
): ProviderRequest =>
  plan.graphql
    ? {
        method: "POST",
        path,
        body: withDocument(plan, "get", { variables: { id } }, fields),
        repeatable: true,
      }
    : {
        method,
        path: selectFieldsInPath(fillPath(path, plan, id), plan, fields),
        ...(headers && { headers }),
        ...(method !== "GET" && { body: buildBodyWithId(plan, body, idTo, id) }),
        repeatable: true,
      };

function buildBodyWithId(
  plan: ObjectPlan,
  members: Record<string, unknown> | undefined,
  idTo: string | undefined,
  id: string,
): JsonObject {
  const parts: RequestParts = { query: [], body: buildBody(plan, members) };
  if (idTo !== undefined) put(parts, idTo, id);
  return parts.body;
}

/** Returns one record, with these fields; undefined if it does not exist, or if its object has no such request. */
export async function getOne(
  { plan, fetch, classify }: { plan: ObjectPlan; fetch: ProviderFetch; classify: Classify },
  id: string,
  fields: string[],
): Promise<JsonObject | undefined> {
  if (!plan.get) return undefined;
  const { body, error, response } = await send(getRequest(plan, plan.get, id, fields), fetch, classify);
  if (error?.kind === "not_found") return undefined;
  if (error) throw error;
  if (body === undefined && response.status !== 204) throw buildUnreadable(response);
  const record = getMember(body, plan.get.record === undefined ? undefined : fillPath(plan.get.record, plan));
  const refusal = findUntoldRefusal(plan, record, body);
  if (refusal) throw refusal;
  // Stripe answers a deleted customer with its id and the mark.
  return isJsonObject(record) && !hasMark(record, plan.get) ? record : undefined;
}

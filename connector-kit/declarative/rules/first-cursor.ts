/** Requests the first cursor of a list whose pages cannot take the time bound themselves. */
import type { Connector } from "../../connector.ts";
import { brokenPage } from "../../calls/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../../calls/provider-fetch.ts";
import type { Checkpoint } from "../../read-connector.ts";
import { send } from "../../calls/send-request.ts";
import { textAt } from "../../calls/text-at.ts";
import { fillPath } from "../fill-path.ts";
import type { ObjectPlan } from "../object-plan.ts";
import type { PagingRules } from "./paging-rules.ts";
import { put, timeText, withQuery, type RequestParts } from "../request-parts.ts";

/** Returns the request for the first cursor; undefined where there is none, or where the scan has begun. */
export function startRequest(
  rules: ObjectPlan,
  { cursor }: PagingRules,
  bound: Date | undefined,
  checkpoint: Checkpoint | undefined,
): ProviderRequest | undefined {
  if (!cursor?.start || checkpoint?.["place"] !== undefined) return undefined;
  const parts: RequestParts = { query: [], body: {} };
  put(parts, cursor.start.sinceTo, timeText(bound ?? new Date(0), rules.since?.format));
  const path = withQuery(fillPath(cursor.start.path, rules), parts.query);
  return { method: "GET", path, repeatable: true };
}

/** Returns the checkpoint of the first page. Throws `ProviderError`. */
export async function firstCheckpoint(
  request: ProviderRequest,
  { cursor }: PagingRules,
  { fetch, classify }: { fetch: ProviderFetch; classify: NonNullable<Connector["classify"]> },
): Promise<Checkpoint> {
  const { body, error } = await send(request, fetch, classify);
  if (error) throw error;
  const place = body === undefined || !cursor ? undefined : textAt(body, cursor.from);
  if (place === undefined) throw brokenPage("the answer has no first cursor");
  return { place };
}

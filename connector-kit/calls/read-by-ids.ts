/** Reads records by their ids in as many requests as the provider's limit needs. */
import type { Connector } from "../connector.ts";
import type { Json } from "../../ground/json.ts";
import type { Account, ProviderFetch, ProviderRequest } from "./provider-fetch.ts";
import { send } from "./send-request.ts";

interface ReadByIds {
  /** Each is asked for once, however often it is given. */
  ids: string[];
  /** Ids of one request. */
  limit: number;
  request(ids: string[]): ProviderRequest;
  classify: NonNullable<Connector["classify"]>;
  account?: Account;
}

/** Returns the bodies of the answers in order. Throws `ProviderError` for a refusal. */
export async function readByIds(
  { ids, limit, request, classify, account }: ReadByIds,
  fetch: ProviderFetch,
): Promise<(Json | undefined)[]> {
  const distinct = [...new Set(ids)];
  const bodies: (Json | undefined)[] = [];
  for (let start = 0; start < distinct.length; start += limit) {
    const answer = await send(request(distinct.slice(start, start + limit)), fetch, classify, account);
    if (answer.error) throw answer.error;
    bodies.push(answer.body);
  }
  return bodies;
}

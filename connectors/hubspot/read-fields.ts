/** Reads current values of HubSpot records, for fields that are written only if empty. */
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { WriteConnector } from "../../connector-kit/connector.ts";
import { readByIds } from "../../connector-kit/calls/read-by-ids.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { readBatchAnswer } from "./batch-create.ts";
import { classify } from "./classify.ts";
import { readId } from "./record.ts";
import { BATCH_LIMIT, idFault, objectFault, readBatch } from "./request.ts";

type ReadRequest = Parameters<WriteConnector["readFields"]>[0];

/** Returns values by record id. A record that does not exist, or whose id is malformed, is absent. */
export async function readFields(
  request: ReadRequest,
  fetch: ProviderFetch,
): Promise<Map<string, JsonObject>> {
  const fault = objectFault(request.objectName);
  if (fault) throw fault;
  const bodies = await readByIds(
    {
      ids: request.ids.filter((id) => idFault(id) === undefined),
      limit: BATCH_LIMIT,
      request: (ids) => readBatch(request.objectName, ids, request.fields),
      classify,
      account: request.account,
    },
    fetch,
  );
  const found = new Map<string, JsonObject>();
  // Records come in any order; missing ids are listed among the errors.
  for (const record of bodies.flatMap((body) => readBatchAnswer(body).results)) {
    const id = readId(record);
    if (id !== undefined && isJsonObject(record.properties)) found.set(id, record.properties);
  }
  return found;
}

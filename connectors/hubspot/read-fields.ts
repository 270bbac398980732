/** Reads current values of HubSpot records, for fields that are written only if empty. */
import { isJsonObject, type JsonObject } from "../../server/ground/json.ts";
import { send } from "../../connector-kit/send-request.ts";
import type { WriteConnector } from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/provider-fetch.ts";
import { readBatchAnswer } from "./batch-create.ts";
import { classify } from "./classify.ts";
import { idOf } from "./record.ts";
import { BATCH_LIMIT, idFault, objectFault, readBatch } from "./request.ts";

type ReadRequest = Parameters<WriteConnector["readFields"]>[0];

/** Values by record id. A record that is missing, or whose id cannot be one, is absent. */
export async function readFields(
  request: ReadRequest,
  fetch: ProviderFetch,
): Promise<Map<string, JsonObject>> {
  const fault = objectFault(request.objectName);
  if (fault) throw fault;
  const ids = [...new Set(request.ids)].filter((id) => idFault(id) === undefined);
  const found = new Map<string, JsonObject>();
  for (let start = 0; start < ids.length; start += BATCH_LIMIT) {
    const part = readBatch(request.objectName, ids.slice(start, start + BATCH_LIMIT), request.fields);
    const answer = await send(part, fetch, classify, request.account);
    if (answer.error) throw answer.error;
    // Not in the order asked for; missing ids are listed among the errors.
    for (const record of readBatchAnswer(answer.body).results) {
      const id = idOf(record);
      if (id !== undefined && isJsonObject(record.properties)) found.set(id, record.properties);
    }
  }
  return found;
}

/** Reads current values of HubSpot records, for fields that are written only if empty. */
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { WriteConnector } from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { readBatches } from "./read-records.ts";
import { readId } from "./record.ts";
import { findIdFault, findObjectFault } from "./request.ts";

type ReadRequest = Parameters<WriteConnector["readFields"]>[0];

/** Returns values by record id. A record that does not exist, or whose id is malformed, is absent. */
export async function readFields(
  request: ReadRequest,
  fetch: ProviderFetch,
): Promise<Map<string, JsonObject>> {
  const fault = findObjectFault(request.objectName);
  if (fault) throw fault;
  const raws = await readBatches(
    {
      objectName: request.objectName,
      ids: request.ids.filter((id) => findIdFault(id) === undefined),
      properties: request.fields,
      account: request.account,
    },
    fetch,
  );
  const found = new Map<string, JsonObject>();
  for (const record of raws.filter(isJsonObject)) {
    const id = readId(record);
    if (id !== undefined && isJsonObject(record.properties)) found.set(id, record.properties);
  }
  return found;
}

/** Reads current values of Salesforce records, for fields that are written only if empty. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { buildUnreadable } from "../../connector-kit/calls/send-request.ts";
import type { WriteConnector } from "../../connector-kit/connector.ts";
import { readByIds } from "../../connector-kit/calls/read-by-ids.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { classify } from "./classify.ts";
import { findIdFault, toLongId } from "./id.ts";
import { findObjectFault, READ_LIMIT, readMany } from "./request.ts";

type ReadRequest = Parameters<WriteConnector["readFields"]>[0];

/** Returns values under the ids and field names of the request. A missing or invisible record is absent. */
export async function readFields(
  request: ReadRequest,
  fetch: ProviderFetch,
): Promise<Map<string, JsonObject>> {
  const fault = findObjectFault(request.objectName);
  if (fault) throw fault;
  const fields = ["Id", ...request.fields.filter((name) => name.toLowerCase() !== "id")];
  const bodies = await readByIds(
    {
      ids: request.ids.filter((id) => !findIdFault(id)).map(toLongId),
      limit: READ_LIMIT,
      request: (ids) => readMany(request.objectName, ids, fields),
      classify,
    },
    fetch,
  );
  const records = new Map<string, JsonObject>();
  // Missing records are null. The order is not guaranteed, so records are matched by id.
  for (const record of bodies.flatMap(requireList).filter(isJsonObject)) {
    if (typeof record.Id === "string" && !findIdFault(record.Id)) records.set(toLongId(record.Id), record);
  }
  return new Map(
    request.ids.flatMap((id): [string, JsonObject][] => {
      const record = findIdFault(id) ? undefined : records.get(toLongId(id));
      return record ? [[id, restoreNames(request.fields, record)]] : [];
    }),
  );
}

function requireList(body: Json | undefined): Json[] {
  if (Array.isArray(body)) return body;
  throw buildUnreadable({ status: 200, headers: {}, text: JSON.stringify(body ?? null) });
}

/** Restores the spelling of the request: Salesforce takes field names in any case and answers in its own. */
function restoreNames(fields: string[], record: JsonObject): JsonObject {
  const byName = new Map(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(fields.map((name) => [name, byName.get(name.toLowerCase()) ?? null]));
}

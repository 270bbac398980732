/** Reads current values of Salesforce records, for fields that are written only if empty. */
import { isJsonObject, type JsonObject } from "../../server/ground/json.ts";
import { send, unreadable } from "../../connector-kit/send-request.ts";
import type { WriteConnector } from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/provider-fetch.ts";
import { classify } from "./classify.ts";
import { idFault, longId } from "./id.ts";
import { objectFault, READ_LIMIT, readMany } from "./request.ts";

type ReadRequest = Parameters<WriteConnector["readFields"]>[0];

/** Values under the ids and field names as asked for. A record that is missing or invisible is absent. */
export async function readFields(
  request: ReadRequest,
  fetch: ProviderFetch,
): Promise<Map<string, JsonObject>> {
  const fault = objectFault(request.objectName);
  if (fault) throw fault;
  const ids = [...new Set(request.ids.filter((id) => !idFault(id)).map(longId))];
  const fields = ["Id", ...request.fields.filter((name) => name.toLowerCase() !== "id")];
  const records = new Map<string, JsonObject>();
  for (let start = 0; start < ids.length; start += READ_LIMIT) {
    const part = readMany(request.objectName, ids.slice(start, start + READ_LIMIT), fields);
    const answer = await send(part, fetch, classify);
    if (answer.error) throw answer.error;
    if (!Array.isArray(answer.body)) {
      throw unreadable({ status: 200, headers: {}, text: JSON.stringify(answer.body ?? null) });
    }
    // Missing records are null; nobody promises the order, so the id decides.
    for (const record of answer.body.filter(isJsonObject)) {
      if (typeof record.Id === "string" && !idFault(record.Id)) records.set(longId(record.Id), record);
    }
  }
  return new Map(
    request.ids.flatMap((id): [string, JsonObject][] => {
      const record = idFault(id) ? undefined : records.get(longId(id));
      return record ? [[id, inNamesOf(request.fields, record)]] : [];
    }),
  );
}

/** Salesforce takes field names in any case and answers in its own. */
function inNamesOf(fields: string[], record: JsonObject): JsonObject {
  const byName = new Map(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(fields.map((name) => [name, byName.get(name.toLowerCase()) ?? null]));
}

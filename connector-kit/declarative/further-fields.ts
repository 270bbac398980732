/** Reads the fields of a page that one request could not name, by the ids of its records. */
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { Connector } from "../connector.ts";
import { buildBrokenPage, listOrBroken, requireObject } from "../calls/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../calls/provider-fetch.ts";
import { readByIds } from "../calls/read-by-ids.ts";
import { fillPath, fillText } from "./fill-path.ts";
import { getOne } from "./get-record.ts";
import { getMember, readRecordId, type ObjectPlan } from "./object-plan.ts";
import { put, withQuery, type RequestParts } from "./request-parts.ts";
import { putNames, groupSelectedFields } from "./selected-fields.ts";

interface Reading {
  rules: ObjectPlan;
  classify: NonNullable<Connector["classify"]>;
  fetch: ProviderFetch;
}

/** Returns the entries with all these fields. A record that is gone by now is left out. Throws `ProviderError`. */
export async function withFurtherFields(
  { rules, classify, fetch }: Reading,
  entries: JsonObject[],
  fields: string[],
): Promise<JsonObject[]> {
  const [, ...further] = groupSelectedFields(rules, fields);
  const { ids: idRules } = rules.select ?? {};
  if (further.length === 0 || !idRules || entries.length === 0) return entries;
  const ids = entries.map((entry) => readRecordId(entry, rules) ?? "");
  const more = new Map(ids.map((id): [string, JsonObject[]] => [id, []]));
  for (const names of further) {
    const request = (some: string[]) => requestByIds(rules, idRules.to, some, names);
    for (const body of await readByIds({ ids, limit: idRules.most, request, classify }, fetch)) {
      // An answer without a body has no records.
      const listed =
        body === undefined ? [] : listOrBroken(getMember(body, rules.records), "the list of records");
      for (const entry of listed) {
        const record = requireObject(entry, "a record");
        more.get(readRecordId(record, rules) ?? "")?.push(record);
      }
    }
  }
  const complete: JsonObject[] = [];
  for (const [index, entry] of entries.entries()) {
    const id = ids[index] ?? "";
    const parts = more.get(id) ?? [];
    // A record that the list lacks is requested by its id: it is gone, or comes with all fields.
    const whole =
      parts.length >= further.length
        ? Object.assign({}, ...parts)
        : await getOne({ plan: rules, fetch, classify }, id, fields);
    if (isJsonObject(whole)) complete.push({ ...entry, ...whole });
  }
  return complete;
}

function requestByIds(rules: ObjectPlan, to: string, ids: string[], names: string[]): ProviderRequest {
  const { list } = rules;
  if (!list) throw buildBrokenPage(`${rules.name} cannot be listed`);
  const query = Object.entries(list.query ?? {}).map(([name, value]): [string, string] => [
    name,
    fillText(value, rules),
  ]);
  const parts: RequestParts = { query, body: {} };
  put(parts, to, ids.join(","));
  putNames(parts, rules, names);
  return {
    method: "GET",
    path: withQuery(fillPath(list.path, rules), parts.query),
    ...(list.headers && { headers: list.headers }),
    repeatable: true,
  };
}

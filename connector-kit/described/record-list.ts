/** Writes a list of records with one request, and reads the result of each out of the answer. */
import { isJsonObject, type Json } from "../../server/ground/json.ts";
import type { RecordOutcome, RecordToWrite } from "../connector.ts";
import type { ProviderRequest } from "../provider-fetch.ts";
import { ProviderError } from "../provider-error.ts";
import { textAt } from "../text-at.ts";
import type { RecordListRules } from "./batch-rules.ts";
import { reasonIn } from "./described-classify.ts";
import type { Description } from "./description.ts";
import { fillPath, fillText } from "./fill-path.ts";
import { at, type ObjectPlan } from "./object-plan.ts";
import { nested, put, withQuery, type RequestParts } from "./request-parts.ts";

export interface RecordList {
  rules: RecordListRules;
  plan: ObjectPlan;
  description: Description;
  repeatable: boolean;
  /** What goes beside the list: the name of the key of an upsert. */
  beside: (readonly [target: string, value: string | string[]])[];
}

export function listRequest(
  { rules, plan, description, repeatable, beside }: RecordList,
  records: RecordToWrite[],
): ProviderRequest {
  const { method, path, to, each, idTo, ref, also = {} } = rules;
  const further = Object.fromEntries(
    Object.entries(also).map(([name, value]) => [name, fillText(value, plan)]),
  );
  const entries = records.map(({ id, fields }, index) => {
    const entry = each === undefined ? { ...fields } : { [each]: fields };
    const isNumber = description.ids?.number ?? false;
    const named = idTo === undefined || id === undefined ? {} : { [idTo]: isNumber ? Number(id) : id };
    // Id and reference last: a field of the same name must not lead to another record.
    return { ...entry, ...further, ...named, ...(ref && { [ref.to]: String(index + 1) }) };
  });
  const parts: RequestParts = { query: [], body: {} };
  for (const [target, value] of beside) put(parts, target, value);
  const filled = withQuery(fillPath(path, plan), parts.query);
  if (to === "") return { method, path: filled, body: entries, repeatable };
  return { method, path: filled, body: nested(to, entries, parts.body), repeatable };
}

/**
 * Returns the results in the order of the records; undefined where the answer has not one for each. With references, only the
 * results of records that it does not mention, or mentions twice, are undefined.
 */
export function resultsIn(
  { rules: { answers, ref } }: RecordList,
  body: Json | undefined,
  count: number,
): (Json | undefined)[] | undefined {
  const results = answers === undefined ? undefined : at(body, answers);
  if (!Array.isArray(results)) return undefined;
  if (!ref) return results.length === count ? results : undefined;
  const byReference = Map.groupBy<string | undefined, Json>(results, (result) => textAt(result, ref.from));
  return Array.from({ length: count }, (_, index) => {
    const [own, ...others] = byReference.get(String(index + 1)) ?? [];
    return others.length === 0 ? own : undefined;
  });
}

/** Returns what a result tells about its record. */
export function outcomeIn(list: RecordList, { id }: RecordToWrite, result: Json): RecordOutcome {
  const { rules, plan } = list;
  const [okPath, okValue] = rules.okWhen?.split("=") ?? [];
  if (okPath !== undefined && textIn(result, okPath) !== okValue)
    return { success: false, error: refusalIn(list, result) };
  const idPath = rules.id ?? plan.idPath;
  const recordId = textIn(result, idPath) ?? id;
  if (recordId === undefined)
    return unreadable(`the result of a record of ${plan.name} has no id at ${idPath}`);
  if (id !== undefined && recordId !== id)
    return unreadable(`the result of record ${id} is that of ${recordId}`);
  const data = rules.record === undefined ? undefined : at(result, rules.record);
  return { success: true, recordId, ...(isJsonObject(data) && { data }) };
}

const unreadable = (message: string): RecordOutcome => ({
  success: false,
  error: new ProviderError({ kind: "unreadable", message, status: 200 }),
});

function refusalIn({ rules, description: { errors } }: RecordList, result: Json): ProviderError {
  const code = rules.code === undefined ? undefined : textIn(result, rules.code);
  const known =
    code !== undefined && Object.hasOwn(errors.codes ?? {}, code) ? errors.codes?.[code] : undefined;
  return new ProviderError({
    kind: known ?? "invalid",
    message:
      reasonIn(result, rules.message ?? errors.message) ?? "the provider refused the record without a reason",
    ...(code !== undefined && { code }),
  });
}

/** An empty path is the result itself. */
function textIn(result: Json, path: string): string | undefined {
  if (path !== "") return textAt(result, path);
  return typeof result === "string" || typeof result === "number" ? String(result) : undefined;
}

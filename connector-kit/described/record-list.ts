/** Writes a list of records with one request, and reads the result of each out of the answer. */
import { isJsonObject, type Json } from "../../server/ground/json.ts";
import type { RecordOutcome, RecordToWrite } from "../connector.ts";
import type { ProviderRequest } from "../provider-fetch.ts";
import { ProviderError } from "../provider-error.ts";
import type { RecordListRules } from "./batch-rules.ts";
import type { Description } from "./description.ts";
import { bodyOf } from "./body-members.ts";
import { fillPath, fillText } from "./fill-path.ts";
import { at, type ObjectPlan } from "./object-plan.ts";
import { refusalIn, refusalOf, textIn } from "./record-result.ts";
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
  const { method, path, each, ref, also = {} } = rules;
  const to = fillPath(rules.to, plan);
  const idTo = rules.idTo === undefined ? undefined : fillPath(rules.idTo, plan);
  const further = Object.fromEntries(
    Object.entries(also).map(([name, value]) => [name, fillText(value, plan)]),
  );
  const entries = records.map(({ id, fields }, index) => {
    const entry = each === undefined ? { ...fields } : { [each]: fields };
    const isNumber = description.ids?.number ?? false;
    const named = idTo === undefined || id === undefined ? {} : { [idTo]: isNumber ? Number(id) : id };
    // Id and reference last: a field of the same name must not lead to another record.
    return { ...entry, ...further, ...named, ...(ref?.to !== undefined && { [ref.to]: String(index + 1) }) };
  });
  const parts: RequestParts = { query: [], body: bodyOf(plan, rules.body) };
  for (const [target, value] of beside) put(parts, target, value);
  const filled = withQuery(fillPath(path, plan), parts.query);
  if (to === "") return { method, path: filled, body: entries, repeatable };
  return { method, path: filled, body: nested(to, entries, parts.body), repeatable };
}

/**
 * Returns what the answer tells about each record; undefined where it has not one result for each. With references, only the
 * outcomes of records that it does not mention, or mentions twice, are undefined.
 */
export function outcomesIn(
  list: RecordList,
  records: RecordToWrite[],
  body: Json | undefined,
): (RecordOutcome | undefined)[] | undefined {
  const { answers, furtherAnswers = [], ref, refused } = list.rules;
  if (answers === undefined && !refused) return undefined;
  const results = answers === undefined ? [] : at(body, fillPath(answers, list.plan));
  if (!Array.isArray(results)) return undefined;
  if (!ref)
    return results.length === records.length
      ? records.map((record, index) => outcomeIn(list, record, results[index] ?? null))
      : undefined;
  const further = furtherAnswers.flatMap((path) => listAt(body, path));
  const byReference = grouped([...results, ...further], ref.from);
  const refusals = refusalsIn(list, body);
  return records.map((record, index) => {
    const reference = referenceOf(ref, record, index);
    const refusal = reference === undefined ? undefined : refusals.get(reference);
    if (refusal) return { success: false, error: refusal };
    if (answers === undefined)
      return { success: true, ...(record.id !== undefined && { recordId: record.id }) };
    const [own, ...others] = byReference.get(reference) ?? [];
    return own === undefined || others.length > 0 ? undefined : outcomeIn(list, record, own);
  });
}

const grouped = (results: Json[], from: string): Map<string | undefined, Json[]> =>
  Map.groupBy<string | undefined, Json>(results, (result) => textIn(result, from)?.toLowerCase());

function listAt(body: Json | undefined, path: string): Json[] {
  const found = at(body, path);
  return Array.isArray(found) ? found : [];
}

function referenceOf(
  { of }: NonNullable<RecordListRules["ref"]>,
  { fields }: RecordToWrite,
  index: number,
): string | undefined {
  return of === undefined ? String(index + 1) : textIn(fields[of] ?? null, "")?.toLowerCase();
}

/** Returns the refusals by reference. */
function refusalsIn({ rules, description }: RecordList, body: Json | undefined): Map<string, ProviderError> {
  const refusals = new Map<string, ProviderError>();
  for (const { at: path, from = rules.ref?.from ?? "", reason } of rules.refused ?? [])
    for (const entry of listAt(body, path)) {
      const reference = textIn(entry, from)?.toLowerCase();
      if (reference !== undefined)
        refusals.set(reference, refusalOf(rules, description.errors, entry, reason));
    }
  return refusals;
}

/** Returns what a result tells about its record. */
function outcomeIn(list: RecordList, { id }: RecordToWrite, result: Json): RecordOutcome {
  const { rules, plan, description } = list;
  const refusal = refusalIn(rules, description.errors, result);
  if (refusal) return { success: false, error: refusal };
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

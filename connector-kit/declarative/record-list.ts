/** Writes a list of records with one request, and reads the result of each out of the answer. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { RecordOutcome, RecordToWrite } from "../connector.ts";
import { toExactInteger } from "../calls/exact-json.ts";
import type { ProviderRequest } from "../calls/provider-fetch.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type { RecordListRules } from "./rules/batch-rules.ts";
import type { Description } from "./rules/description.ts";
import { buildBody } from "./write/body-members.ts";
import { fillPath, fillText } from "./fill-path.ts";
import { getMember, type ObjectPlan } from "./object-plan.ts";
import { isOtherRecord } from "./write/other-record.ts";
import { findRefusal, readRefusal, findText } from "./write/record-result.ts";
import { nestValue, put, withQuery, type RequestParts } from "./request-parts.ts";

export interface RecordList {
  rules: RecordListRules;
  plan: ObjectPlan;
  description: Description;
  repeatable: boolean;
  /** The key of an upsert, where its value leaves the fields, or is the id of the record. */
  key?: { name: string; leaves: boolean; isId: boolean };
  /** Parameters in addition to the list: the name of an upsert's key. */
  beside: (readonly [target: string, value: string | string[]])[];
}

export function listRequest(
  { rules, plan, description, repeatable, beside, key }: RecordList,
  records: RecordToWrite[],
): ProviderRequest {
  const { method, path, each, ref, also = {} } = rules;
  const to = fillPath(rules.to, plan);
  const idTo = rules.idTo === undefined ? undefined : fillPath(rules.idTo, plan);
  const further = Object.fromEntries(
    Object.entries(also).map(([name, value]) => [
      name,
      typeof value === "string" ? fillText(value, plan) : value,
    ]),
  );
  const entries = records.map(({ id, fields: all }, index) => {
    const [own, fields] = key?.leaves ? withoutKey(all, key.name) : [{}, all];
    const entry = each === undefined ? { ...fields, ...own } : { [each]: fields, ...own };
    const isNumber = description.ids?.number ?? false;
    const named =
      idTo === undefined || id === undefined ? {} : { [idTo]: isNumber ? (toExactInteger(id) ?? id) : id };
    // Id and reference last: a field of the same name must not lead to another record.
    return { ...entry, ...further, ...named, ...(ref?.to !== undefined && { [ref.to]: String(index + 1) }) };
  });
  const parts: RequestParts = { query: [], body: buildBody(plan, rules.body) };
  for (const [target, value] of beside) put(parts, target, value);
  const filled = withQuery(fillPath(path, plan), parts.query);
  if (to === "") return { method, path: filled, body: entries, repeatable };
  return { method, path: filled, body: nestValue(to, entries, parts.body), repeatable };
}

/** Returns the key with its value, and the other fields. Names are compared without regard to case. */
function withoutKey(fields: JsonObject, key: string): [JsonObject, JsonObject] {
  const isKey = ([name]: [string, unknown]) => name.toLowerCase() === key.toLowerCase();
  const [own] = Object.entries(fields).filter(isKey);
  return [
    own ? { [key]: own[1] } : {},
    Object.fromEntries(Object.entries(fields).filter((entry) => !isKey(entry))),
  ];
}

/**
 * Returns what the answer tells about each record; undefined where it has not one result for each. With references, only the
 * outcomes of records that it does not mention, or mentions twice, are undefined.
 */
export function readOutcomes(
  list: RecordList,
  records: RecordToWrite[],
  body: Json | undefined,
): (RecordOutcome | undefined)[] | undefined {
  const { answers, furtherAnswers = [], ref, refused } = list.rules;
  if (answers === undefined && !refused) return undefined;
  const results = answers === undefined ? [] : getMember(body, fillPath(answers, list.plan));
  if (!Array.isArray(results)) return undefined;
  if (!ref)
    return results.length === records.length
      ? records.map((record, index) => readOutcome(list, record, results[index] ?? null))
      : undefined;
  const further = furtherAnswers.flatMap((path) => listAt(body, path));
  const byReference = groupResults([...results, ...further], ref.from);
  const refusals = readRefusals(list, body);
  return records.map((record, index) => {
    const reference = readReference(ref, record, index);
    const refusal = reference === undefined ? undefined : refusals.get(reference);
    if (refusal) return { success: false, error: refusal };
    if (answers === undefined) {
      const recordId = record.id ?? (list.key?.isId ? getFieldText(record, list.key.name) : undefined);
      return { success: true, ...(recordId !== undefined && { recordId }) };
    }
    const [own, ...others] = byReference.get(reference) ?? [];
    return own === undefined || others.length > 0 ? undefined : readOutcome(list, record, own);
  });
}

const groupResults = (results: Json[], from: string): Map<string | undefined, Json[]> =>
  Map.groupBy<string | undefined, Json>(results, (result) => findText(result, from)?.toLowerCase());

function listAt(body: Json | undefined, path: string): Json[] {
  const found = getMember(body, path);
  return Array.isArray(found) ? found : [];
}

function readReference(
  { of }: NonNullable<RecordListRules["ref"]>,
  record: RecordToWrite,
  index: number,
): string | undefined {
  return of === undefined ? String(index + 1) : getFieldText(record, of)?.toLowerCase();
}

/** Returns the value of a field as text. A caller may write its name in any case. */
function getFieldText({ fields }: RecordToWrite, wanted: string): string | undefined {
  const [, value = null] =
    Object.entries(fields).find(([name]) => name.toLowerCase() === wanted.toLowerCase()) ?? [];
  return findText(value, "");
}

/** Returns the refusals by reference. */
function readRefusals(
  { rules, description }: RecordList,
  body: Json | undefined,
): Map<string, ProviderError> {
  const refusals = new Map<string, ProviderError>();
  for (const { at: path, from = rules.ref?.from ?? "", reason } of rules.refused ?? [])
    for (const entry of listAt(body, path)) {
      const reference = findText(entry, from)?.toLowerCase();
      if (reference !== undefined)
        refusals.set(reference, readRefusal(rules, description.errors, entry, reason));
    }
  return refusals;
}

/** Returns what a result tells about its record. */
function readOutcome(list: RecordList, { id }: RecordToWrite, result: Json): RecordOutcome {
  const { rules, plan, description } = list;
  const refusal = findRefusal(rules, description.errors, result);
  if (refusal) return { success: false, error: refusal };
  const idPath = rules.id ?? plan.idPath;
  const recordId = findText(result, idPath) ?? id;
  if (recordId === undefined)
    return buildUnreadable(
      `the result of a record of ${plan.name} has no id: \`${idPath}\` is missing or empty`,
    );
  if (id !== undefined && isOtherRecord(id, recordId, result))
    return buildUnreadable(`the result of record ${id} is that of ${recordId}`);
  const data = rules.record === undefined ? undefined : getMember(result, rules.record);
  return { success: true, recordId, ...(isJsonObject(data) && { data }) };
}

const buildUnreadable = (message: string): RecordOutcome => ({
  success: false,
  error: new ProviderError({ kind: "unreadable", message, status: 200 }),
});

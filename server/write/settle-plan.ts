/** Settles a plan: which current values it needs, the plan once they are known, and the records that need no request. Pure. */
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { formatFieldPath } from "../../ground/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { getCurrentValue, getField, setEntries, type EntryFault, type ListEntry } from "./list-entries.ts";
import type { PlannedRecord, WritePlan } from "./plan-write.ts";

/** Returns the record ids and fields to read before the plan is final; undefined when there are none. */
export function listNeededReads(plan: WritePlan): { ids: string[]; fields: string[] } | undefined {
  const records = plan.records.filter(({ ifEmpty, entries }) => ifEmpty.length > 0 || entries);
  if (records.length === 0) return undefined;
  return {
    ids: [...new Set(records.flatMap((record) => record.id ?? []))],
    fields: [
      ...new Set(records.flatMap(({ ifEmpty, entries = [] }) => [...ifEmpty, ...entries.map(getField)])),
    ],
  };
}

interface SettledPlan {
  plan: WritePlan;
  /** Reasons why records cannot be written, by position in the plan. */
  refusals: (ProviderError | undefined)[];
}

/**
 * Withholds the `ifEmpty` fields that have a value, and sets entries in the record's lists. A record that was not found keeps its
 * fields, but is refused if it has entries. With `allOrNone`, one refusal is that of all.
 */
export function settlePlan(
  plan: WritePlan,
  current: Map<string, JsonObject>,
  isEmpty: (value: Json | undefined) => boolean,
): SettledPlan {
  const settled = plan.records.map((record) => {
    const values = record.id === undefined ? undefined : current.get(record.id);
    return settleRecord(record, values, isEmpty);
  });
  const first = settled.find(({ refusal }) => refusal)?.refusal;
  const ofAll = plan.allOrNone && first ? withAnother(first) : undefined;
  return {
    plan: { ...plan, records: settled.map(({ record }) => record) },
    refusals: settled.map(({ refusal }) => refusal ?? ofAll),
  };
}

const withAnother = ({ message }: ProviderError): ProviderError =>
  new ProviderError({
    kind: "invalid",
    message: `nothing was sent because another record cannot be written: ${message}`,
    causedByAnother: true,
  });

function settleRecord(
  { entries, ...record }: PlannedRecord,
  values: JsonObject | undefined,
  isEmpty: (value: Json | undefined) => boolean,
): { record: PlannedRecord; refusal?: ProviderError } {
  if (!values && entries) {
    const message = "the record does not exist, so that its lists cannot be read";
    return { record: { ...record, entries }, refusal: new ProviderError({ kind: "not_found", message }) };
  }
  if (!values) return { record };
  const full = record.ifEmpty.filter((field) => !isEmpty(values[field]));
  const kept = Object.fromEntries(Object.entries(record.fields).filter(([field]) => !full.includes(field)));
  const isFull = (entry: ListEntry): boolean =>
    entry.ifEmpty === true && !isEmpty(getCurrentValue(values, entry));
  const wanted = (entries ?? []).filter((entry) => !isFull(entry));
  const { fields, faults } = withEntries(kept, values, wanted);
  const names = [...full, ...(entries ?? []).filter(isFull).map(({ steps }) => formatFieldPath(steps))];
  const withheld = [
    ...record.withheld,
    ...names.map((field) => ({ field, reason: "writeOnUpdate is ifEmpty and the field has a value" })),
    ...wanted
      .filter((entry) => !Object.hasOwn(fields, getField(entry)))
      .map(({ steps }) => ({ field: formatFieldPath(steps), reason: "there is no such entry to clear" })),
  ];
  const settled = { ...record, fields, withheld };
  if (faults.length === 0) return { record: settled };
  const message = faults.map(({ name, detail }) => `${name}: ${detail}`).join(" ");
  return { record: settled, refusal: new ProviderError({ kind: "invalid", message }) };
}

/** Returns the fields with the record's current lists, in which the entries are set. */
function withEntries(
  fields: JsonObject,
  values: JsonObject,
  entries: readonly ListEntry[],
): { fields: JsonObject; faults: EntryFault[] } {
  if (entries.length === 0) return { fields, faults: [] };
  const lists = structuredClone(
    Object.fromEntries(
      entries.map(getField).flatMap((field): [string, Json][] => {
        const value = values[field] ?? null;
        return value === null ? [] : [[field, value]];
      }),
    ),
  );
  const faults = setEntries(lists, entries);
  for (const [field, value] of Object.entries(lists)) {
    const given = fields[field];
    // Names beside the list, below the same field.
    if (isJsonObject(given) && isJsonObject(value)) lists[field] = { ...value, ...given };
    else if (given !== undefined) lists[field] = given;
  }
  return { fields: { ...fields, ...lists }, faults };
}

/** Returns whether an update has no field left. It is not sent: HubSpot refuses it, and Salesforce runs its triggers for nothing. */
export const isNothingLeft = (type: WritePlan["type"], { fields, withheld }: PlannedRecord): boolean =>
  type === "update" && withheld.length > 0 && Object.keys(fields).length === 0;

/** Settles a plan: which current values `ifEmpty` needs, the plan once they are known, and the records that need no request. Pure. */
import type { Json, JsonObject } from "../../ground/json.ts";
import type { PlannedRecord, WritePlan } from "./plan-write.ts";

/** Returns the record ids and fields to read before the plan is final; undefined when there are none. */
export function neededReads(plan: WritePlan): { ids: string[]; fields: string[] } | undefined {
  const records = plan.records.filter((record) => record.ifEmpty.length > 0);
  if (records.length === 0) return undefined;
  return {
    ids: [...new Set(records.flatMap((record) => record.id ?? []))],
    fields: [...new Set(records.flatMap((record) => record.ifEmpty))],
  };
}

/** Withholds the `ifEmpty` fields that have a value; a record that was not found keeps its fields. */
export function settleIfEmpty(
  plan: WritePlan,
  current: Map<string, JsonObject>,
  isEmpty: (value: Json | undefined) => boolean,
): WritePlan {
  const records = plan.records.map((record) => {
    const values = record.id === undefined ? undefined : current.get(record.id);
    if (!values) return record;
    const full = record.ifEmpty.filter((field) => !isEmpty(values[field]));
    const fields = Object.fromEntries(
      Object.entries(record.fields).filter(([field]) => !full.includes(field)),
    );
    const reasons = full.map((field) => ({
      field,
      reason: "writeOnUpdate is ifEmpty and the field has a value",
    }));
    return { ...record, fields, withheld: [...record.withheld, ...reasons] };
  });
  return { ...plan, records };
}

/** Whether every field of an update is withheld. It is not sent: HubSpot refuses an empty update, Salesforce runs its triggers. */
export const isNothingLeft = (type: WritePlan["type"], { fields, withheld }: PlannedRecord): boolean =>
  type === "update" && withheld.length > 0 && Object.keys(fields).length === 0;

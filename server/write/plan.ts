/**
 * Decides what will be written, without doing anything: request and settings in; records, withheld fields and
 * what must be read first out. The rules run in this order: mapping, defaults, writeOnCreate / writeOnUpdate, ifEmpty.
 */
import type {
  Association,
  RecordToWrite,
  RecordWrite,
  WriteAbilities,
} from "../../connector-kit/connector.ts";
import type { Json, JsonObject } from "../ground/json.ts";
import { mapRecord, type Withheld } from "./map-record.ts";
import type { FieldSettings, ObjectSettings } from "./object-settings.ts";
import { refuseImpossible } from "./refusals.ts";
import type { WriteRequest } from "./write-request.ts";

export interface PlannedRecord extends RecordToWrite {
  withheld: Withheld[];
  /** Provider fields that go out only if they are empty at the provider. */
  ifEmpty: string[];
}

export interface WritePlan {
  type: WriteRequest["type"];
  objectName: string;
  batch: boolean;
  allOrNone: boolean;
  headers: Record<string, string>;
  records: PlannedRecord[];
}

/** The plan. Throws a Problem that names the member when the request cannot be carried out as it stands. */
export function planWrite(
  request: WriteRequest,
  settings: ObjectSettings,
  abilities: WriteAbilities,
): WritePlan {
  refuseImpossible(request, settings, abilities);
  const inputs = request.batch ?? [{ record: request.record ?? {}, associations: request.associations }];
  return {
    type: request.type,
    objectName: settings.objectName,
    batch: request.batch !== undefined,
    allOrNone: request.batchPolicy?.allOrNone ?? false,
    headers: Object.fromEntries((request.headers ?? []).map(({ key, value }) => [key, value])),
    records: inputs.map((input) => planRecord(request.type, input, settings)),
  };
}

function planRecord(
  type: WriteRequest["type"],
  input: { record: Record<string, unknown>; associations?: Association[] },
  settings: ObjectSettings,
): PlannedRecord {
  const { id, ...given } = input.record as JsonObject;
  const recordId = type === "create" || id === undefined ? undefined : String(id);
  if (type === "delete") return { id: recordId, fields: {}, withheld: [], ifEmpty: [] };
  // A create may carry a field of its own called `id`; the provider decides about it.
  const start = type === "create" && id !== undefined ? { id, ...given } : given;
  const { fields, sources, withheld } = mapRecord(start, settings.mapping, settings.dropUnmapped);
  applyDefaults(type, fields, sources, settings);
  const ifEmpty = applyFieldSettings(type, fields, sources, withheld, settings);
  return { id: recordId, fields, associations: input.associations, withheld, ifEmpty };
}

/** Salesforce takes field names in any case, so a setting for `Name` must hold for a record that says `name`. */
const sameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

const settingOf = (settings: ObjectSettings, names: string[]): FieldSettings | undefined =>
  Object.entries(settings.fields).find(([key]) => names.some((name) => sameName(key, name)))?.[1];

/** A setting may be keyed by the mapped name or by the provider's field. */
const targetOf = (key: string, settings: ObjectSettings): string =>
  settings.mapping?.mappedToProvider.get(key) ?? key;

function applyDefaults(
  type: "create" | "update",
  fields: JsonObject,
  sources: Map<string, string>,
  settings: ObjectSettings,
): void {
  for (const [key, setting] of Object.entries(settings.fields)) {
    const target = targetOf(key, settings);
    if (type === "update" && setting.defaultOnUpdate === false) continue;
    if (setting.default === undefined || Object.keys(fields).some((name) => sameName(name, target))) continue;
    fields[target] = setting.default;
    sources.set(target, key);
  }
}

function applyFieldSettings(
  type: "create" | "update",
  fields: JsonObject,
  sources: Map<string, string>,
  withheld: Withheld[],
  settings: ObjectSettings,
): string[] {
  const ifEmpty: string[] = [];
  for (const target of Object.keys(fields)) {
    const setting = settingOf(settings, [target, sources.get(target) ?? target]);
    const rule = type === "create" ? setting?.writeOnCreate : setting?.writeOnUpdate;
    if (rule === "never") {
      delete fields[target];
      withheld.push({
        field: target,
        reason: `${type === "create" ? "writeOnCreate" : "writeOnUpdate"} is never`,
      });
    }
    if (rule === "ifEmpty") ifEmpty.push(target);
  }
  return ifEmpty;
}

/** What must be read before the plan is final: record ids and fields; undefined when nothing must. */
export function neededReads(plan: WritePlan): { ids: string[]; fields: string[] } | undefined {
  const records = plan.records.filter((record) => record.ifEmpty.length > 0);
  if (records.length === 0) return undefined;
  return {
    ids: [...new Set(records.flatMap((record) => record.id ?? []))],
    fields: [...new Set(records.flatMap((record) => record.ifEmpty))],
  };
}

/** The plan with every `ifEmpty` decided by the current values; a record that was not found keeps its fields. */
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

/** What the connector is asked to do. `readBack`: whether somebody waits for the record as it then is. */
export const toRecordWrite = (
  plan: WritePlan,
  { readBack, account }: Pick<RecordWrite, "account"> & { readBack: boolean },
): RecordWrite => ({
  objectName: plan.objectName,
  type: plan.type,
  batch: plan.batch,
  allOrNone: plan.allOrNone,
  headers: plan.headers,
  readBack,
  account,
  records: plan.records.map(({ id, fields, associations }) => ({ id, fields, associations })),
});

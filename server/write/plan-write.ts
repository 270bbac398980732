/**
 * Plans a write: request and settings in; records, withheld fields and the fields to read first out. Pure. The rules run
 * in this order: mapping, defaults, `writeOnCreate` or `writeOnUpdate`, `ifEmpty`. An upsert may create or update, so a field
 * is sent only where the rules of both allow it.
 */
import type { Association, RecordToWrite, WriteAbilities } from "../../connector-kit/connector.ts";
import { readUpsertKey } from "../../connector-kit/calls/upsert-key.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { formatFieldPath, type PathStep } from "../../ground/field-path.ts";
import { getField, makeEntries, type EntryFault, type ListEntry } from "./list-entries.ts";
import {
  mapRecord,
  putNested,
  parseTargetPath,
  type Clash,
  type MappedRecord,
  type Withheld,
} from "./map-record.ts";
import type { FieldSettings, ObjectSettings } from "./object-settings.ts";
import { refuseClashes, refuseEntries, refuseImpossible } from "./refusals.ts";
import { refuseKeyless, describeUnmappedKey } from "./refuse-upsert.ts";
import type { WriteRequest } from "./write-request.ts";

export interface PlannedRecord extends RecordToWrite {
  withheld: Withheld[];
  /** Provider fields that are sent only if they are empty at the provider. */
  ifEmpty: string[];
  /** Provider field to its name in the request, where that is another. */
  givenNames?: Record<string, string>;
  /** Updates only: entries to set in the record's lists, which are read first. */
  entries?: ListEntry[];
}

export interface WritePlan {
  type: WriteRequest["type"];
  /** Upsert only: the provider's field that names the records. */
  key?: string;
  /** The provider's name for the object. */
  objectName: string;
  /** Name of the object in results and events: the builder's, if it has one. */
  messageName: string;
  batch: boolean;
  allOrNone: boolean;
  headers: Record<string, string>;
  records: PlannedRecord[];
}

/** Throws a Problem that names the member where the request cannot be carried out. */
export function planWrite(
  request: WriteRequest,
  settings: ObjectSettings,
  abilities: WriteAbilities,
): WritePlan {
  const key = request.key === undefined ? undefined : chooseKeyField(request.key, settings);
  refuseImpossible({ ...request, key }, settings, abilities);
  const inputs = request.batch ?? [{ record: request.record ?? {}, associations: request.associations }];
  const clashes: [place: string, clash: Clash][] = [];
  const keyless: string[] = [];
  const faults: [place: string, fault: EntryFault][] = [];
  const records = inputs.map((input, index) => {
    const planned = planRecord(request.type, input, { settings, abilities });
    const place = request.batch ? `batch[${index}].record` : "record";
    for (const clash of planned.clashes) clashes.push([place, clash]);
    for (const fault of planned.faults) faults.push([place, fault]);
    if (key !== undefined && readUpsertKey({ key }, planned.record) === undefined) keyless.push(place);
    return planned.record;
  });
  refuseClashes(clashes);
  refuseEntries(faults);
  refuseKeyless(keyless, request.key ?? "");
  return {
    type: request.type,
    ...(key !== undefined && { key }),
    objectName: settings.objectName,
    messageName: settings.mappedName ?? settings.objectName,
    batch: request.batch !== undefined,
    allOrNone: request.batchPolicy?.allOrNone ?? false,
    headers: Object.fromEntries((request.headers ?? []).map(({ key: name, value }) => [name, value])),
    records,
  };
}

type SentType = Exclude<WriteRequest["type"], "delete">;

interface Planned {
  record: PlannedRecord;
  clashes: Clash[];
  faults: EntryFault[];
}

function planRecord(
  type: WriteRequest["type"],
  input: { record: Record<string, unknown>; associations?: Association[] },
  { settings, abilities }: { settings: ObjectSettings; abilities: WriteAbilities },
): Planned {
  const { id, ...given } = input.record as JsonObject;
  const recordId = type === "create" || type === "upsert" || id === undefined ? undefined : String(id);
  if (type === "delete")
    return { record: { id: recordId, fields: {}, withheld: [], ifEmpty: [] }, clashes: [], faults: [] };
  // In a create, `id` is an ordinary field; the provider accepts or refuses it.
  const start = type === "create" && id !== undefined ? { id, ...given } : given;
  const mapped = mapRecord(start, settings.mapping, settings.dropUnmapped);
  applyDefaults(type, mapped, settings);
  const { fields, sources, withheld, clashes } = mapped;
  const ifEmpty = applyFieldSettings(type, fields, sources, withheld, settings);
  const entries = mapped.entries.flatMap((entry) => settleEntry(type, entry, withheld, settings));
  const faults =
    type === "create"
      ? makeEntries(fields, entries)
      : entries.flatMap((entry) => findEntryFault(type, entry, { settings, abilities }));
  const givenNames = listRenamed(sources);
  const record = {
    id: recordId,
    fields,
    associations: input.associations,
    withheld,
    ifEmpty,
    ...(givenNames && { givenNames }),
  };
  return {
    record: type === "update" && entries.length > 0 ? { ...record, entries } : record,
    clashes,
    faults,
  };
}

function listRenamed(sources: Map<string, string>): Record<string, string> | undefined {
  const others = [...sources].filter(([field, name]) => field !== name);
  return others.length > 0 ? Object.fromEntries(others) : undefined;
}

/** Returns the entry if the settings let it be sent. */
function settleEntry(
  type: SentType,
  entry: ListEntry,
  withheld: Withheld[],
  settings: ObjectSettings,
): ListEntry[] {
  const field = formatFieldPath(entry.steps);
  const setting = findSetting(settings, [field, entry.name]) ?? findSetting(settings, [getField(entry)]);
  const reason = withholdReason(type, setting);
  if (reason !== undefined) withheld.push({ field, reason });
  if (reason !== undefined) return [];
  return [type === "update" && setting?.writeOnUpdate === "ifEmpty" ? { ...entry, ifEmpty: true } : entry];
}

/** Returns why an entry of a list cannot be set in a record that may be there already. */
function findEntryFault(
  type: "update" | "upsert",
  { name, steps }: ListEntry,
  { settings, abilities }: { settings: ObjectSettings; abilities: WriteAbilities },
): EntryFault[] {
  const field = formatFieldPath(steps);
  if (type === "upsert") {
    const detail = `It is an entry of a list, \`${field}\`, and an upsert does not read the record first, so that other entries would be lost. Look the record up, then create or update it.`;
    return [{ name, detail }];
  }
  if (abilities.ifEmpty) return [];
  const detail = `It is an entry of a list, \`${field}\`, and Busbar cannot read the other entries from ${settings.providerName} before an update. Send the whole list, under its own name.`;
  return [{ name, detail }];
}

/** Salesforce accepts field names in any case, so a setting for `Name` must also apply to `name`. */
const isSameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

const findSetting = (settings: ObjectSettings, names: string[]): FieldSettings | undefined =>
  Object.entries(settings.fields).find(([key]) => names.some((name) => isSameName(key, name)))?.[1];

/** Returns the provider field of a setting, which may be keyed by either name. */
const chooseTarget = (key: string, settings: ObjectSettings): string =>
  settings.mapping?.mappedToProvider.get(key) ?? key;

/** Returns the provider field of an upsert's key. */
function chooseKeyField(key: string, settings: ObjectSettings): string {
  if (!settings.mapping?.mappedToProvider.has(key)) return key;
  const field = settings.mapping.mappedToProvider.get(key);
  if (field === undefined) throw describeUnmappedKey(key);
  return field;
}

function applyDefaults(
  type: SentType,
  { fields, entries, sources }: MappedRecord,
  settings: ObjectSettings,
): void {
  for (const [key, setting] of Object.entries(settings.fields)) {
    const target = chooseTarget(key, settings);
    const steps = parseTargetPath(target);
    const [top] = steps;
    if (type !== "create" && setting.defaultOnUpdate === false) continue;
    if (setting.default === undefined || typeof top !== "string") continue;
    if (isGiven(fields, steps)) continue;
    const names = steps.filter((step) => typeof step === "string");
    if (names.length === steps.length) {
      putNested(fields, names, setting.default);
      sources.set(top, key);
    } else if (!entries.some((entry) => formatFieldPath(entry.steps) === formatFieldPath(steps))) {
      entries.push({ name: key, steps, value: setting.default });
    }
  }
}

/** Returns whether the fields have a value at the path, or one that is no object on the way to it. */
function isGiven(fields: JsonObject, steps: readonly PathStep[]): boolean {
  let value: Json | undefined = fields;
  for (const step of steps) {
    if (!isJsonObject(value)) return true;
    const given: [string, Json] | undefined =
      typeof step === "string" ? Object.entries(value).find(([name]) => isSameName(name, step)) : undefined;
    if (!given) return false;
    value = given[1];
  }
  return true;
}

function applyFieldSettings(
  type: SentType,
  fields: JsonObject,
  sources: Map<string, string>,
  withheld: Withheld[],
  settings: ObjectSettings,
): string[] {
  const ifEmpty: string[] = [];
  for (const target of Object.keys(fields)) {
    const setting = findSetting(settings, [target, sources.get(target) ?? target]);
    const reason = withholdReason(type, setting);
    if (reason !== undefined) {
      delete fields[target];
      withheld.push({ field: target, reason });
    } else if (type === "update" && setting?.writeOnUpdate === "ifEmpty") ifEmpty.push(target);
  }
  return ifEmpty;
}

function withholdReason(type: SentType, setting: FieldSettings | undefined): string | undefined {
  if (type !== "update" && setting?.writeOnCreate === "never") return "writeOnCreate is never";
  if (type !== "create" && setting?.writeOnUpdate === "never") return "writeOnUpdate is never";
  return type === "upsert" && setting?.writeOnUpdate === "ifEmpty"
    ? "writeOnUpdate is ifEmpty, and an upsert does not read the record first"
    : undefined;
}

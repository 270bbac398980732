/**
 * Plans a write: request and settings in; records, withheld fields and the fields to read first out. Pure. The rules run
 * in this order: mapping, defaults, `writeOnCreate` or `writeOnUpdate`, `ifEmpty`. An upsert may create or update, so a field
 * is sent only where the rules of both allow it.
 */
import type { Association, RecordToWrite, WriteAbilities } from "../../connector-kit/connector.ts";
import { upsertKeyOf } from "../../connector-kit/upsert-key.ts";
import type { JsonObject } from "../../ground/json.ts";
import { mapRecord, type Clash, type Withheld } from "./map-record.ts";
import type { FieldSettings, ObjectSettings } from "./object-settings.ts";
import { refuseClashes, refuseImpossible } from "./refusals.ts";
import { refuseKeyless, unmappedKey } from "./refuse-upsert.ts";
import type { WriteRequest } from "./write-request.ts";

export interface PlannedRecord extends RecordToWrite {
  withheld: Withheld[];
  /** Provider fields that are sent only if they are empty at the provider. */
  ifEmpty: string[];
  /** Provider field to its name in the request, where that is another. */
  givenNames?: Record<string, string>;
}

export interface WritePlan {
  type: WriteRequest["type"];
  /** Upsert only: the provider's field that names the records. */
  key?: string;
  /** The provider's name for the object. */
  objectName: string;
  /** Its name in results and events: the builder's, where it has one. */
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
  const key = request.key === undefined ? undefined : keyField(request.key, settings);
  refuseImpossible({ ...request, key }, settings, abilities);
  const inputs = request.batch ?? [{ record: request.record ?? {}, associations: request.associations }];
  const clashes: [place: string, clash: Clash][] = [];
  const keyless: string[] = [];
  const records = inputs.map((input, index) => {
    const planned = planRecord(request.type, input, settings);
    const place = request.batch ? `batch[${index}].record` : "record";
    for (const clash of planned.clashes) clashes.push([place, clash]);
    if (key !== undefined && upsertKeyOf({ key }, planned.record) === undefined) keyless.push(place);
    return planned.record;
  });
  refuseClashes(clashes);
  refuseKeyless(keyless, request.key ?? "");
  return {
    type: request.type,
    ...(key !== undefined && { key }),
    objectName: settings.objectName,
    messageName: settings.mappedName ?? settings.objectName,
    batch: request.batch !== undefined,
    allOrNone: request.batchPolicy?.allOrNone ?? false,
    headers: Object.fromEntries((request.headers ?? []).map(({ key, value }) => [key, value])),
    records,
  };
}

type SentType = Exclude<WriteRequest["type"], "delete">;

function planRecord(
  type: WriteRequest["type"],
  input: { record: Record<string, unknown>; associations?: Association[] },
  settings: ObjectSettings,
): { record: PlannedRecord; clashes: Clash[] } {
  const { id, ...given } = input.record as JsonObject;
  const recordId = type === "create" || type === "upsert" || id === undefined ? undefined : String(id);
  if (type === "delete")
    return { record: { id: recordId, fields: {}, withheld: [], ifEmpty: [] }, clashes: [] };
  // In a create, `id` is an ordinary field; the provider accepts or refuses it.
  const start = type === "create" && id !== undefined ? { id, ...given } : given;
  const { fields, sources, withheld, clashes } = mapRecord(start, settings.mapping, settings.dropUnmapped);
  applyDefaults(type, fields, sources, settings);
  const ifEmpty = applyFieldSettings(type, fields, sources, withheld, settings);
  const givenNames = renamed(sources);
  return {
    record: {
      id: recordId,
      fields,
      associations: input.associations,
      withheld,
      ifEmpty,
      ...(givenNames && { givenNames }),
    },
    clashes,
  };
}

function renamed(sources: Map<string, string>): Record<string, string> | undefined {
  const others = [...sources].filter(([field, name]) => field !== name);
  return others.length > 0 ? Object.fromEntries(others) : undefined;
}

/** Salesforce accepts field names in any case, so a setting for `Name` must also apply to `name`. */
const sameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

const settingOf = (settings: ObjectSettings, names: string[]): FieldSettings | undefined =>
  Object.entries(settings.fields).find(([key]) => names.some((name) => sameName(key, name)))?.[1];

/** Returns the provider field of a setting, which may be keyed by either name. */
const targetOf = (key: string, settings: ObjectSettings): string =>
  settings.mapping?.mappedToProvider.get(key) ?? key;

/** Returns the provider field of an upsert's key. */
function keyField(key: string, settings: ObjectSettings): string {
  if (!settings.mapping?.mappedToProvider.has(key)) return key;
  const field = settings.mapping.mappedToProvider.get(key);
  if (field === undefined) throw unmappedKey(key);
  return field;
}

function applyDefaults(
  type: SentType,
  fields: JsonObject,
  sources: Map<string, string>,
  settings: ObjectSettings,
): void {
  for (const [key, setting] of Object.entries(settings.fields)) {
    const target = targetOf(key, settings);
    if (type !== "create" && setting.defaultOnUpdate === false) continue;
    if (setting.default === undefined || Object.keys(fields).some((name) => sameName(name, target))) continue;
    fields[target] = setting.default;
    sources.set(target, key);
  }
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
    const setting = settingOf(settings, [target, sources.get(target) ?? target]);
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

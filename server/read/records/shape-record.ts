/** Turns records of a provider into entries of a message: selected fields, mapped fields, mapped values. Pure. */
import type { AssociatedRecord, DeletedRecord, SourceRecord } from "../../../connector-kit/read-connector.ts";
import type { AssociationEntry, ResultEntry } from "../../events/read-message-schema.ts";
import type { ListStep, PathStep } from "../../../ground/field-path.ts";
import { writeIsoTime } from "../../../ground/iso-time.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { translateValues } from "../definition/translate-values.ts";
import type { FieldNames, ReadField, ReadSet } from "../definition/read-set.ts";

export interface RecordShaper {
  /** Learns which fields the records of a page have, before they are shaped. */
  learn(records: readonly SourceRecord[]): void;
  /**
   * Returns the entry of a record; it shares values with the record. With `readTime`, as ISO 8601, it has the times that tell
   * versions apart.
   */
  shape(record: SourceRecord, readTime?: string): ResultEntry;
  isAnyKnown(): boolean;
  /**
   * Returns the selected and mapped fields that no record had, by first steps, and those that only earlier records had; none before the
   * first record.
   */
  missing(): string[];
  /** Returns whether the field is null in a record that does not have it. */
  isNullWhereAbsent(name: string): boolean;
  /**
   * Returns, once, the fields that are null where a record does not have them, beside those that were known at the beginning; undefined if
   * there is nothing to remember. Where nothing was known, that there are none is remembered, too.
   */
  takeLearned(): string[] | undefined;
  /** Leaves fields out of the records that do not have them: the account has no such fields any more. */
  leaveOut(names: readonly string[]): void;
}

interface ShapedBefore {
  /** Whether a missing field means that it has no value: it is then null. */
  absentMeansEmpty?: boolean | undefined;
  /** Names of the fields that earlier records had. */
  known?: readonly string[] | null | undefined;
  /** Members whose own members may have been renamed since: they are null only where another record of the run has them. */
  renamable?: readonly string[] | undefined;
}

/** Prepares the shaping of the records of a run. */
export function shapeRecords(
  { shown, mapped }: ReadSet,
  { fieldKey }: FieldNames,
  { absentMeansEmpty = false, known, renamable = [] }: ShapedBefore = {},
): RecordShaper {
  const spellings = rememberSpellings(fieldKey);
  const before = new Set(absentMeansEmpty ? known : []);
  const fields = prepare(shown, fieldKey);
  const mappedFields = prepare(mapped, fieldKey);
  const all = [...fields, ...mappedFields];
  for (const field of all) {
    field.mayBeNull = absentMeansEmpty;
    field.isAwaited = before.has(field.name);
    field.isKnown = field.isAwaited && !(field.path.length > 0 && renamable.includes(field.source));
  }
  let isAnyKnown = false;
  let isRemembered = Boolean(known);
  return {
    learn(records) {
      isAnyKnown ||= records.length > 0;
      for (const field of all)
        if (!field.isFound || !field.isKnown || field.isAwaited)
          records.some((record) => findValue(field, record, spellings) !== undefined);
    },
    shape(record, readTime) {
      isAnyKnown = true;
      const entry = buildEntry(record, readTime, {
        fields: collect(fields, record, spellings),
        mappedFields: collect(mappedFields, record, spellings),
      });
      if (record.associations) entry.associations = listAssociationEntries(record.associations);
      return entry;
    },
    isAnyKnown: () => isAnyKnown,
    missing: () =>
      isAnyKnown ? listNames(all.filter(({ isFound, isAwaited }) => !isFound || isAwaited)) : [],
    isNullWhereAbsent: (name) => all.some((field) => field.name === name && field.isKnown && field.mayBeNull),
    takeLearned() {
      if (!absentMeansEmpty || !isAnyKnown) return undefined;
      const learned = listNames(
        all.filter(({ name, mayBeNull, isKnown }) => mayBeNull && isKnown && !before.has(name)),
      );
      if (learned.length === 0 && isRemembered) return undefined;
      for (const name of learned) before.add(name);
      isRemembered = true;
      return learned;
    },
    leaveOut(names) {
      for (const field of all)
        if (names.includes(field.name) || names.includes(field.source)) field.mayBeNull = false;
    },
  };
}

const listNames = (fields: PreparedField[]): string[] => [...new Set(fields.map(({ name }) => name))];

/** Returns the entry with its members in the order in which they are written, so that it need not be copied to be written. */
function buildEntry(
  { id, changeTime, raw }: SourceRecord,
  readTime: string | undefined,
  { fields, mappedFields }: Pick<ResultEntry, "fields" | "mappedFields">,
): ResultEntry {
  if (readTime === undefined) return { id, fields, mappedFields, raw };
  if (!changeTime) return { id, readTime, fields, mappedFields, raw };
  return { id, changeTime: writeIsoTime(changeTime), readTime, fields, mappedFields, raw };
}

/** Returns the entry of a deleted record. */
export function shapeDeletion({ id, deletedTime, raw }: DeletedRecord, readTime: string): ResultEntry {
  const time = deletedTime && writeIsoTime(deletedTime);
  return {
    id,
    ...(time && { changeTime: time }),
    readTime,
    fields: { id },
    mappedFields: {},
    raw,
    deleted: true,
    ...(time && { deletedTime: time }),
  };
}

/** A field, with its spelling in the records so far. */
interface PreparedField {
  name: string;
  /** The first step to the value, in the provider's spelling as far as it is known. */
  source: string;
  sourceKey: string;
  /** Further steps. */
  path: PathStep[];
  /** The member to set; steps before it lead to nested objects. */
  target: string;
  parents: string[];
  translate?: (value: Json) => Json;
  /** Whether a record of this run has its first step. */
  isFound: boolean;
  /** Whether a record of this run, or one before it, has the field itself. */
  isKnown: boolean;
  /** Whether it is known only from records before this run. */
  isAwaited: boolean;
  /** Whether it is null in a record that does not have it, if it is known. */
  mayBeNull: boolean;
}

/** A field below one that is delivered as a whole is left out: it is there already. */
function prepare(fields: readonly ReadField[], fieldKey: FieldNames["fieldKey"]): PreparedField[] {
  const targets = new Set(fields.map(({ target }) => JSON.stringify(target)));
  const isCovered = ({ target }: ReadField): boolean =>
    target.some((_, length) => length > 0 && targets.has(JSON.stringify(target.slice(0, length))));
  return fields
    .filter((field) => !isCovered(field))
    .map(({ name, source: [first, ...path], target, values, isMultiple }) => {
      const source = typeof first === "string" ? first : name;
      return {
        name,
        source,
        sourceKey: fieldKey(source),
        path,
        target: target.at(-1) ?? name,
        parents: target.slice(0, -1),
        ...(values && { translate: translateValues(values, isMultiple) }),
        isFound: false,
        isKnown: false,
        isAwaited: false,
        mayBeNull: false,
      };
    });
}

/** Collects the selected fields of a record. The hot loop of a backfill: it runs once per field and record. */
function collect(fields: readonly PreparedField[], record: SourceRecord, spellings: Spellings): JsonObject {
  const members: JsonObject = {};
  for (const field of fields) {
    let value = findValue(field, record, spellings);
    if (value === undefined && field.isKnown && field.mayBeNull) value = null;
    if (value === undefined) continue;
    if (field.translate) value = field.translate(value);
    if (field.parents.length > 0) put(members, field.parents, field.target, value);
    else set(members, field.target, value);
  }
  return members;
}

/** Returns the value of a field in a record, and notes that there is one; undefined if the record does not have it. */
function findValue(field: PreparedField, record: SourceRecord, spellings: Spellings): Json | undefined {
  const { values } = record;
  let value = getOwnValue(values, field.source);
  if (value === undefined) {
    spellings.learn(values);
    field.source = spellings.find(values, field.sourceKey) ?? field.source;
    // Null is a value: a receiver that never sees it keeps what was cleared.
    value = getOwnValue(values, field.source);
    if (value === undefined && field.sourceKey === "id") value = record.id;
  }
  if (value === undefined) return undefined;
  field.isFound = true;
  if (field.path.length > 0) value = follow(value, field.path, spellings);
  if (value === undefined) return undefined;
  field.isKnown = true;
  field.isAwaited = false;
  return value;
}

const getOwnValue = (values: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/**
 * Returns the value behind further steps. What a null holds is null as well: an address that was cleared, a related record that was
 * removed. So is an entry that a list does not have, and what its entry lacks.
 */
function follow(value: Json | undefined, path: readonly PathStep[], spellings: Spellings): Json | undefined {
  let found = value;
  let isInList = false;
  for (const step of path) {
    if (found === undefined || found === null) break;
    if (typeof step === "string") found = findStepValue(found, step, spellings);
    else {
      isInList = Array.isArray(found);
      found = Array.isArray(found) ? findEntry(found, step, spellings) : undefined;
    }
  }
  return found === undefined && isInList ? null : found;
}

function findEntry(list: Json[], step: ListStep, spellings: Spellings): Json | undefined {
  if ("at" in step) return list[step.at];
  return list.find((entry) => {
    let value: Json | undefined = entry;
    for (const name of step.member)
      value = value === undefined ? value : findStepValue(value, name, spellings);
    return value === step.is;
  });
}

function findStepValue(value: Json, step: string, spellings: Spellings): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const found = getOwnValue(value, step);
  if (found !== undefined) return found;
  spellings.learn(value);
  const spelling = spellings.find(value, spellings.getKey(step));
  return spelling === undefined ? undefined : getOwnValue(value, spelling);
}

/** Sets a member below nested objects, which it makes; a value of the record is never changed. */
function put(members: JsonObject, parents: readonly string[], name: string, value: Json): void {
  let inner = members;
  for (const parent of parents) {
    const known = getOwnValue(inner, parent);
    const next: JsonObject = isJsonObject(known) ? known : {};
    if (next !== known) set(inner, parent, next);
    inner = next;
  }
  set(inner, name, value);
}

/** Sets a member of any name: assigning to `__proto__` would set the prototype. */
function set(members: JsonObject, name: string, value: Json): void {
  if (name === "__proto__") {
    Object.defineProperty(members, name, { value, enumerable: true, writable: true, configurable: true });
  } else members[name] = value;
}

interface Spellings {
  getKey(name: string): string;
  /** Remembers how the provider spells the names of these values. */
  learn(values: JsonObject): void;
  /** Returns the spelling of a field that these values have, if it was learned. */
  find(values: JsonObject, key: string): string | undefined;
}

/** More names than an object has fields; an answer with ever new ones must not fill the memory. */
const MAX_SPELLINGS = 20_000;

/** Caches spellings across records: answers rarely change them, and a wide record may lack hundreds of fields. */
function rememberSpellings(getKey: FieldNames["fieldKey"]): Spellings {
  const known = new Set<string>();
  const byKey = new Map<string, string[]>();
  let last: JsonObject | undefined;
  return {
    getKey,
    learn(values) {
      if (values === last) return;
      last = values;
      for (const name of Object.keys(values)) {
        if (known.has(name) || known.size >= MAX_SPELLINGS) continue;
        known.add(name);
        const key = getKey(name);
        byKey.set(key, [...(byKey.get(key) ?? []), name]);
      }
    },
    find: (values, key) => byKey.get(key)?.find((name) => Object.hasOwn(values, name)),
  };
}

const listAssociationEntries = (
  associations: Record<string, AssociatedRecord[]>,
): Record<string, AssociationEntry[]> =>
  Object.fromEntries(
    Object.entries(associations).map(([name, records]) => [
      name,
      records.map(({ id, raw, metadata }) => ({
        id,
        ...(raw && { raw }),
        ...(metadata && { providerAssociationMetadata: metadata }),
      })),
    ]),
  );

/** Records of a simulated vendor: their ids, their times, and how an answer shows them. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { nowMs } from "../../ground/clock.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import type { Facts, ListFact, ObjectFacts, RecordFact } from "../../connector-kit/facts/facts.ts";
import { leavesOutEmpty } from "../../connector-kit/facts/value-facts.ts";
import { writeTime } from "./vendor-times.ts";

export interface VendorRecord {
  id: string;
  /** Position in the order of creation. */
  place: number;
  createdMs: number;
  changedMs: number;
  /** Index in `hidden` of the entry to which the record belongs. */
  hidden?: number;
  /** Index in `foreign` of the entry to which the record belongs. */
  foreign?: number;
  deleted?: boolean;
  /** Key under which it was created, once. */
  key?: string | undefined;
  /** Value of `{parent}` for it. */
  parent?: string;
  fields: JsonObject;
  /** Linked records, by object or relation. */
  links?: Record<string, Json[]>;
  /** Earlier values, by field. */
  histories?: Record<string, Json[]>;
  /** Additional member in answers. */
  shown?: ShownMember;
}

interface ShownMember {
  path: string;
  value: Json;
  /** What is shown to requests that ask for it so. */
  plain?: { value: Json; by: Record<string, string> };
}

export interface NewRecord {
  hidden?: number;
  foreign?: number;
  deleted?: boolean;
  parent?: string;
  fields?: JsonObject;
  shown?: ShownMember;
  links?: Record<string, Json[]>;
  histories?: Record<string, Json[]>;
  /** Age of its creation and change. By default both are in the last hour, after all others. */
  daysAgo?: number;
}

const DAY_MS = 86_400_000;

export class VendorRecords {
  private readonly stored = new Map<string, VendorRecord[]>();
  readonly removed: { objectName: string; record: VendorRecord }[] = [];
  private made = 0;
  /** Clock, from an hour ago, so that no test reaches the present. Whole seconds, because many formats have no others. */
  private clockMs = subtractHour();
  private followsTime = false;
  private readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  of(objectName: string): VendorRecord[] {
    const known = this.stored.get(objectName);
    if (known) return known;
    const made: VendorRecord[] = [];
    this.stored.set(objectName, made);
    return made;
  }

  /** Creates a record. Each one has a second of its own. */
  put(objectName: string, { fields = {}, daysAgo = 0, ...rest }: NewRecord = {}): VendorRecord {
    const object = this.facts.objects[objectName];
    if (!object) throw new Error(`there are no facts about ${objectName}`);
    const id = buildId(object.id, (this.made += 1));
    const now = this.tick() - daysAgo * DAY_MS;
    const record = { id, place: this.made, createdMs: now, changedMs: now, fields, ...rest };
    this.leaveOutEmpty(objectName, record);
    this.of(objectName).push(record);
    return record;
  }

  /** Removes fields without a value, where the vendor's records have no member for them. */
  leaveOutEmpty(objectName: string, record: VendorRecord): void {
    if (!leavesOutEmpty(this.facts, objectName)) return;
    record.fields = Object.fromEntries(Object.entries(record.fields).filter(([, value]) => value !== null));
  }

  /** Removes a record permanently: only the log of deletions has it. */
  remove(objectName: string, record: VendorRecord): void {
    const known = this.of(objectName);
    known.splice(known.indexOf(record), 1);
    this.touch(record);
    this.removed.push({ objectName, record });
  }

  findRemoved(objectName: string, id: string | undefined): VendorRecord | undefined {
    return this.removed.find((one) => one.objectName === objectName && one.record.id === id)?.record;
  }

  /** Changes a record. Its time of change is later than all others. */
  touch(record: VendorRecord): void {
    record.changedMs = this.tick();
  }

  clear(): void {
    this.stored.clear();
    this.removed.length = 0;
    this.clockMs = subtractHour();
  }

  /** Gives what is written from now on the present time: a schedule of Busbar's reads what changed since its last read. */
  followTime(): void {
    this.followsTime = true;
  }

  private tick(): number {
    const next = this.clockMs + 1000;
    return (this.clockMs = this.followsTime ? Math.max(next, roundToSeconds(nowMs())) : next);
  }
}

const roundToSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

const subtractHour = (): number => roundToSeconds(nowMs()) - 3_600_000;

/** Builds an id in the vendor's form; every third is as long as the longest of the vendor. */
function buildId({ type, example, longest, pattern, caseSuffix }: ObjectFacts["id"], number: number): string {
  if (caseSuffix) return addCaseSuffix((example ?? "0".repeat(15)).slice(0, 11) + padDigits(number, 4));
  if (type === "uuid")
    return `${(example ?? "6f9619ff-8b86-4011-b42d-00c04fc9").slice(0, -4)}${padDigits(number, 4)}`
      .padEnd(36, "0")
      .slice(0, 36);
  if (type === "integer") {
    const first = example !== undefined && /^\d+$/.test(example) ? Number(example) : 1000;
    return String((Number.isSafeInteger(first * 2) ? first : 1_000_000_000) + number);
  }
  if (example?.includes("@")) return `n${number}${example}`;
  const given = example ?? "id00000";
  const usual = given.length > 4 ? given.slice(0, -4) + padDigits(number, 4) : given + padDigits(number, 4);
  if (longest === undefined || number % 3 !== 0 || usual.length >= longest) return usual;
  const long = usual + "0".repeat(longest - usual.length);
  return pattern === undefined || new RegExp(`^(?:${pattern})$`).test(long) ? long : usual;
}

const CASE_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";

/** Adds a character for each five characters, whose bits mark the capitals. */
const addCaseSuffix = (id: string): string =>
  id +
  [id.slice(0, 5), id.slice(5, 10), id.slice(10, 15)]
    .map(
      (part) =>
        CASE_DIGITS[
          Array.from(part).reduce((bits, one, place) => bits + (/[A-Z]/.test(one) ? 1 << place : 0), 0)
        ],
    )
    .join("");

/** Writes a number with digits alone, as long as they are enough. */
const padDigits = (number: number, length: number): string => String(number).padStart(length, "0");

/** Shows a record as an answer has it; optional fields only if they are in `asked`. */
export function showRecord(
  object: ObjectFacts,
  record: VendorRecord,
  { list, asked, fieldsAt = "" }: { list?: ListFact | undefined; asked?: string[]; fieldsAt?: string } = {},
): JsonObject {
  const shown: JsonObject = structuredClone((object.example ?? {}) as JsonObject);
  setAtPath(shown, object.id.path, object.id.type === "integer" ? Number(record.id) : record.id);
  if (object.created)
    setAtPath(shown, object.created.path, writeTime(record.createdMs, object.created.format));
  if (object.changed)
    setAtPath(shown, object.changed.path, writeTime(record.changedMs, object.changed.format));
  const { since, deleted, fields } = list ?? {};
  const isOwnTime =
    since?.field !== undefined &&
    since.field !== object.created?.path &&
    since.field !== object.changed?.path;
  if (since?.field !== undefined && isOwnTime)
    setAtPath(shown, since.field, writeTime(record.changedMs, since.format));
  if (deleted?.at !== undefined && deleted.is !== undefined && record.deleted)
    setAtPath(shown, deleted.at, deleted.is);
  if (deleted?.time !== undefined && record.deleted)
    setAtPath(shown, deleted.time, writeTime(record.changedMs, object.changed?.format ?? "rfc3339"));
  const { fieldList } = object;
  const apart = Object.values(object.create?.named ?? {});
  for (const [name, value] of Object.entries(record.fields)) {
    const isListed = fieldList?.names === undefined || new RegExp(`^(?:${fieldList.names})$`).test(name);
    if (fieldList && isListed && !apart.includes(name)) {
      const known = getValueAt(shown, fieldList.at);
      const entries = Array.isArray(known) ? known : [];
      setAtPath(shown, fieldList.at, [
        ...entries,
        { [fieldList.name]: name, [fieldList.value.split("|")[0] ?? ""]: String(value) },
      ]);
    } else setAtPath(shown, fieldsAt === "" ? name : `${fieldsAt}.${name}`, value);
  }
  if (record.shown) setAtPath(shown, record.shown.path, structuredClone(record.shown.value));
  for (const name of fields?.onRequest ?? []) {
    const path = fields?.brings?.[name] ?? name;
    if (asked && !asked.includes(name)) dropAt(shown, path);
    else if (isTextless(shown, path)) setAtPath(shown, path, "on request");
  }
  if (fields?.at !== undefined && asked && asked.some((name) => name !== "")) {
    const wanted = [...asked, ...(fields.always ?? [])];
    const held = getValueAt(shown, fields.at);
    const entries = Object.entries(isJsonObject(held) ? held : {});
    setAtPath(shown, fields.at, Object.fromEntries(entries.filter(([name]) => wanted.includes(name))));
  }
  return shown;
}

/** Reads the fields in a body; empty for a request without one. A sentence tells why they cannot be read. */
export function readWrittenFields(
  { wrap = "", textual = false, named = {} }: RecordFact,
  body: Json | undefined,
): JsonObject | string {
  if (body === undefined) return {};
  let found = wrap === "" ? body : getValueAt(body, wrap);
  if (textual && found !== undefined) {
    if (typeof found !== "string") return `${wrap}: not a text`;
    try {
      found = JSON.parse(found) as Json;
    } catch {
      return `${wrap}: no JSON`;
    }
  }
  const held = Array.isArray(found) ? found[0] : found;
  const fields: JsonObject = isJsonObject(held) ? { ...held } : {};
  for (const [given, name] of Object.entries(named)) {
    const value = getValueAt(body, given);
    if (value === undefined) continue;
    delete fields[given];
    fields[name] = value;
  }
  return fields;
}

/** Sets a value at a dotted path; numbers are positions in lists. */
export function setAtPath(target: JsonObject, path: string, value: Json): void {
  if (path === "") return;
  const steps = path.split(".");
  let inner: JsonObject | Json[] = target;
  for (const [index, step] of steps.entries()) {
    const next: Json =
      index === steps.length - 1 ? value : openContainer(inner, step, steps[index + 1] ?? "");
    if (Array.isArray(inner)) inner[Number(step)] = next;
    else inner[step] = next;
    if (typeof next !== "object" || next === null) return;
    inner = next;
  }
}

function openContainer(inner: JsonObject | Json[], step: string, following: string): JsonObject | Json[] {
  const known = Array.isArray(inner) ? inner[Number(step)] : inner[step];
  if (typeof known === "object" && known !== null) return known;
  return /^\d+$/.test(following) ? [] : {};
}

export function dropAt(target: JsonObject, path: string): void {
  const steps = path.split(".");
  let inner: Json | undefined = target;
  for (const step of steps.slice(0, -1)) inner = isJsonObject(inner) ? inner[step] : undefined;
  if (isJsonObject(inner)) delete inner[steps.at(-1) ?? ""];
}

export const isTextless = (target: JsonObject, path: string): boolean => {
  let inner: Json | undefined = target;
  for (const step of path.split(".")) inner = isJsonObject(inner) ? inner[step] : undefined;
  return inner === undefined || inner === null;
};

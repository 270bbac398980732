// Salesforce organisation in memory: definitions, records, unique indexes, and undo for all-or-none writes.

import type { SandboxClock } from "../clock.ts";
import { toIsoText } from "../records/iso-text.ts";
import { toPlainValues } from "../records/lazy-values.ts";
import { RecordTable } from "../records/record-table.ts";
import { toRecordId, toRecordNumber, addChecksum } from "./ids.ts";
import type { Field, ObjectDefinition, Scalar } from "./fields.ts";
import { buildStandardObjects } from "./standard-objects.ts";

export const ORG_ID = addChecksum("00DSb0000000001");
export const USER_ID = addChecksum("005Sb0000000001");

export type StoredRecord = {
  /** Number in the id, which orders the records. */
  key: number;
  id: string;
  values: Record<string, Scalar>;
  deleted: boolean;
  /** SystemModstamp in milliseconds. */
  updatedAt: number;
};

/** Settings of the whole organisation, which the controls change. */
export type OrgSettings = {
  clock: SandboxClock;
  locatorLifetimeMs: number;
  /** Maximum number of open locators; one more closes the oldest. */
  openLocators: number;
  /** Locators of an earlier generation are refused. */
  locatorGeneration: number;
  /** Maximum number of one record's children in an answer, before their own paging. */
  childPage: number;
  /** Maximum number of characters of the records on a page. */
  pageCharacters: number;
  /** Maximum size of a request line with its headers; a larger one is refused with `tooLongStatus`, 414 or 431. */
  headerBytes: number;
  /** How far the logs of deletions and changes lag behind; later changes are not in them yet. */
  replicationLagMs: number;
  tooLongStatus: number;
};

export const DEFAULT_SETTINGS: Omit<OrgSettings, "clock"> = {
  locatorLifetimeMs: 2 * 86_400_000,
  openLocators: 10,
  locatorGeneration: 0,
  childPage: 200,
  pageCharacters: Number.MAX_SAFE_INTEGER,
  headerBytes: 16_384,
  replicationLagMs: 0,
  tooLongStatus: 414,
};

/** Records with the same value in this field count as duplicates. Callers can override "alert", but not "block". */
export type DuplicateRule = { object: string; field: string; action: "alert" | "block" };

export const STANDARD_RULES: DuplicateRule[] = [
  { object: "Contact", field: "Email", action: "alert" },
  { object: "Lead", field: "Email", action: "alert" },
];

export class ObjectStore {
  readonly definition: ObjectDefinition;
  readonly table = new RecordTable<StoredRecord>();
  /** Times of deletions, those of purged records included. */
  readonly deletions = new Map<number, { id: string; at: number }>();
  readonly #indexes = new Map<string, Map<string, Set<string>>>();
  #nextNumber = 1000;

  constructor(definition: ObjectDefinition, indexed: string[]) {
    this.definition = definition;
    for (const name of indexed) this.index(name);
  }

  /** Keeps an index on a field from now on. */
  index(name: string): void {
    if (this.#indexes.has(name)) return;
    this.#indexes.set(name, new Map());
    for (const record of this.table.stored()) if (!record.deleted) this.#enter(name, record);
  }

  find(name: string): Field | undefined {
    const found = this.definition.fields.get(name.toLowerCase());
    return found === undefined || found.access === "none" ? undefined : found;
  }

  /** Returns the ids of live records with this value in an indexed field, ignoring case. */
  holders(name: string, value: Scalar): string[] {
    return value === null ? [] : [...(this.#indexes.get(name)?.get(toIndexKey(value)) ?? [])];
  }

  nextId(): string {
    return toRecordId(this.definition.prefix, this.reserveNumbers(1));
  }

  /** Returns the first of `count` consecutive record numbers. */
  reserveNumbers(count: number): number {
    const first = this.#nextNumber;
    this.#nextNumber += count;
    return first;
  }

  /** Finds a record by its id of 18 characters, deleted or not. A generated one becomes a stored one. */
  lookup(id: string): StoredRecord | undefined {
    const record = this.peek(id);
    if (record === undefined) return undefined;
    return Object.hasOwn(record.values, "Id") ? record : { ...record, values: toPlainValues(record.values) };
  }

  /** Finds a record for reading only. */
  peek(id: string): StoredRecord | undefined {
    const key = toRecordNumber(id);
    const record = key === undefined ? undefined : this.table.get(key);
    return record?.id === id ? record : undefined;
  }

  put(id: string, values: Record<string, Scalar>): StoredRecord {
    const key = toRecordNumber(id);
    if (key === undefined) throw new RangeError(`${id} is not an id of this organisation`);
    const deleted = values["IsDeleted"] === true;
    const record = { key, id, values, deleted, updatedAt: readModifiedTime(values) };
    this.table.keep(record);
    for (const name of this.#indexes.keys()) if (!deleted) this.#enter(name, record);
    return record;
  }

  set(record: StoredRecord, values: Record<string, Scalar>): void {
    for (const name of this.#indexes.keys()) if (name in values) this.#leave(name, record);
    Object.assign(record.values, values);
    record.updatedAt = readModifiedTime(record.values);
    this.table.keep(record);
    for (const name of this.#indexes.keys()) if (name in values) this.#enter(name, record);
  }

  /** Deletes or restores a record. Sets SystemModstamp, like Salesforce. */
  setDeleted(record: StoredRecord, deleted: boolean, modstamp: Scalar): void {
    this.set(record, { IsDeleted: deleted, SystemModstamp: modstamp });
    record.deleted = deleted;
    if (deleted) this.deletions.set(record.key, { id: record.id, at: record.updatedAt });
    else this.deletions.delete(record.key);
    for (const name of this.#indexes.keys()) {
      if (deleted) this.#leave(name, record);
      else this.#enter(name, record);
    }
  }

  drop(record: StoredRecord): void {
    for (const name of this.#indexes.keys()) this.#leave(name, record);
    this.table.drop(record);
  }

  #enter(name: string, record: StoredRecord): void {
    const value = record.values[name];
    if (value === null || value === undefined) return;
    const index = this.#indexes.get(name);
    const ids = index?.get(toIndexKey(value));
    if (ids === undefined) index?.set(toIndexKey(value), new Set([record.id]));
    else ids.add(record.id);
  }

  #leave(name: string, record: StoredRecord): void {
    const value = record.values[name];
    if (value === null || value === undefined) return;
    const index = this.#indexes.get(name);
    const ids = index?.get(toIndexKey(value));
    ids?.delete(record.id);
    if (ids?.size === 0) index?.delete(toIndexKey(value));
  }
}

function readModifiedTime(values: Record<string, Scalar>): number {
  return Date.parse(String(values["SystemModstamp"]).replace("+0000", "Z"));
}

function toIndexKey(value: string | number | boolean): string {
  return String(value).toLowerCase();
}

/** Committed change of a record, for the event bus. */
export type OrgChange = {
  store: ObjectStore;
  id: string;
  changeType: "CREATE" | "UPDATE" | "DELETE" | "UNDELETE";
  before: Record<string, Scalar>;
  after: Record<string, Scalar>;
};

export class Org {
  /** Called with the changes of each transaction. */
  onCommit: (changes: OrgChange[]) => void = () => {};
  #pending: OrgChange[] | undefined;
  readonly stores = new Map<string, ObjectStore>();
  readonly rules: DuplicateRule[];
  readonly settings: OrgSettings;
  #undo: (() => void)[] | undefined;
  #unitTime: number | undefined;

  constructor(rules: DuplicateRule[], settings: OrgSettings) {
    this.rules = rules;
    this.settings = settings;
    for (const definition of buildStandardObjects()) this.#add(definition);
  }

  #add(definition: ObjectDefinition): void {
    const indexed = [...definition.fields.values()]
      .filter((one) => one.unique || one.externalId)
      .map((one) => one.name);
    const ruled = this.rules.filter((rule) => rule.object === definition.name).map((rule) => rule.field);
    this.stores.set(definition.name.toLowerCase(), new ObjectStore(definition, [...indexed, ...ruled]));
  }

  get clock(): SandboxClock {
    return this.settings.clock;
  }

  /** Returns the time of a change now: all changes of a unit have the time at which it began. */
  changeTime(): number {
    return this.#unitTime ?? this.clock.now();
  }

  find(objectName: string): ObjectStore | undefined {
    return this.stores.get(objectName.toLowerCase());
  }

  /** Finds the store of an id by its first three characters. */
  ofId(id: string): ObjectStore | undefined {
    const prefix = id.slice(0, 3);
    for (const store of this.stores.values()) if (store.definition.prefix === prefix) return store;
    return undefined;
  }

  /** Registers how to undo a change while an all-or-none unit runs. */
  onUndo(step: () => void): void {
    this.#undo?.push(step);
  }

  /** Reports a change when its unit is committed. */
  changed(change: OrgChange): void {
    if (this.#pending === undefined) this.onCommit([change]);
    else this.#pending.push(change);
  }

  /** Runs `work`, and undoes all of its changes if it returns false or throws. Units may be nested. */
  atomically(work: () => boolean): boolean {
    const outer = this.#undo;
    const own: (() => void)[] = [];
    this.#undo = own;
    const outerChanges = this.#pending;
    const changes: OrgChange[] = [];
    this.#pending = changes;
    const outerTime = this.#unitTime;
    this.#unitTime = this.changeTime();
    let kept = false;
    try {
      kept = work();
    } finally {
      this.#undo = outer;
      this.#pending = outerChanges;
      this.#unitTime = outerTime;
      if (kept) {
        outer?.push(...own);
        if (outerChanges !== undefined) outerChanges.push(...changes);
        else if (changes.length > 0) this.onCommit(changes);
      } else {
        for (const step of own.toReversed()) step();
        this.refreshAccess();
      }
    }
    return kept;
  }

  /** Updates the access to API-made custom fields from the permission sets assigned to the integration user. */
  refreshAccess(): void {
    const assigned = new Set(
      listLive(this.find("PermissionSetAssignment"))
        .filter((record) => record.values["AssigneeId"] === USER_ID)
        .map((record) => record.values["PermissionSetId"]),
    );
    const granted = new Map<string, "read" | "edit">();
    for (const { values } of listLive(this.find("FieldPermissions"))) {
      if (!assigned.has(values["ParentId"] ?? null)) continue;
      const name = String(values["Field"]).toLowerCase();
      if (values["PermissionsEdit"] === true) granted.set(name, "edit");
      else if (values["PermissionsRead"] === true && !granted.has(name)) granted.set(name, "read");
    }
    for (const { definition } of this.stores.values()) {
      for (const one of definition.fields.values()) {
        if (one.metadata === undefined || one.seeded === true) continue;
        const name = `${definition.name}.${one.name}`.toLowerCase();
        one.access = one.metadata["required"] === true ? "edit" : (granted.get(name) ?? "none");
      }
    }
  }
}

export function listLive(store: ObjectStore | undefined): StoredRecord[] {
  return store === undefined ? [] : [...store.table.select({})].filter((record) => !record.deleted);
}

/** Returns a text like `2026-01-02T03:04:05.000+0000`, the form of all date-times in answers; Salesforce stores whole seconds. */
export function toStamp(at: number): string {
  return `${toIsoText(Math.floor(at / 1000) * 1000).slice(0, -1)}+0000`;
}

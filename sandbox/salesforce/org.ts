// One Salesforce organisation in memory: definitions, records, unique indexes, and undo for all-or-none writes.

import type { SandboxClock } from "../clock.ts";
import { isoText } from "../records/iso-text.ts";
import { plainValues } from "../records/lazy-values.ts";
import { RecordTable } from "../records/record-table.ts";
import { recordId, recordNumber, withChecksum } from "./ids.ts";
import type { Field, ObjectDefinition, Scalar } from "./fields.ts";
import { standardObjects } from "./standard-objects.ts";

export const ORG_ID = withChecksum("00DSb0000000001");
export const USER_ID = withChecksum("005Sb0000000001");

export type StoredRecord = {
  /** The number in the id, which orders the records. */
  key: number;
  id: string;
  values: Record<string, Scalar>;
  deleted: boolean;
  /** SystemModstamp in milliseconds. */
  updatedAt: number;
};

/** What the controls set for the whole organisation. */
export type OrgSettings = {
  clock: SandboxClock;
  locatorLifetimeMs: number;
  /** Open locators; one more drops the oldest. */
  openLocators: number;
  /** Locators of an earlier generation are refused. */
  locatorGeneration: number;
  /** Children of one record in an answer, before their own paging. */
  childPage: number;
  /** Pages end before this many characters of records. */
  pageCharacters: number;
  /** A longer request line with its headers is refused with `tooLongStatus`, 414 or 431. */
  headerBytes: number;
  /** The logs of deletions and changes are complete until so long ago; what came later is not in them yet. */
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

/** A record with the same value in this field counts as a duplicate. "alert" can be overridden by the caller, "block" not. */
export type DuplicateRule = { object: string; field: string; action: "alert" | "block" };

export const STANDARD_RULES: DuplicateRule[] = [
  { object: "Contact", field: "Email", action: "alert" },
  { object: "Lead", field: "Email", action: "alert" },
];

export class ObjectStore {
  readonly definition: ObjectDefinition;
  readonly table = new RecordTable<StoredRecord>();
  /** When records were deleted, purged ones included. */
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

  /** Live records with this value in an indexed field; text without case. */
  holders(name: string, value: Scalar): string[] {
    return value === null ? [] : [...(this.#indexes.get(name)?.get(indexKey(value)) ?? [])];
  }

  nextId(): string {
    return recordId(this.definition.prefix, this.reserveNumbers(1));
  }

  /** Returns the first of `count` consecutive record numbers. */
  reserveNumbers(count: number): number {
    const first = this.#nextNumber;
    this.#nextNumber += count;
    return first;
  }

  /** Returns a record by its 18-character id, deleted or not. A generated one becomes an ordinary one. */
  lookup(id: string): StoredRecord | undefined {
    const record = this.peek(id);
    if (record === undefined) return undefined;
    return Object.hasOwn(record.values, "Id") ? record : { ...record, values: plainValues(record.values) };
  }

  /** Returns a record to look at only. */
  peek(id: string): StoredRecord | undefined {
    const key = recordNumber(id);
    const record = key === undefined ? undefined : this.table.get(key);
    return record?.id === id ? record : undefined;
  }

  put(id: string, values: Record<string, Scalar>): StoredRecord {
    const key = recordNumber(id);
    if (key === undefined) throw new RangeError(`${id} is not an id of this organisation`);
    const deleted = values["IsDeleted"] === true;
    const record = { key, id, values, deleted, updatedAt: modifiedAt(values) };
    this.table.keep(record);
    for (const name of this.#indexes.keys()) if (!deleted) this.#enter(name, record);
    return record;
  }

  set(record: StoredRecord, values: Record<string, Scalar>): void {
    for (const name of this.#indexes.keys()) if (name in values) this.#leave(name, record);
    Object.assign(record.values, values);
    record.updatedAt = modifiedAt(record.values);
    this.table.keep(record);
    for (const name of this.#indexes.keys()) if (name in values) this.#enter(name, record);
  }

  /** Moves SystemModstamp, as Salesforce does. */
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
    const ids = index?.get(indexKey(value));
    if (ids === undefined) index?.set(indexKey(value), new Set([record.id]));
    else ids.add(record.id);
  }

  #leave(name: string, record: StoredRecord): void {
    const value = record.values[name];
    if (value === null || value === undefined) return;
    const index = this.#indexes.get(name);
    const ids = index?.get(indexKey(value));
    ids?.delete(record.id);
    if (ids?.size === 0) index?.delete(indexKey(value));
  }
}

function modifiedAt(values: Record<string, Scalar>): number {
  return Date.parse(String(values["SystemModstamp"]).replace("+0000", "Z"));
}

function indexKey(value: string | number | boolean): string {
  return String(value).toLowerCase();
}

/** A change of a record that was committed, for the event bus. */
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
    for (const definition of standardObjects()) this.#add(definition);
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

  /** The time of a change that is made now: all changes of a unit have the one at which it began. */
  changeTime(): number {
    return this.#unitTime ?? this.clock.now();
  }

  find(objectName: string): ObjectStore | undefined {
    return this.stores.get(objectName.toLowerCase());
  }

  /** The store an id belongs to, by its first three characters. */
  ofId(id: string): ObjectStore | undefined {
    const prefix = id.slice(0, 3);
    for (const store of this.stores.values()) if (store.definition.prefix === prefix) return store;
    return undefined;
  }

  /** Remembers how to take back one change while an all-or-none unit runs. */
  onUndo(step: () => void): void {
    this.#undo?.push(step);
  }

  /** Reports a change when the unit that it belongs to is kept. */
  changed(change: OrgChange): void {
    if (this.#pending === undefined) this.onCommit([change]);
    else this.#pending.push(change);
  }

  /** Runs `work`; when it returns false or throws, everything it changed is taken back. Units may be nested. */
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

  /** Field access of API-made custom fields follows from permission sets assigned to the integration user. */
  refreshAccess(): void {
    const assigned = new Set(
      live(this.find("PermissionSetAssignment"))
        .filter((record) => record.values["AssigneeId"] === USER_ID)
        .map((record) => record.values["PermissionSetId"]),
    );
    const granted = new Map<string, "read" | "edit">();
    for (const { values } of live(this.find("FieldPermissions"))) {
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

export function live(store: ObjectStore | undefined): StoredRecord[] {
  return store === undefined ? [] : [...store.table.select({})].filter((record) => !record.deleted);
}

/** `2026-01-02T03:04:05.000+0000`, the form of every date-time answer; whole seconds, as Salesforce stores them. */
export function stamp(at: number): string {
  return `${isoText(Math.floor(at / 1000) * 1000).slice(0, -1)}+0000`;
}

// HubSpot account in memory: record stores by object type, with their properties, groups and unique indexes.

import { refuseNotFound, refuse } from "./errors.ts";
import { Associations } from "./associations.ts";
import { isSystemProperty } from "./account-change.ts";
import { RecordTable } from "../records/record-table.ts";
import { toPlainValues } from "../records/lazy-values.ts";
import type { AccountSettings, StoredRecord } from "./stored-record.ts";
import { SearchIndex } from "./search-index.ts";
import { createCustomType, STANDARD_TYPES, type ObjectType } from "./object-types.ts";
import {
  STANDARD_PROPERTIES,
  buildSystemProperties,
  type Property,
  type PropertyGroup,
} from "./property-definitions.ts";

export const PORTAL_ID = 4100410;

export class TypeStore {
  readonly type: ObjectType;
  readonly properties = new Map<string, Property>();
  readonly groups = new Map<string, PropertyGroup>();
  readonly table = new RecordTable<StoredRecord>();
  readonly settings: AccountSettings;
  readonly index: SearchIndex;
  readonly #unique = new Map<string, Map<string, string>>();
  readonly #mergedInto = new Map<string, string>();

  constructor(type: ObjectType, settings: AccountSettings) {
    this.type = type;
    this.settings = settings;
    this.index = new SearchIndex(settings);
    const group = `${type.singular.toLowerCase()}information`;
    this.groups.set(group, {
      name: group,
      label: `${type.singular} information`,
      displayOrder: 0,
      archived: false,
    });
    const standard = [
      ...buildSystemProperties(type.createdProperty, type.modifiedProperty),
      ...(STANDARD_PROPERTIES[type.name] ?? []),
    ];
    for (const property of standard) {
      const { options, modificationMetadata } = property;
      this.addProperty({
        ...property,
        groupName: group,
        options: [...options],
        modificationMetadata: { ...modificationMetadata },
      });
    }
  }

  addProperty(property: Property): void {
    this.properties.set(property.name, property);
    if (!property.hasUniqueValue || property.name === "hs_object_id" || this.#unique.has(property.name))
      return;
    const index = new Map<string, string>();
    for (const record of this.table.stored()) {
      const value = record.properties[property.name];
      if (value !== undefined && !record.archived) index.set(value.toLowerCase(), record.id);
    }
    this.#unique.set(property.name, index);
  }

  /** Returns the id of the record with this value of a unique property. */
  holder(name: string, value: string): string | undefined {
    return this.#unique.get(name)?.get(value.toLowerCase());
  }

  isUnique(name: string): boolean {
    return name === "hs_object_id" || this.#unique.has(name);
  }

  /** Finds the first unique value among `values` that another record has. */
  conflict(values: Record<string, string>, ownId?: string): { name: string; id: string } | undefined {
    for (const [name, index] of this.#unique) {
      const value = values[name];
      const id = value === undefined || value === "" ? undefined : index.get(value.toLowerCase());
      if (id !== undefined && id !== ownId) return { name, id };
    }
    return undefined;
  }

  insert(record: StoredRecord): void {
    this.index.changes(record.key, undefined);
    this.table.keep(record);
    for (const [name, index] of this.#unique) {
      const value = record.properties[name];
      if (value !== undefined) index.set(value.toLowerCase(), record.id);
    }
    this.#report("creation", record);
    for (const [name, value] of Object.entries(record.properties)) {
      if (!isSystemProperty(name)) this.#report("propertyChange", record, { name, value });
    }
  }

  #report(
    kind: "creation" | "propertyChange" | "deletion" | "restore",
    { id }: StoredRecord,
    property?: { name: string; value: string },
  ): void {
    this.settings.onChange({ kind, type: this.type, id, ...(property === undefined ? {} : { property }) });
  }

  /** Updates values. `now` is the new change time; without it, the change is not stamped, like a calculated value. */
  update(record: StoredRecord, values: Record<string, string>, now?: number): void {
    this.index.changes(record.key, record);
    const changed: { name: string; value: string }[] = [];
    for (const [name, value] of Object.entries(values)) {
      const index = this.#unique.get(name);
      const before = record.properties[name];
      if (index !== undefined && before !== undefined) index.delete(before.toLowerCase());
      if ((before ?? "") !== value) changed.push({ name, value });
      if (value === "") delete record.properties[name];
      else {
        record.properties[name] = value;
        index?.set(value.toLowerCase(), record.id);
      }
    }
    if (now !== undefined) {
      record.updatedAt = now;
      record.properties[this.type.modifiedProperty] = new Date(now).toISOString();
    }
    this.table.keep(record);
    for (const property of changed) this.#report("propertyChange", record, property);
  }

  /** Archives a record and keeps its change time, like HubSpot. */
  archive(record: StoredRecord, now: number): void {
    if (record.archived) return;
    record.archived = true;
    record.archivedAt = now;
    this.table.keep(record);
    for (const [name, index] of this.#unique) {
      const value = record.properties[name];
      if (value !== undefined) index.delete(value.toLowerCase());
    }
    this.#report("deletion", record);
  }

  /** Restores a record with a new change time. */
  restore(record: StoredRecord, now: number): void {
    if (!record.archived) return;
    record.archived = false;
    delete record.archivedAt;
    this.update(record, {}, now);
    for (const [name, index] of this.#unique) {
      const value = record.properties[name];
      if (value !== undefined) index.set(value.toLowerCase(), record.id);
    }
    this.#report("restore", record);
  }

  purge(record: StoredRecord): void {
    this.archive(record, record.updatedAt);
    this.table.drop(record);
  }

  /** Removes a record whose id leads to another one from now on. */
  merge(record: StoredRecord, winner: string): void {
    this.purge(record);
    this.#mergedInto.set(record.id, winner);
  }

  /** Finds a record by its id, by that of a record merged into it, or by a unique property. */
  find(id: string, idProperty?: string): StoredRecord | undefined {
    const isId = idProperty === undefined || idProperty === "hs_object_id";
    let key = isId ? id : this.holder(idProperty, id);
    for (let to = key; to !== undefined; to = this.#mergedInto.get(to)) key = to;
    const record = key === undefined ? undefined : this.lookup(key);
    return record === undefined || record.archived ? undefined : record;
  }

  /** Finds a record by id, archived or not. A generated one becomes a stored one, which may be changed. */
  lookup(id: string): StoredRecord | undefined {
    const key = /^\d{1,15}$/.test(id) ? Number(id) : undefined;
    const record = key === undefined ? undefined : this.table.get(key);
    if (record === undefined || String(record.key) !== id) return undefined;
    return Object.hasOwn(record.properties, "hs_object_id")
      ? record
      : { ...record, properties: toPlainValues(record.properties) };
  }

  get(id: string, idProperty?: string): StoredRecord {
    const record = this.find(id, idProperty);
    if (record === undefined) throw refuseNotFound();
    return record;
  }
}

export class Account {
  readonly stores = new Map<string, TypeStore>();
  readonly associations: Associations;
  #names = new Map<string, TypeStore>();
  #nextId = 90_000_000_001;
  #nextTypeId = 4_100_001;

  readonly settings: AccountSettings;

  constructor(settings: AccountSettings) {
    this.settings = settings;
    this.associations = new Associations((fromType, fromId, toType, toId, removed) =>
      this.#reportLink(fromType, fromId, toType, toId, removed),
    );
    for (const type of STANDARD_TYPES) this.#add(type);
  }

  #reportLink(fromType: string, fromId: string, toType: string, toId: string, removed: boolean): void {
    const [from, to] = [this.find(fromType)?.type, this.find(toType)?.type];
    if (from === undefined || to === undefined) return;
    const change = { kind: "associationChange" as const, type: from, id: fromId };
    this.settings.onChange({ ...change, to: { type: to, id: toId, removed } });
  }

  #add(type: ObjectType): TypeStore {
    const store = new TypeStore(type, this.settings);
    this.stores.set(type.id, store);
    for (const name of [type.name, type.id, ...type.aliases]) this.#names.set(name.toLowerCase(), store);
    return store;
  }

  addCustomType(name: string, required: string[]): TypeStore {
    return this.#add(createCustomType(`2-${this.#nextTypeId++}`, name, PORTAL_ID, required));
  }

  find(name: string): TypeStore | undefined {
    return this.#names.get(name.toLowerCase());
  }

  /** Gets an object type by name, singular, type id or a custom object's qualified name. Throws HubSpot's refusal. */
  get(name: string): TypeStore {
    const store = this.find(name);
    // HubSpot's error has no category here.
    if (store === undefined) throw refuse(400, `Unable to infer object type from: ${name}`);
    return store;
  }

  nextId(): string {
    return String(this.reserveIds(1));
  }

  /** Returns the first of `count` consecutive ids. */
  reserveIds(count: number): number {
    const first = this.#nextId;
    this.#nextId += count;
    return first;
  }
}

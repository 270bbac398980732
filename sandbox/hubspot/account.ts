// One HubSpot account in memory: record stores by object type with their properties, groups and unique indexes.

import { notFound, refuse } from "./errors.ts";
import { Associations } from "./associations.ts";
import { customType, STANDARD_TYPES, type ObjectType } from "./object-types.ts";
import {
  STANDARD_PROPERTIES,
  systemProperties,
  type Property,
  type PropertyGroup,
} from "./property-definitions.ts";

export const PORTAL_ID = 4100410;

export type StoredRecord = {
  id: string;
  properties: Record<string, string>;
  createdAt: number;
  updatedAt: number;
  archived: boolean;
  archivedAt?: number;
};

export class TypeStore {
  readonly type: ObjectType;
  readonly properties = new Map<string, Property>();
  readonly groups = new Map<string, PropertyGroup>();
  readonly records = new Map<string, StoredRecord>();
  /** In ascending order, for paging. */
  readonly ids: string[] = [];
  readonly #unique = new Map<string, Map<string, string>>();

  constructor(type: ObjectType) {
    this.type = type;
    const group = `${type.singular.toLowerCase()}information`;
    this.groups.set(group, {
      name: group,
      label: `${type.singular} information`,
      displayOrder: 0,
      archived: false,
    });
    const standard = [
      ...systemProperties(type.createdProperty, type.modifiedProperty),
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
    for (const record of this.records.values()) {
      const value = record.properties[property.name];
      if (value !== undefined && !record.archived) index.set(value.toLowerCase(), record.id);
    }
    this.#unique.set(property.name, index);
  }

  /** Returns the record with this value of a unique property. */
  holder(name: string, value: string): string | undefined {
    return this.#unique.get(name)?.get(value.toLowerCase());
  }

  isUnique(name: string): boolean {
    return name === "hs_object_id" || this.#unique.has(name);
  }

  /** Returns the first unique value among `values` that another record has. */
  conflict(values: Record<string, string>, ownId?: string): { name: string; id: string } | undefined {
    for (const [name, index] of this.#unique) {
      const value = values[name];
      const id = value === undefined || value === "" ? undefined : index.get(value.toLowerCase());
      if (id !== undefined && id !== ownId) return { name, id };
    }
    return undefined;
  }

  insert(record: StoredRecord): void {
    this.records.set(record.id, record);
    this.ids.push(record.id);
    for (const [name, index] of this.#unique) {
      const value = record.properties[name];
      if (value !== undefined) index.set(value.toLowerCase(), record.id);
    }
  }

  update(record: StoredRecord, values: Record<string, string>, now: number): void {
    for (const [name, value] of Object.entries(values)) {
      const index = this.#unique.get(name);
      const before = record.properties[name];
      if (index !== undefined && before !== undefined) index.delete(before.toLowerCase());
      if (value === "") delete record.properties[name];
      else {
        record.properties[name] = value;
        index?.set(value.toLowerCase(), record.id);
      }
    }
    record.updatedAt = now;
    record.properties[this.type.modifiedProperty] = new Date(now).toISOString();
  }

  archive(record: StoredRecord, now: number): void {
    if (record.archived) return;
    record.archived = true;
    record.archivedAt = now;
    for (const [name, index] of this.#unique) {
      const value = record.properties[name];
      if (value !== undefined) index.delete(value.toLowerCase());
    }
  }

  /** Returns a record by id or by a unique property. */
  find(id: string, idProperty?: string): StoredRecord | undefined {
    const key = idProperty === undefined || idProperty === "hs_object_id" ? id : this.holder(idProperty, id);
    const record = key === undefined ? undefined : this.records.get(key);
    return record === undefined || record.archived ? undefined : record;
  }

  get(id: string, idProperty?: string): StoredRecord {
    const record = this.find(id, idProperty);
    if (record === undefined) throw notFound();
    return record;
  }
}

export class Account {
  readonly stores = new Map<string, TypeStore>();
  readonly associations = new Associations();
  #names = new Map<string, TypeStore>();
  #nextId = 90_000_000_001;
  #nextTypeId = 4_100_001;

  constructor() {
    for (const type of STANDARD_TYPES) this.#add(type);
  }

  #add(type: ObjectType): TypeStore {
    const store = new TypeStore(type);
    this.stores.set(type.id, store);
    for (const name of [type.name, type.id, ...type.aliases]) this.#names.set(name.toLowerCase(), store);
    return store;
  }

  addCustomType(name: string, required: string[]): TypeStore {
    return this.#add(customType(`2-${this.#nextTypeId++}`, name, PORTAL_ID, required));
  }

  find(name: string): TypeStore | undefined {
    return this.#names.get(name.toLowerCase());
  }

  /** Finds an object type by name, singular, type id, or a custom object's qualified name. Throws HubSpot's refusal. */
  get(name: string): TypeStore {
    const store = this.find(name);
    // HubSpot gives this error no category.
    if (store === undefined) throw refuse(400, `Unable to infer object type from: ${name}`);
    return store;
  }

  nextId(): string {
    return String(this.#nextId++);
  }
}

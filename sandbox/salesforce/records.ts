// Insert, update, delete and upsert of one record with all checks; every writing endpoint uses them.

import { isData, type Data } from "../exchange.ts";
import { findDuplicates, type DuplicateHeader } from "./duplicate-rules.ts";
import type { SaveError } from "./errors.ts";
import { checkValue } from "./field-values.ts";
import type { Field, Scalar } from "./fields.ts";
import { normalizeId } from "./ids.ts";
import { listLive, toStamp, USER_ID, type ObjectStore, type Org } from "./org.ts";

export type Saved = { id: string; created: boolean } | { errors: SaveError[] };

type Values = Record<string, Scalar>;

export function insertRecord(org: Org, store: ObjectStore, input: Data, duplicates: DuplicateHeader): Saved {
  const checked = checkInput(org, store, input, "create");
  if ("errors" in checked) return checked;
  const { values } = checked;
  const missing: string[] = [];
  for (const field of store.definition.fields.values()) {
    if (
      field.createable &&
      !field.nillable &&
      !field.defaultedOnCreate &&
      (values[field.name] ?? null) === null
    )
      missing.push(field.name);
  }
  if (missing.length > 0) {
    const message = `Required fields are missing: [${missing.join(", ")}]`;
    return { errors: [{ code: "REQUIRED_FIELD_MISSING", message, fields: missing }] };
  }
  const clash =
    findClash(store, values, undefined) ?? findDuplicates(org, store, values, undefined, duplicates);
  if (clash !== undefined) return { errors: [clash] };
  return { id: storeNew(org, store, values), created: true };
}

/** Stores a new record with its system fields, without checks; returns its id. */
export function storeNew(org: Org, store: ObjectStore, values: Values): string {
  const at = toStamp(org.changeTime());
  const id = store.nextId();
  const all: Values = { ...listDefaults(store), ...values };
  Object.assign(all, {
    Id: id,
    IsDeleted: false,
    CreatedDate: at,
    CreatedById: USER_ID,
    LastModifiedDate: at,
    LastModifiedById: USER_ID,
    SystemModstamp: at,
  });
  if (store.definition.fields.has("ownerid")) all["OwnerId"] ??= USER_ID;
  updateComputed(store, all);
  const record = store.put(id, all);
  org.onUndo(() => store.drop(record));
  org.changed({ store, id, changeType: "CREATE", before: {}, after: all });
  noteTouched(org, store);
  return id;
}

function listDefaults(store: ObjectStore): Values {
  const values: Values = {};
  for (const field of store.definition.fields.values()) {
    if (field.defaultValue !== null && field.defaultValue !== "") values[field.name] = field.defaultValue;
  }
  return values;
}

/** Updates computed fields after written ones. */
function updateComputed(store: ObjectStore, values: Values): void {
  if (store.definition.fields.has("lastname")) {
    values["Name"] = [values["FirstName"], values["LastName"]]
      .filter((part) => typeof part === "string")
      .join(" ");
  }
  if (store.definition.name === "Opportunity") {
    values["IsClosed"] = String(values["StageName"]).startsWith("Closed");
    values["IsWon"] = values["StageName"] === "Closed Won";
  }
}

export function updateRecord(
  org: Org,
  store: ObjectStore,
  id: string,
  input: Data,
  duplicates: DuplicateHeader,
): Saved {
  const record = store.lookup(id);
  if (record === undefined) return { errors: [buildNotFound(id)] };
  if (record.deleted)
    return { errors: [{ code: "ENTITY_IS_DELETED", message: "entity is deleted", fields: [] }] };
  const checked = checkInput(org, store, input, "update");
  if ("errors" in checked) return checked;
  const { values } = checked;
  const emptied = [...store.definition.fields.values()].filter(
    (field) => values[field.name] === null && !field.nillable,
  );
  if (emptied.length > 0) {
    const names = emptied.map((field) => field.name);
    const message = `Required fields are missing: [${names.join(", ")}]`;
    return { errors: [{ code: "REQUIRED_FIELD_MISSING", message, fields: names }] };
  }
  const clash = findClash(store, values, id) ?? findDuplicates(org, store, values, id, duplicates);
  if (clash !== undefined) return { errors: [clash] };
  const before = { ...record.values };
  const at = toStamp(org.changeTime());
  const next: Values = {
    ...record.values,
    ...values,
    LastModifiedDate: at,
    LastModifiedById: USER_ID,
    SystemModstamp: at,
  };
  updateComputed(store, next);
  store.set(record, next);
  org.onUndo(() => {
    for (const name of Object.keys(next)) if (!(name in before)) next[name] = null;
    store.set(record, { ...next, ...before });
  });
  org.changed({ store, id, changeType: "UPDATE", before, after: next });
  noteTouched(org, store);
  return { id, created: false };
}

export function deleteRecord(org: Org, store: ObjectStore, id: string): Saved {
  const record = store.lookup(id);
  if (record === undefined) return { errors: [buildNotFound(id)] };
  if (record.deleted)
    return { errors: [{ code: "ENTITY_IS_DELETED", message: "entity is deleted", fields: [] }] };
  const before = record.values["SystemModstamp"] ?? null;
  store.setDeleted(record, true, toStamp(org.changeTime()));
  org.onUndo(() => store.setDeleted(record, false, before));
  org.changed({ store, id, changeType: "DELETE", before: {}, after: {} });
  noteTouched(org, store);
  return { id, created: false };
}

/** Creates or updates by the value of an external id field. Several matches are an error in the caller's data. */
export function upsertRecord(
  org: Org,
  store: ObjectStore,
  key: Field,
  value: string,
  input: Data,
  duplicates: DuplicateHeader,
): Saved | { matches: string[] } {
  const own = normalizeId(value);
  if (key.name === "Id" && own !== undefined) return updateRecord(org, store, own, input, duplicates);
  const matches = store.holders(key.name, value);
  if (matches.length > 1) return { matches };
  const [id] = matches;
  if (id !== undefined) return updateRecord(org, store, id, input, duplicates);
  return insertRecord(org, store, { ...input, [key.name]: value }, duplicates);
}

export function buildNotFound(id: string): SaveError {
  return {
    code: "NOT_FOUND",
    message: `Provided external ID field does not exist or is not accessible: ${id}`,
  };
}

function checkInput(
  org: Org,
  store: ObjectStore,
  input: Data,
  mode: "create" | "update",
): { values: Values } | { errors: SaveError[] } {
  const values: Values = {};
  const locked: string[] = [];
  for (const [name, raw] of Object.entries(input)) {
    if (name === "attributes") continue;
    const field = store.find(name);
    if (field === undefined) {
      const linked = resolveLink(org, store, name, raw);
      if (linked === undefined) {
        const message = `No such column '${name}' on sobject of type ${store.definition.name}`;
        return { errors: [{ code: "INVALID_FIELD", message }] };
      }
      if ("error" in linked) return { errors: [linked.error] };
      Object.assign(values, linked.values);
      continue;
    }
    const writable = field.access === "edit" && (mode === "create" ? field.createable : field.updateable);
    if (!writable) {
      locked.push(field.name);
      continue;
    }
    const checked = checkValue(org, field, raw);
    if ("error" in checked) return { errors: [checked.error] };
    values[field.name] = checked.value;
  }
  if (locked.length === 0) return { values };
  const message = `Unable to create/update fields: ${locked.join(", ")}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`;
  return { errors: [{ code: "INVALID_FIELD_FOR_INSERT_UPDATE", message, fields: locked }] };
}

/** Resolves a reference by an external id: `"Account": {"External_Id__c": "7"}`. */
function resolveLink(
  org: Org,
  store: ObjectStore,
  name: string,
  raw: unknown,
): { values: Values } | { error: SaveError } | undefined {
  const wanted = name.toLowerCase();
  const field = [...store.definition.fields.values()].find(
    (one) => one.relationshipName?.toLowerCase() === wanted,
  );
  const target = org.find(field?.referenceTo[0] ?? "");
  if (field === undefined || target === undefined || !isData(raw)) return undefined;
  const [entry] = Object.entries(raw).filter(([key]) => key !== "attributes");
  const key = target.find(entry?.[0] ?? "");
  if (entry === undefined || key === undefined || !key.externalId) return undefined;
  const [id] = target.holders(key.name, String(entry[1]));
  if (id !== undefined) return { values: { [field.name]: id } };
  const message = `Foreign key external ID: ${String(entry[1])} not found for field ${key.name} in entity ${target.definition.name}`;
  return { error: { code: "INVALID_FIELD", message, fields: [] } };
}

function findClash(store: ObjectStore, values: Values, ownId: string | undefined): SaveError | undefined {
  if (store.definition.name === "PermissionSetAssignment") return findAssignmentClash(store, values);
  for (const field of store.definition.fields.values()) {
    const value = values[field.name];
    if (!field.unique || value === undefined) continue;
    const other = store.holders(field.name, value).find((id) => id !== ownId);
    if (other === undefined) continue;
    const message = `duplicate value found: ${field.name} duplicates value on record with id: ${other}`;
    return { code: "DUPLICATE_VALUE", message, fields: [field.name] };
  }
  return undefined;
}

function findAssignmentClash(store: ObjectStore, values: Values): SaveError | undefined {
  const { AssigneeId: assignee, PermissionSetId: set } = values;
  const same = listLive(store).some(
    (record) => record.values["AssigneeId"] === assignee && record.values["PermissionSetId"] === set,
  );
  if (!same) return undefined;
  const message = `Duplicate PermissionSetAssignment.  Assignee: ${String(assignee).slice(0, 15)}; Permission Set: ${String(set).slice(0, 15)}`;
  return { code: "DUPLICATE_VALUE", message, fields: ["AssigneeId", "PermissionSetId"] };
}

const ACCESS_OBJECTS = new Set(["PermissionSetAssignment", "FieldPermissions"]);

function noteTouched(org: Org, store: ObjectStore): void {
  if (ACCESS_OBJECTS.has(store.definition.name)) org.refreshAccess();
}

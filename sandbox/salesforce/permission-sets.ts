// Permission sets as metadata: field permissions, stored as ordinary FieldPermissions records.

import type { SaveError } from "./errors.ts";
import { listLive, toStamp, USER_ID, type Org, type StoredRecord } from "./org.ts";
import { deleteRecord, insertRecord, updateRecord } from "./records.ts";
import { listChildren, readChildText, type Element } from "./xml.ts";

const NO_HEADER = { allowSave: false, includeRecordDetails: false };

type FieldPermission = { field: string; readable: boolean; editable: boolean };

export function findPermissionSet(org: Org, name: string): StoredRecord | undefined {
  return listLive(org.find("PermissionSet")).find(
    (record) => String(record.values["Name"]).toLowerCase() === name.toLowerCase(),
  );
}

/** Replaces label, description and all field permissions. Returns whether the set is new, or why it is refused. */
export function upsertPermissionSet(org: Org, element: Element): { created: boolean } | { error: SaveError } {
  const name = readChildText(element, "fullName") ?? "";
  const Label = readChildText(element, "label") ?? "";
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
    return { error: { code: "INVALID_FULL_NAME", message: `Invalid fullName: ${name}` } };
  if (Label === "")
    return { error: { code: "REQUIRED_FIELD_MISSING", message: "Required field is missing: label" } };
  const permissions = listChildren(element, "fieldPermissions").map((item) => ({
    field: readChildText(item, "field") ?? "",
    readable: readChildText(item, "readable") === "true",
    editable: readChildText(item, "editable") === "true",
  }));
  for (const permission of permissions) {
    const broken = findBrokenPermission(org, permission);
    if (broken !== undefined) return { error: broken };
  }
  const sets = org.find("PermissionSet");
  if (sets === undefined) return { error: { code: "UNKNOWN_EXCEPTION", message: "no permission sets here" } };
  const existing = findPermissionSet(org, name);
  const Description = readChildText(element, "description") ?? null;
  const saved =
    existing === undefined
      ? insertRecord(org, sets, { Name: name, Label, Description }, NO_HEADER)
      : updateRecord(org, sets, existing.id, { Label, Description }, NO_HEADER);
  if ("errors" in saved)
    return { error: saved.errors[0] ?? { code: "UNKNOWN_EXCEPTION", message: "not saved" } };
  replacePermissions(org, saved.id, permissions);
  return { created: existing === undefined };
}

function findBrokenPermission(org: Org, permission: FieldPermission): SaveError | undefined {
  const [objectName = "", fieldName = ""] = permission.field.split(".");
  const field = org.find(objectName)?.definition.fields.get(fieldName.toLowerCase());
  if (field === undefined) {
    const message = `In field: field - no CustomField named ${permission.field} found`;
    return { code: "INVALID_CROSS_REFERENCE_KEY", message };
  }
  if (!field.nillable && field.type !== "boolean") {
    return {
      code: "FIELD_INTEGRITY_EXCEPTION",
      message: `You cannot deploy to a required field: ${permission.field}`,
    };
  }
  return undefined;
}

function replacePermissions(org: Org, ParentId: string, permissions: FieldPermission[]): void {
  const store = org.find("FieldPermissions");
  if (store === undefined) return;
  for (const record of listPermissionRecords(org, ParentId)) deleteRecord(org, store, record.id);
  for (const { field, readable, editable } of permissions) {
    const at = toStamp(org.clock.now());
    const id = store.nextId();
    const values = {
      Id: id,
      ParentId,
      SobjectType: field.split(".")[0] ?? "",
      Field: field,
      PermissionsRead: readable,
      PermissionsEdit: editable,
      IsDeleted: false,
      CreatedDate: at,
      CreatedById: USER_ID,
      LastModifiedDate: at,
      LastModifiedById: USER_ID,
      SystemModstamp: at,
    };
    const record = store.put(id, values);
    org.onUndo(() => store.drop(record));
  }
  org.refreshAccess();
}

function listPermissionRecords(org: Org, parentId: string): StoredRecord[] {
  return listLive(org.find("FieldPermissions")).filter((record) => record.values["ParentId"] === parentId);
}

/** Builds the metadata of a set for readMetadata. */
export function buildSetMetadata(org: Org, record: StoredRecord): Record<string, unknown> {
  const description = record.values["Description"];
  return {
    fullName: record.values["Name"],
    ...(description === null || description === undefined ? {} : { description }),
    fieldPermissions: listPermissionRecords(org, record.id).map(({ values }) => ({
      editable: values["PermissionsEdit"],
      field: values["Field"],
      readable: values["PermissionsRead"],
    })),
    hasActivationRequired: false,
    label: record.values["Label"],
  };
}

export function deletePermissionSet(org: Org, name: string): SaveError | undefined {
  const record = findPermissionSet(org, name);
  const store = org.find("PermissionSet");
  if (record === undefined || store === undefined) {
    return { code: "INVALID_CROSS_REFERENCE_KEY", message: `no PermissionSet named ${name} found` };
  }
  replacePermissions(org, record.id, []);
  deleteRecord(org, store, record.id);
  return undefined;
}

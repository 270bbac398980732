// Checks whether the integration user may see an object as a whole, which Change Data Capture requires.

import { listLive, USER_ID, type Org } from "./org.ts";

/** Objects without permissions of their own. */
const BY_USER_PERMISSION: Record<string, string> = {
  Task: "PermissionsViewAllData",
  Event: "PermissionsViewAllData",
  User: "PermissionsViewAllUsers",
};

export function canSeeAll(org: Org, objectName: string): boolean {
  const assigned = new Set(
    listLive(org.find("PermissionSetAssignment"))
      .filter(({ values }) => values["AssigneeId"] === USER_ID)
      .map(({ values }) => values["PermissionSetId"]),
  );
  const ofUser = BY_USER_PERMISSION[objectName];
  const everything = ofUser ?? "PermissionsViewAllData";
  const sets = listLive(org.find("PermissionSet")).filter(({ id }) => assigned.has(id));
  if (sets.some(({ values }) => values[everything] === true)) return true;
  if (ofUser !== undefined) return false;
  return listLive(org.find("ObjectPermissions")).some(
    ({ values }) =>
      assigned.has(values["ParentId"] ?? null) &&
      values["SobjectType"] === objectName &&
      values["PermissionsViewAllRecords"] === true,
  );
}

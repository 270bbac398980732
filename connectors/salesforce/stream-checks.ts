/**
 * Checks what a stream of change events needs before it is set up: Salesforce reports no error for an object that the
 * connected user may not see as a whole, and delivers nothing when the organisation's daily allocation is used up.
 */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { classify } from "./classify.ts";
import { findIdFault } from "./id.ts";
import { DATA } from "./request.ts";

/**
 * Returns what a person should know although the stream works. Throws `ProviderError` (`forbidden`) with the remedy for what
 * prevents it.
 */
export async function checkStream(
  { objectName, userId }: { objectName: string; userId: string | undefined },
  fetch: ProviderFetch,
): Promise<string[]> {
  const warnings = [await checkVisibility(objectName, userId, fetch), await checkAllocation(fetch)];
  return warnings.filter((warning) => warning !== undefined);
}

/** Objects without permissions of their own, and the permission of the user that Salesforce asks for instead. */
const BY_USER_PERMISSION: Record<string, { name: string; label: string }> = {
  Task: { name: "PermissionsViewAllData", label: "View All Data" },
  Event: { name: "PermissionsViewAllData", label: "View All Data" },
  User: { name: "PermissionsViewAllUsers", label: "View All Users" },
};
/** A user has a profile and some permission sets; more are not looked at. */
const MAX_SETS = 200;

async function checkVisibility(
  objectName: string,
  userId: string | undefined,
  fetch: ProviderFetch,
): Promise<string | undefined> {
  const ofUser = Object.hasOwn(BY_USER_PERMISSION, objectName) ? BY_USER_PERMISSION[objectName] : undefined;
  const label = ofUser?.label ?? `View All Records of ${objectName}`;
  const sees = userId === undefined ? undefined : await seesAll({ objectName, userId, ofUser }, fetch);
  if (sees === true) return undefined;
  if (sees === undefined) {
    return `Salesforce does not tell whether the connected user has the permission ${label}. Without it, no change is reported, and no error either.`;
  }
  throw new ProviderError({
    kind: "forbidden",
    message: `The connected user lacks the permission ${label}, without which Salesforce reports no changes. Grant it in a permission set of the user.`,
  });
}

interface Sight {
  objectName: string;
  userId: string;
  ofUser: { name: string } | undefined;
}

/** Returns undefined if the user may not look permissions up. Profiles are permission sets, too. */
async function seesAll(
  { objectName, userId, ofUser }: Sight,
  fetch: ProviderFetch,
): Promise<boolean | undefined> {
  const everything = ofUser?.name ?? "PermissionsViewAllData";
  const assigned = await query(
    `SELECT PermissionSetId, PermissionSet.${everything} FROM PermissionSetAssignment ` +
      `WHERE AssigneeId = '${userId}' LIMIT ${MAX_SETS}`,
    fetch,
  );
  if (!assigned || assigned.some((row) => getTextAt(row, `PermissionSet.${everything}`) === "true")) {
    return assigned && true;
  }
  const ids = assigned.flatMap((row) => findIdAt(row, "PermissionSetId") ?? []);
  if (ofUser || ids.length === 0) return false;
  const granting = await query(
    `SELECT Id FROM ObjectPermissions WHERE ParentId IN ('${ids.join("','")}') ` +
      `AND SobjectType = '${objectName}' AND PermissionsViewAllRecords = true LIMIT 1`,
    fetch,
  );
  return granting && granting.length > 0;
}

/** Below this share of the day's deliveries a warning is due. */
const LOW_SHARE = 0.1;

async function checkAllocation(fetch: ProviderFetch): Promise<string | undefined> {
  const limits = await askForBody(`${DATA}/limits`, fetch);
  const { max, remaining } = limitIn(limits, "DailyDeliveredPlatformEvents");
  // An add-on permits more than the daily number.
  const { remaining: bought = 0 } = limitIn(limits, "MonthlyPlatformEventsUsageEntitlement");
  if (max === undefined || remaining === undefined || bought > 0) return undefined;
  if (remaining <= 0) {
    throw new ProviderError({
      kind: "forbidden",
      message: `The organisation's allocation of ${max} delivered events in 24 hours is used up, by all of its subscribers together. Subscribe to fewer objects, or extend the allocation at Salesforce.`,
    });
  }
  if (remaining >= max * LOW_SHARE) return undefined;
  return `When the stream was set up, ${remaining} of the organisation's ${max} deliveries of events in 24 hours were left. Without any left, Salesforce holds events back, for up to 72 hours.`;
}

function limitIn(limits: Json | undefined, name: string): { max?: number; remaining?: number } {
  const limit = isJsonObject(limits) ? limits[name] : undefined;
  if (!isJsonObject(limit)) return {};
  const { Max, Remaining } = limit;
  return {
    ...(typeof Max === "number" && { max: Max }),
    ...(typeof Remaining === "number" && { remaining: Remaining }),
  };
}

/** Returns undefined if the query is refused. */
async function query(soql: string, fetch: ProviderFetch): Promise<JsonObject[] | undefined> {
  const body = await askForBody(`${DATA}/query?q=${encodeURIComponent(soql)}`, fetch);
  if (!isJsonObject(body) || !Array.isArray(body.records)) return undefined;
  return body.records.filter(isJsonObject);
}

/** Returns undefined for a refusal, which concerns this look-up only. Throws what concerns every call. */
async function askForBody(path: string, fetch: ProviderFetch): Promise<Json | undefined> {
  const { body, error } = await send({ method: "GET", path, repeatable: true }, fetch, classify);
  return error ? undefined : body;
}

/** Returns the record id at a path: no other text may stand in a query. */
export function findIdAt(answer: Json, path: string): string | undefined {
  const text = getTextAt(answer, path);
  return findIdFault(text) ? undefined : text;
}

/** HubSpot objects outside the CRM API that can be read all the same: owners and lists. */
import type { JsonObject } from "../../ground/json.ts";
import type { FieldKind, FieldMetadata, ObjectMetadata } from "../../connector-kit/fields.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { buildBrokenPage } from "../../connector-kit/calls/page-check.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { readCursor } from "./list-scan.ts";
import { CRM_VERSION } from "./request.ts";

export interface Collection {
  /** Maximum number of records of a page. */
  limit: number;
  /** The member of an answer that holds the records, and the member of a record that holds its id. */
  list: string;
  id: string;
  isSearchable: boolean;
  metadata: ObjectMetadata;
  /** Whether records of the page at this cursor tell each change by their time; absent: all do. */
  tellsChanges?(cursor: string | undefined): boolean;
  request(limit: number, cursor: string | undefined): ProviderRequest;
  /** Returns the cursor of the page behind the one at `cursor`; undefined if this is the last one. */
  next(page: JsonObject, cursor: string | undefined): string | undefined;
}

/** Returns undefined for objects of the CRM API. */
export const findCollection = (objectName: string): Collection | undefined =>
  Object.hasOwn(COLLECTIONS, objectName) ? COLLECTIONS[objectName] : undefined;

/** Returns the members of a record as fields: HubSpot describes only CRM objects. */
function describe(name: string, fields: Record<string, FieldKind | "other">): ObjectMetadata {
  const entries = Object.entries(fields).map(([fieldName, valueType]): [string, FieldMetadata] => [
    fieldName,
    {
      fieldName,
      displayName: fieldName,
      valueType,
      providerType: valueType,
      readOnly: true,
      isCustom: false,
      isRequired: false,
    },
  ]);
  return {
    name,
    displayName: name.charAt(0).toUpperCase() + name.slice(1),
    fields: Object.fromEntries(entries),
  };
}

const COLLECTIONS: Record<string, Collection> = {
  owners: {
    limit: 100,
    list: "results",
    id: "id",
    isSearchable: false,
    metadata: describe("owners", {
      id: "string",
      email: "string",
      firstName: "string",
      lastName: "string",
      type: "string",
      userId: "int",
      teams: "other",
      archived: "boolean",
      createdAt: "datetime",
      updatedAt: "datetime",
    }),
    // HubSpot names no time at which an owner was archived (supaglue-labs/supaglue, issue 665).
    tellsChanges: (cursor = "") => !cursor.startsWith(ARCHIVED),
    // Records keep naming owners whose users were removed; `archived` tells them apart.
    request: (limit, cursor = "") => {
      const archived = cursor.startsWith(ARCHIVED);
      const after = archived ? cursor.slice(ARCHIVED.length) : cursor;
      const path = `/crm/owners/${CRM_VERSION}?limit=${limit}&archived=${archived}`;
      return {
        method: "GET",
        path: after === "" ? path : `${path}&after=${encodeURIComponent(after)}`,
        repeatable: true,
      };
    },
    next(page, cursor = "") {
      const after = readCursor(page);
      if (!cursor.startsWith(ARCHIVED)) return after ?? ARCHIVED;
      return after === undefined ? undefined : ARCHIVED + after;
    },
  },
  lists: {
    limit: 500,
    list: "lists",
    id: "listId",
    isSearchable: true,
    metadata: describe("lists", {
      listId: "string",
      name: "string",
      objectTypeId: "string",
      processingType: "string",
      processingStatus: "string",
      listVersion: "int",
      createdById: "string",
      updatedById: "string",
      createdAt: "datetime",
      updatedAt: "datetime",
      filtersUpdatedAt: "datetime",
      additionalProperties: "other",
    }),
    request: (limit, cursor) => ({
      method: "POST",
      path: `/crm/lists/${CRM_VERSION}/search`,
      // All are required; an empty list restricts nothing (ListSearchRequest of the API description).
      body: {
        offset: readOffset(cursor),
        count: limit,
        additionalProperties: [],
        listIds: [],
        processingTypes: [],
      },
      repeatable: true,
    }),
    next: findNextOffset,
  },
};

/** Begins the cursors of the list of archived owners, which is read behind that of the others. */
const ARCHIVED = "archived:";

const readOffset = (cursor: string | undefined): number =>
  cursor !== undefined && /^\d{1,9}(?::|$)/.test(cursor) ? Number.parseInt(cursor, 10) : 0;

/** Returns the ids that a cursor names behind its offset: those of the records that the page before had, too. */
export const listKnownIds = (cursor = ""): string[] =>
  /^\d{1,9}:/.test(cursor) ? cursor.split(":").slice(1) : [];

/** Returns whether a page has a list that the one before it had, too; a page at the beginning needs none. */
export const isJoined = (ids: string[], cursor: string | undefined): boolean => {
  const known = listKnownIds(cursor);
  return known.length === 0 || readOffset(cursor) === 0 || ids.some((id) => known.includes(id));
};

/** Returns the cursor of a page that begins so many records earlier, and has to join to the same ones. */
export const moveBack = (cursor: string | undefined, records: number): string =>
  [Math.max(0, readOffset(cursor) - records), ...listKnownIds(cursor)].join(":");

/** Pages overlap, because a list that is deleted meanwhile moves those behind it to smaller offsets. */
const OVERLAP = 10;

/** A search ends behind 10,000 results, and lists have no order by which to go on: then the read fails instead of ending early. */
function findNextOffset(
  { hasMore, offset, total, lists }: JsonObject,
  cursor: string | undefined,
): string | undefined {
  if (hasMore !== true) {
    const read = readOffset(cursor) + (Array.isArray(lists) ? lists.length : 0);
    if (typeof total !== "number" || total <= read) return undefined;
    throw buildBrokenPage(`HubSpot counts ${total} lists, and gives no page behind the first ${read}`);
  }
  if (typeof offset === "number" && Number.isInteger(offset) && offset > 0) {
    const ids = (Array.isArray(lists) ? lists : []).flatMap((list) => getTextAt(list, "listId") ?? []);
    const known = ids.slice(ids.length - Math.min(OVERLAP, Math.floor(ids.length / 2)));
    return [offset - known.length, ...known].join(":");
  }
  throw buildBrokenPage("HubSpot's answer is broken: more lists follow, but `offset` is not a number");
}

export const COLLECTION_NAMES = Object.keys(COLLECTIONS);

/** Scans along HubSpot's lists, which are in the order of ids and go on behind an opaque cursor. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import {
  buildBrokenPage,
  checkRising,
  listOrBroken,
  requireObject,
} from "../../connector-kit/calls/page-check.ts";
import type { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { SourceRecord } from "../../connector-kit/read-connector.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { changeProperty, isAfter } from "./read-object.ts";
import { toSourceRecord } from "./source-record.ts";

/** Where a page of a list begins. */
export interface ListPlace {
  /** The cursor. */
  after?: string;
  /** The last id of the pages before. */
  lastId?: string;
  /** Records up to this id were read before the list had to begin anew. */
  skipTo?: string;
}

interface Listing {
  listed: SourceRecord[];
  /** The cursor of the next page. */
  after?: string;
}

/** Reads a page of a list or a search. Throws `ProviderError` for wrong types. */
export function readListing(body: Json | undefined, objectName: string): Listing {
  const page = requireObject(body, "the page");
  const changed = changeProperty(objectName);
  const listed = listOrBroken(page.results, "`results`", page).map((raw) => toSourceRecord(raw, changed));
  return { listed, after: readCursor(page) };
}

/** Returns the cursor of the next page; undefined if this is the last one. */
export function readCursor({ paging }: JsonObject): string | undefined {
  if (paging === undefined || paging === null) return undefined;
  const after = getTextAt(paging, "next.after");
  if (after !== undefined) return after;
  if (isJsonObject(paging) && (paging.next === undefined || paging.next === null)) return undefined;
  throw buildBrokenPage("HubSpot's answer is broken: `paging` has no cursor of the next page");
}

/** Returns the records that were not read before, and where the next page begins. Throws `ProviderError` for a loop. */
export function advance(
  { listed, after }: Listing,
  place: ListPlace,
): { fresh: SourceRecord[]; next?: ListPlace } {
  const { lastId, skipTo } = place;
  checkRising(listed, lastId, isAfter);
  const fresh = skipTo === undefined ? listed : listed.filter(({ id }) => isAfter(id, skipTo));
  if (after === undefined) return { fresh };
  if (after === place.after) throw buildSameCursorError("list");
  const last = listed.at(-1)?.id ?? lastId;
  return {
    fresh,
    next: { after, ...(last !== undefined && { lastId: last }), ...(skipTo !== undefined && { skipTo }) },
  };
}

/** Returns the error for a page that names itself as the next one. */
export const buildSameCursorError = (what: "list" | "search"): ProviderError =>
  buildBrokenPage(`HubSpot's ${what} does not advance: a page has the cursor of the page before`);

/** Returns the beginning of the list, without what was read, after HubSpot refused a cursor. */
export function restart({ lastId, skipTo }: ListPlace, refusal: ProviderError): ListPlace {
  if (lastId === undefined) throw refusal;
  if (skipTo === undefined || isAfter(lastId, skipTo)) return { skipTo: lastId };
  throw buildBrokenPage(`HubSpot's list does not advance: it refuses its cursors (${refusal.message})`);
}

export const parseListPosition = (checkpoint: JsonObject): ListPlace => ({
  after: getTextAt(checkpoint, "after"),
  lastId: getTextAt(checkpoint, "lastId"),
  skipTo: getTextAt(checkpoint, "skipTo"),
});

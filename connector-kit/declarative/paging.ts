/** Paging of declarative lists: what a position adds to a request, and which position an answer leads to. */
import type { Json } from "../../ground/json.ts";
import { buildBrokenPage } from "../calls/page-check.ts";
import type { ProviderResponse, ProviderFetch, ProviderRequest } from "../calls/provider-fetch.ts";
import { getTextAt } from "../calls/get-text-at.ts";
import { getMember, type ObjectPlan } from "./object-plan.ts";
import type { PagingRules } from "./rules/paging-rules.ts";
import { put, type RequestParts, formatTime, withQuery } from "./request-parts.ts";
import type { Connector } from "../connector.ts";
import { send } from "../calls/send-request.ts";
import { fillPath } from "./fill-path.ts";
import type { FittedPage } from "./fitted-pages.ts";
import { findNextLink } from "./next-link.ts";
import type { PagePlace, ScanState } from "./scan-state.ts";

/** Adds the place of the page to a request. Pages by URL are requested by their own path. */
export function putPlace(
  parts: RequestParts,
  paging: PagingRules,
  { place }: ScanState,
  fitted?: FittedPage,
): void {
  if (paging.page && fitted) put(parts, paging.page.to, fitted.before / fitted.size + paging.page.first);
  else if (paging.page) put(parts, paging.page.to, typeof place === "number" ? place : paging.page.first);
  else if (paging.offset && fitted)
    put(parts, paging.offset.to, fitted.before + getFirstOffset(paging.offset));
  else if (paging.offset)
    put(parts, paging.offset.to, typeof place === "number" ? place : getFirstOffset(paging.offset));
  else if (paging.keyset && typeof place === "string")
    put(parts, paging.keyset.to, paging.keyset.template?.replace("{id}", place) ?? place);
  else if (paging.cursor && typeof place === "string") put(parts, paging.cursor.to, place);
}

interface Answered {
  response: ProviderResponse;
  body: Json;
  /** Entries of this page. */
  count: number;
  /** Those among them that the page before did not have. */
  fresh: number;
  /** Entries of the list up to this page, where it is known. */
  read: number | undefined;
  /** Number of all entries, where the answer tells it. */
  total: number | undefined;
  lastId: string | undefined;
  /** Path of the list, below the base URL. */
  listPath: string;
  /** Entries that were asked for. */
  pageSize: number | undefined;
  fitted: FittedPage | undefined;
}

/**
 * Returns the place of the next page; undefined after the last. A cursor, an address or a link goes on as long as the provider
 * names a next one, also after an empty page; a list with counted pages goes on until an empty page, unless the answer says more.
 */
export function findNextPlace(
  paging: PagingRules,
  before: PagePlace | undefined,
  answered: Answered,
): PagePlace | undefined {
  const { cursor, nextUrl, link, page, offset, keyset } = paging;
  const { response, body, count, lastId, listPath, fitted } = answered;
  if (cursor) {
    if (isLastNamed(cursor, answered) || (cursor.scroll && count === 0)) return undefined;
    return withoutAddress(requireNamed(cursor, answered, readCursor(body, cursor.from)), cursor.to);
  }
  if (nextUrl) {
    if (isLastNamed(nextUrl, answered)) return undefined;
    return findPathBelow(requireNamed(nextUrl, answered, readAddress(body, nextUrl.from)), listPath);
  }
  if (link) return findPathBelow(findNextLink(response.headers["link"]), listPath);
  const counted = page ?? offset;
  if (fitted && counted) {
    const number = fitted.before / fitted.size + 1;
    const end = fitted.before + count;
    // A total of the records that the user sees is not reached by hidden rows before the page, nor by records that are deleted by now.
    const reached = { ...answered, read: Math.min(end, answered.read ?? end) };
    const isLast = page?.pages !== undefined && number >= Number(getTextAt(body, page.pages) ?? Number.NaN);
    if (isLast || !goesOn(paging, counted, reached)) return undefined;
    // Where others follow, a page may be short because the user does not see some of its rows.
    const length = hasMore(counted, answered) ? fitted.size : count;
    return getFirstOffset(offset) + fitted.before + length;
  }
  if (page) {
    const number = typeof before === "number" ? before : page.first;
    const pages = page.pages === undefined ? undefined : Number(getTextAt(body, page.pages) ?? Number.NaN);
    const isLast = pages !== undefined && number - page.first + 1 >= pages;
    return !isLast && goesOn(paging, page, answered) ? number + 1 : undefined;
  }
  if (offset) {
    const skipped = typeof before === "number" ? before : getFirstOffset(offset);
    // What was read is not what is before the page, where records that were read are deleted.
    const reached = { ...answered, read: skipped - getFirstOffset(offset) + count };
    return goesOn(paging, offset, reached)
      ? (readNumberInAddress(offset, answered) ?? skipped + count)
      : undefined;
  }
  // A total falls with each record that is deleted, also with one that was counted as read: it ends no list that goes on behind a record.
  if (!keyset || !goesOn(paging, keyset, { ...answered, total: undefined })) return undefined;
  if (lastId !== undefined) return lastId;
  throw buildBrokenPage("the provider says that records follow, but the page has none to go on from");
}

interface Flags {
  more?: string;
  last?: string;
  next?: string;
}

/** Returns whether the flag says that no page follows. Where the answer leaves the flag out, an empty page is the last one. */
function isLastNamed(flags: Flags, answered: Answered): boolean {
  const { more } = flags;
  if (more !== undefined && getMember(answered.body, more) === undefined) return answered.count === 0;
  return hasMore(flags, answered) === false;
}

/** Returns what names the next page. Throws where the answer says that one follows, and names none. */
function requireNamed(
  flags: Flags & { from: string },
  answered: Answered,
  named: string | undefined,
): string | undefined {
  if (named === undefined && hasMore(flags, answered))
    throw buildBrokenPage(
      `the provider says that records follow, but not where: \`${flags.from}\` is missing or empty`,
    );
  return named;
}

/** Returns whether the flag of the answer says that others follow; undefined without a flag. */
function hasMore(
  { more, last, next }: Flags,
  { response, body }: Pick<Answered, "response" | "body">,
): boolean | undefined {
  if (next !== undefined) return findAddress(next, { response, body }) !== undefined;
  if (more !== undefined) return isTrue(getMember(body, more));
  const value = last === undefined ? undefined : getMember(body, last);
  return value === undefined ? undefined : !isTrue(value);
}

function goesOn(
  { shortPageEnds }: PagingRules,
  flags: Flags,
  { response, body, count, fresh, read, total, pageSize }: Answered,
): boolean {
  const isFull = pageSize !== undefined && count >= pageSize;
  const isUntold = flags.more !== undefined && getMember(body, flags.more) === undefined;
  // Where the answer leaves the flag out, only a page with room left is the last one.
  if (isFull && isUntold) return true;
  const reported = hasMore(flags, { response, body });
  if (reported !== undefined) return reported;
  if (fresh === 0 && !isFull) return false;
  if (shortPageEnds && pageSize !== undefined && count < pageSize) return false;
  return total === undefined || read === undefined || read < total;
}

/** Returns the address of the next page, which is in a header or in the body. */
const findAddress = (
  from: string,
  { response, body }: Pick<Answered, "response" | "body">,
): string | undefined =>
  from.toLowerCase() === "header.link" ? findNextLink(response.headers["link"]) : readAddress(body, from);

/** Returns the number of records before the next page in its address: there may be rows that the user does not see. */
function readNumberInAddress(
  { to, next }: NonNullable<PagingRules["offset"]>,
  answered: Pick<Answered, "response" | "body">,
): number | undefined {
  const address = next === undefined ? undefined : findAddress(next, answered);
  const url = address === undefined ? undefined : URL.parse(address, "https://provider.invalid");
  const text = url?.searchParams.get(to.slice("query.".length));
  return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const getFirstOffset = ({ first = 0 }: Pick<NonNullable<PagingRules["offset"]>, "first"> = {}): number =>
  first;

/** Returns the cursor as text. Providers end a list with an absent one, null, false, an empty text or 0. */
function readCursor(body: Json, path: string): string | undefined {
  const value = getMember(body, path);
  requireText(value, path);
  return value === false || value === 0 ? undefined : getTextAt(body, path);
}

/** Returns the cursor alone where the answer has the whole address of the next page in its place, as answers of Keap do. */
function withoutAddress(cursor: string | undefined, to: string): string | undefined {
  if (cursor === undefined || !cursor.startsWith("https://") || !to.startsWith("query.")) return cursor;
  return URL.parse(cursor)?.searchParams.get(to.slice("query.".length)) ?? cursor;
}

function readAddress(body: Json, path: string): string | undefined {
  const value = getMember(body, path);
  requireText(value, path);
  return readText(value);
}

/** Throws for a list or an object with members: what names the next page is in it, and the description leads past it. */
function requireText(value: Json | undefined, path: string): void {
  if (value === undefined || value === null || typeof value !== "object") return;
  const [name] = Object.keys(value);
  if (name === undefined) return;
  const what = Array.isArray(value) ? "a list" : `an object with \`${name}\``;
  throw buildBrokenPage(`what names the next page should be a text, but \`${path}\` is ${what}`);
}

const readText = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const isTrue = (value: Json | undefined): boolean =>
  value !== undefined && ![null, false, "", 0, "false", "0"].includes(value as string);

/**
 * Returns path and query of a URL, below the connection's base URL: the host is always the connection's own. The path of the
 * base is known by what stands before that of the list.
 */
function findPathBelow(url: string | undefined, listPath: string): string | undefined {
  if (url === undefined) return undefined;
  const parsed = URL.parse(url, `https://provider.invalid${listPath}`);
  if (!parsed) throw buildBrokenPage(`the address of the next page is not a URL: ${url.slice(0, 200)}`);
  return (parsed.pathname.endsWith(listPath) ? listPath : parsed.pathname) + parsed.search;
}

/** Returns the request for the first cursor; undefined where there is none, or where the scan has begun. */
export function buildFirstCursorRequest(
  rules: ObjectPlan,
  { cursor }: PagingRules,
  bound: Date | undefined,
  { place }: ScanState,
): ProviderRequest | undefined {
  if (!cursor?.start || place !== undefined) return undefined;
  const parts: RequestParts = { query: [], body: {} };
  put(parts, cursor.start.sinceTo, formatTime(bound ?? new Date(0), rules.since?.format));
  const path = withQuery(fillPath(cursor.start.path, rules), parts.query);
  return { method: "GET", path, repeatable: true };
}

/** Returns the place of the first page. Throws `ProviderError`. */
export async function requestFirstPlace(
  request: ProviderRequest,
  { cursor }: PagingRules,
  { fetch, classify }: { fetch: ProviderFetch; classify: NonNullable<Connector["classify"]> },
): Promise<Pick<ScanState, "place">> {
  const { body, error } = await send(request, fetch, classify);
  if (error) throw error;
  const place = body === undefined || !cursor ? undefined : getTextAt(body, cursor.from);
  if (place === undefined) throw buildBrokenPage("the answer has no first cursor");
  return { place };
}

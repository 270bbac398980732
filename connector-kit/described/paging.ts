/** How a described list goes on: what a checkpoint adds to a request, and which checkpoint an answer leads to. */
import type { Json } from "../../server/ground/json.ts";
import { brokenPage } from "../page-check.ts";
import type { ProviderResponse } from "../provider-fetch.ts";
import type { Checkpoint } from "../read-connector.ts";
import { textAt } from "../text-at.ts";
import { at } from "./object-plan.ts";
import type { PagingRules } from "./paging-rules.ts";
import { put, type RequestParts } from "./request-parts.ts";

/** Adds the place of the page to a request. Pages by URL are requested by their own path. */
export function putPlace(parts: RequestParts, paging: PagingRules, checkpoint: Checkpoint | undefined): void {
  const place = checkpoint?.["place"];
  if (paging.page) put(parts, paging.page.to, typeof place === "number" ? place : paging.page.first);
  else if (paging.offset)
    put(parts, paging.offset.to, typeof place === "number" ? place : firstOf(paging.offset));
  else if (typeof place === "string") {
    const target = paging.cursor?.to ?? paging.keyset?.to;
    if (target !== undefined) put(parts, target, place);
  }
}

export interface Answered {
  response: ProviderResponse;
  body: Json;
  /** Records of this page, and how many a full page has. */
  count: number;
  lastId: string | undefined;
  /** Path of the list, below the base URL. */
  listPath: string;
  pageSize: number | undefined;
}

/** Returns the checkpoint of the next page; undefined after the last. Throws `ProviderError` for a place that repeats. */
export function nextPlace(
  paging: PagingRules,
  checkpoint: Checkpoint | undefined,
  answered: Answered,
): Checkpoint | undefined {
  if (answered.count === 0 && paging.cursor?.more === undefined) return undefined;
  const place = placeAfter(paging, checkpoint, answered);
  if (place === undefined) return undefined;
  if (place === checkpoint?.["place"])
    throw brokenPage(`the next page is the same again: ${String(place).slice(0, 200)}`);
  return { place };
}

function placeAfter(
  { cursor, nextUrl, link, page, offset, keyset }: PagingRules,
  checkpoint: Checkpoint | undefined,
  { response, body, count, lastId, listPath, pageSize }: Answered,
): string | number | undefined {
  const before = checkpoint?.["place"];
  if (cursor) {
    const goesOn = cursor.more === undefined || isTrue(at(body, cursor.more));
    return goesOn ? textAt(body, cursor.from) : undefined;
  }
  if (nextUrl) return pathOf(textOf(at(body, nextUrl.from)), listPath);
  if (link) {
    return pathOf(NEXT_LINK.exec(response.headers["link"] ?? "")?.[1], listPath);
  }
  const isShort = pageSize !== undefined && count < pageSize;
  if (page) {
    const goesOn = page.more === undefined ? !isShort : isTrue(at(body, page.more));
    return goesOn ? (typeof before === "number" ? before : page.first) + 1 : undefined;
  }
  if (keyset) {
    const goesOn = keyset.more === undefined ? !isShort : isTrue(at(body, keyset.more));
    return goesOn ? lastId : undefined;
  }
  if (offset) {
    const goesOn = offset.more === undefined ? !isShort : isTrue(at(body, offset.more));
    return goesOn ? (typeof before === "number" ? before : firstOf(offset)) + count : undefined;
  }
  return undefined;
}

/** No part matches the beginning of another link: otherwise a long header would take seconds, and stop the whole process. */
const NEXT_LINK = /<([^<>]+)>\s*;[^,<]*rel="?next"?/;

const firstOf = ({ first = 0 }: NonNullable<PagingRules["offset"]>): number => first;

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const isTrue = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== false && value !== "";

/**
 * Returns path and query of a URL, below the connection's base URL: the host is always the connection's own. The path of the
 * base is known by what stands before that of the list.
 */
function pathOf(url: string | undefined, listPath: string): string | undefined {
  if (url === undefined) return undefined;
  const parsed = URL.parse(url, "https://provider.invalid");
  if (!parsed) throw brokenPage(`the address of the next page is not a URL: ${url.slice(0, 200)}`);
  return (parsed.pathname.endsWith(listPath) ? listPath : parsed.pathname) + parsed.search;
}

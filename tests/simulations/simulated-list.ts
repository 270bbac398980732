/** Answers a list by its description: bounds, pages and their continuation. */
import { listFilledNames, fillPath, fillText } from "../../connector-kit/declarative/fill-path.ts";
import { at, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import { nestValue } from "../../connector-kit/declarative/request-parts.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import {
  extractFromPath,
  buildAtPath,
  type SimulatedAnswer,
  type StoredRecord,
} from "./simulated-exchange.ts";

export interface ListQuery {
  url: URL;
  body: JsonObject;
  /** Headers by lower-case names. */
  headers?: NodeJS.Dict<string | string[]>;
  baseUrl: string;
  /** Values of the placeholders in the list's query. */
  filled?: Record<string, string>;
}

/** Maximum size of a page: small, so that a few records fill several. */
const MAX_PER_PAGE = 3;
const PLACE = "simulated_place";

export function buildPage(
  plan: ObjectPlan,
  asked: ListQuery,
  all: StoredRecord[],
  show: (record: StoredRecord, selected?: string[]) => JsonObject,
): SimulatedAnswer {
  const query = { ...asked, filled: extractFilled(plan, asked.url) ?? {} };
  const since = readSince(plan, query);
  const found = since === undefined ? all : all.filter(({ changedAt }) => changedAt >= since);
  const size = readSize(plan, query);
  const start = readStart(plan, query, { size, found });
  const page = found.slice(start, start + size);
  const hasMore = start + size < found.length;
  const path = plan.records === undefined ? "" : fillPath(plan.records, plan);
  const each = plan.each === undefined ? "" : fillPath(plan.each, plan);
  const around = path.slice(0, Math.max(0, path.lastIndexOf(".")));
  const isAbsent = plan.absentWhenEmpty === true && page.length === 0;
  const list = buildAtPath(
    isAbsent ? around : path,
    isAbsent
      ? {}
      : page.map((record) =>
          buildAtPath(
            each,
            plan.readEach ? nestValue(plan.idPath, record.id) : show(record, listSelected(plan, query)),
          ),
        ),
  );
  const own = since === undefined ? undefined : plan.since?.paging;
  const { body, headers } = addNext(own ? { ...plan, paging: own } : plan, query, list, {
    start,
    size,
    hasMore,
  });
  const total =
    plan.total === undefined || !isJsonObject(body) ? body : nestValue(plan.total, found.length, body);
  return { status: 200, headers, body: total };
}

/** Returns whether a request is for one of an object's further lists, which are empty here. */
export function isFurtherList(
  { furtherLists = [], list, since }: ObjectPlan,
  url: URL,
  isPath: (template: string) => boolean,
): boolean {
  return furtherLists.some(
    ({ list: own, path = own?.path, query = own?.query ?? {} }) =>
      (path === undefined
        ? [list?.path, since?.list?.path, since?.path].some((usual) => usual !== undefined && isPath(usual))
        : isPath(path)) &&
      Object.entries(query).every(([name, value]) => url.searchParams.get(name) === value),
  );
}

/** Returns the names of the requested fields; undefined if all are always returned. */
export function listSelected({ select }: ObjectPlan, { url, body }: ListQuery): string[] | undefined {
  // Optional fields are named beside all others, which come anyway.
  if (!select || select.optional) return undefined;
  const name = select.to.slice(select.to.indexOf(".") + 1);
  const listed = select.to.startsWith("body.") ? at(body, name) : undefined;
  if (Array.isArray(listed)) return listed.map(String);
  return (url.searchParams.get(name) ?? "").split(select.separator ?? ",");
}

/** Extracts the values from a query with placeholders; undefined for another query. */
export function extractFilled(plan: ObjectPlan, url: URL): Record<string, string> | undefined {
  const names = listFilledNames(plan);
  const filled: Record<string, string> = {};
  for (const [parameter, template] of Object.entries(plan.list?.query ?? {})) {
    const parts = fillText(template, plan).split(/\{(\w+)\}/);
    if (!parts.some((part, index) => index % 2 === 1 && names.includes(part))) continue;
    const pattern = parts.map((part, index) =>
      index % 2 === 1 ? buildHolePattern(plan, part) : escaped(part),
    );
    const found = new RegExp(`^${pattern.join("")}$`).exec(url.searchParams.get(parameter) ?? "");
    if (!found) return undefined;
    const inOrder = parts.filter((_, index) => index % 2 === 1);
    for (const [index, name] of inOrder.entries()) filled[name] = found[index + 1] ?? "";
  }
  return filled;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Builds the pattern of a placeholder: empty without a value, otherwise with the text around it. */
function buildHolePattern({ since, paging }: ObjectPlan, name: string): string {
  const place = `fill.${name}`;
  const [template, hole] =
    since?.to === place
      ? [since.template, "{since}"]
      : paging?.keyset?.to === place
        ? [paging.keyset.template, "{id}"]
        : [];
  const [before, after = ""] = template?.split(hole ?? "") ?? [];
  return before === undefined ? "(.*?)" : `((?:${escaped(before)}.*?${escaped(after)})?)`;
}

function valueAtTarget(
  { url, body, headers, filled }: ListQuery,
  target: string | undefined,
): string | undefined {
  if (target === undefined) return undefined;
  const name = target.slice(target.indexOf(".") + 1);
  if (target.startsWith("query.")) return url.searchParams.get(name) ?? undefined;
  if (target.startsWith("fill.")) return filled?.[name] || undefined;
  if (target.startsWith("header.")) return headers?.[name.toLowerCase()]?.toString();
  const value = at(body, name);
  return value === undefined || value === null ? undefined : String(value);
}

function readSize({ list, paging }: ObjectPlan, query: ListQuery): number {
  const [before = "", after = ""] = list?.pageSize?.template?.split("{size}") ?? [];
  const reported = valueAtTarget(query, list?.pageSize?.to) ?? "";
  const asked = Number(reported.slice(before.length, reported.length - after.length) || Number.NaN);
  // A short page ends a scan by page number or offset, so a page has the requested size.
  if ((paging?.page && !paging.page.more) || (paging?.offset && !paging.offset.more))
    return asked || MAX_PER_PAGE;
  if (paging?.none) return Number.MAX_SAFE_INTEGER;
  return Math.min(Number.isFinite(asked) ? asked : MAX_PER_PAGE, MAX_PER_PAGE);
}

function readStart(
  { paging }: ObjectPlan,
  query: ListQuery,
  { size, found }: { size: number; found: StoredRecord[] },
): number {
  const { cursor, page, offset, keyset } = paging ?? {};
  if (cursor) return Number((valueAtTarget(query, cursor.to) ?? "c0").slice(1).split("s")[0]);
  if (page) return (Number(valueAtTarget(query, page.to) ?? page.first) - page.first) * size;
  if (keyset) {
    const [before = "", after = ""] = keyset.template?.split("{id}") ?? [];
    const last = valueAtTarget(query, keyset.to) ?? "";
    return found.findIndex(({ id }) => `${before}${id}${after}` === last) + 1;
  }
  if (offset) return Number(valueAtTarget(query, offset.to) ?? 0) - (offset.first ?? 0);
  return Number(query.url.searchParams.get(PLACE) ?? 0);
}

function addNext(
  { paging }: ObjectPlan,
  { url, baseUrl, body: asked }: ListQuery,
  list: Json,
  { start, size, hasMore }: { start: number; size: number; hasMore: boolean },
): { body: Json; headers: Record<string, string> } {
  const { cursor, nextUrl, link, page, offset, keyset } = paging ?? {};
  const bound = cursor && valueAtTarget({ url, body: asked, baseUrl }, cursor.to)?.split("s")[1];
  const suffix = bound === undefined ? "" : `s${bound}`;
  const next = new URL(baseUrl + url.pathname + url.search);
  next.searchParams.set(PLACE, String(start + size));
  if (link) return { body: list, headers: hasMore ? { link: `<${next.href}>; rel="next"` } : {} };
  const more = page?.more ?? offset?.more ?? keyset?.more;
  const place = cursor
    ? { path: cursor.from, value: hasMore || cursor.more !== undefined ? `c${start + size}${suffix}` : null }
    : nextUrl
      ? { path: nextUrl.from, value: hasMore ? next.href : null }
      : { path: more, value: hasMore };
  if (place.path === undefined || !isJsonObject(list)) return { body: list, headers: {} };
  const body = nestValue(place.path, place.value, list);
  return { body: cursor?.more === undefined ? body : nestValue(cursor.more, hasMore, body), headers: {} };
}

/** Answers the request for the first cursor, which contains the bound; undefined for another request. */
export function answerStart({ paging }: ObjectPlan, url: URL): SimulatedAnswer | undefined {
  const { cursor } = paging ?? {};
  if (!cursor?.start || extractFromPath(cursor.start.path, url) === undefined) return undefined;
  const bound = url.searchParams.get(cursor.start.sinceTo.slice("query.".length)) ?? "";
  return { status: 200, headers: {}, body: nestValue(cursor.from, `c0s${Date.parse(bound)}`) };
}

/** Parses the bound by template and format. */
function readSince({ since, paging }: ObjectPlan, query: ListQuery): number | undefined {
  if (paging?.cursor?.start) return Number(valueAtTarget(query, paging.cursor.to)?.split("s")[1] ?? 0);
  const text = valueAtTarget(query, since?.to);
  if (text === undefined || since === undefined) return undefined;
  const [before = "", after = ""] = since.template?.split("{since}") ?? [];
  if (!text.startsWith(before) || !text.endsWith(after) || text.length < before.length + after.length)
    return undefined;
  const bound = text.slice(before.length, text.length - after.length);
  if (since.format === "unix") return Number(bound) * 1000;
  if (since.format === "sql") return Date.parse(`${bound.replace(" ", "T")}Z`);
  return since.format === "unix-ms" ? Number(bound) : Date.parse(bound);
}

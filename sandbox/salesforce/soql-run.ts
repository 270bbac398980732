// Executes a parsed query over the records.

import type { Data } from "../exchange.ts";
import type { Selection } from "../records/record-table.ts";
import { refuse } from "./errors.ts";
import { normalizeId } from "./ids.ts";
import { readChildren, type Children } from "./soql-children.ts";
import type { Org, StoredRecord } from "./org.ts";
import { describePlace, type Condition, type Order, type Query } from "./soql-parse.ts";
import { sortRecords } from "./soql-order.ts";
import { resolvePaths, showFields, type Context } from "./soql-paths.ts";
import { buildSelection } from "./soql-plan.ts";
import { buildTest } from "./soql-where.ts";

/** The keys of the records are determined when the query runs, their values when a page is shown. */
export type Found = {
  total: number;
  record(place: number): StoredRecord | undefined;
  show(record: StoredRecord, version: string): Data;
  children: Children[];
};

const MAX_OFFSET = 2000;

export function runQuery(org: Org, query: Query, text: string, includeDeleted: boolean): Found {
  const from = query.from.replace(/^.*\./, "");
  const store = org.find(from);
  if (store === undefined) {
    const what = `sObject type '${from}' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.`;
    throw refuse(400, "INVALID_TYPE", `${describePlace(text, Math.max(0, text.indexOf(from)))}\n${what}`);
  }
  if (query.offset > MAX_OFFSET)
    throw refuse(400, "NUMBER_OUTSIDE_VALID_RANGE", `Maximum SOQL offset allowed is ${MAX_OFFSET}`);
  const context = { org, store, text };
  const paths = resolvePaths(context, query);
  const children = query.children.map((child) => readChildren(context, child, includeDeleted));
  const selection = buildSelection(context, query.where, includeDeleted);
  if (!includeDeleted && /^(task|event)$/i.test(from)) {
    const view = selection.view ?? ((record: StoredRecord) => record);
    const yearAgo = org.clock.now() - YEAR_MS;
    selection.view = (record) => (isArchived(record, yearAgo) ? undefined : view(record));
  }
  if (query.count)
    return { total: store.table.count(selection), record: () => undefined, show: () => ({}), children };
  const keys = applyLimit(sortKeys(context, query, selection), query);
  return {
    total: keys.length,
    record: (place) => store.table.get(keys[place] ?? -1),
    show: (record, version) => showFields(context, paths, record, version),
    children,
  };
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Returns whether only `queryAll` finds the record: events that ended and closed tasks that were due more than a year ago. */
function isArchived({ values }: StoredRecord, yearAgo: number): boolean {
  const { EndDateTime, ActivityDate, Status } = values;
  const isOver = EndDateTime !== undefined || Status === "Completed";
  const time = Date.parse(String(EndDateTime ?? ActivityDate ?? ""));
  return isOver && time < yearAgo;
}

function applyLimit(keys: Float64Array, { offset, limit }: Query): Float64Array {
  if (offset === 0 && limit === undefined) return keys;
  return keys.subarray(offset, limit === undefined ? undefined : offset + limit);
}

function sortKeys(context: Context, query: Query, selection: Selection<StoredRecord>): Float64Array {
  const { table } = context.store;
  const ids = listIds(query.where);
  if (ids !== undefined) return findKeysOfIds(context, query, ids, selection);
  const [first, second] = query.order.map((one) => findAscending(one));
  if (query.order.length === 0 && query.limit !== undefined)
    return findFirstKeys(table.select(selection), query.offset + query.limit).toReversed();
  if (query.order.length === 0) return table.keys(selection, "key").toReversed();
  if (first === "id") return table.keys(selection, "key");
  if (first === "systemmodstamp" && (query.order.length === 1 || second === "id"))
    return table.keys(selection, "change");
  return readKeys(context, query, [...table.select(selection)]);
}

/** Returns the lower-case name of a field of the object itself that is sorted in ascending order. */
function findAscending(order: Order): string | undefined {
  return order.descending ? undefined : order.path.toLowerCase();
}

function findFirstKeys(records: Iterable<StoredRecord>, max: number): Float64Array {
  const keys: number[] = [];
  if (max > 0) {
    for (const { key } of records) {
      keys.push(key);
      if (keys.length >= max) break;
    }
  }
  return Float64Array.from(keys);
}

/** Finds the keys for `Id = …` and `Id IN (…)` without reading every record. */
function findKeysOfIds(
  context: Context,
  query: Query,
  ids: string[],
  { view }: Selection<StoredRecord>,
): Float64Array {
  const test = query.where === undefined ? () => true : buildTest(context, query.where);
  const records = [...new Set(ids)].flatMap((id) => context.store.peek(id) ?? []);
  const seen = records.filter((record) => view === undefined || view(record) !== undefined);
  return readKeys(context, query, seen.filter(test));
}

function listIds(where: Condition | undefined): string[] | undefined {
  if (where === undefined || where.kind === "or" || where.kind === "not") return undefined;
  if (where.kind === "and") return where.parts.map((part) => listIds(part)).find((ids) => ids !== undefined);
  if (where.path.toLowerCase() !== "id" || (where.operator !== "=" && where.operator !== "IN"))
    return undefined;
  return where.values.flatMap((value) => (value.kind === "string" ? (normalizeId(value.text) ?? []) : []));
}

function readKeys(context: Context, query: Query, records: StoredRecord[]): Float64Array {
  return Float64Array.from(sortRecords(context, query.order, records), (record) => record.key);
}

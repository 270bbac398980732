// Finds the bounds in the conditions of a query that the record table can apply itself.

import type { Selection } from "../records/record-table.ts";
import { parseInstant } from "./instant.ts";
import { normalizeId, toRecordNumber } from "./ids.ts";
import type { ObjectStore, StoredRecord } from "./org.ts";
import type { Condition } from "./soql-parse.ts";
import type { Context } from "./soql-paths.ts";
import { buildTest } from "./soql-where.ts";

type Bounds = Pick<
  Selection<StoredRecord>,
  "afterKey" | "throughKey" | "changedFrom" | "changedTo" | "afterPair" | "storedOnly"
>;

/** Builds the selection of a WHERE clause, without deleted records unless `includeDeleted` is set. */
export function buildSelection(
  context: Context,
  where: Condition | undefined,
  includeDeleted: boolean,
): Selection<StoredRecord> {
  const view = includeDeleted
    ? {}
    : { view: (record: StoredRecord) => (record.deleted ? undefined : record) };
  if (where === undefined) return view;
  // This also checks the parts that become bounds.
  buildTest(context, where);
  const selection: Selection<StoredRecord> = { ...view };
  const others: Condition[] = [];
  for (const part of where.kind === "and" ? where.parts : [where]) {
    const bounds = findBounds(context.store, part);
    if (bounds !== undefined) narrow(selection, bounds);
    if (bounds === undefined || bounds.storedOnly === true) others.push(part);
  }
  if (others.length === 0) return selection;
  // Values of parents and formulas may change without the record, so such tests are not cached.
  const name = others.every((part) => isOwn(context, part)) ? { name: JSON.stringify(others) } : {};
  return { ...selection, test: { ...name, passes: buildTest(context, { kind: "and", parts: others }) } };
}

function narrow(selection: Selection<StoredRecord>, bounds: Bounds): void {
  const { afterKey, throughKey, changedFrom, changedTo, afterPair } = bounds;
  if (afterKey !== undefined) selection.afterKey = Math.max(selection.afterKey ?? afterKey, afterKey);
  if (throughKey !== undefined)
    selection.throughKey = Math.min(selection.throughKey ?? throughKey, throughKey);
  if (changedFrom !== undefined)
    selection.changedFrom = Math.max(selection.changedFrom ?? changedFrom, changedFrom);
  if (changedTo !== undefined) selection.changedTo = Math.min(selection.changedTo ?? changedTo, changedTo);
  if (afterPair !== undefined) selection.afterPair = afterPair;
  if (bounds.storedOnly === true) selection.storedOnly = true;
}

function findBounds(store: ObjectStore, condition: Condition): Bounds | undefined {
  if (condition.kind === "or") return findPairBounds(store, condition.parts);
  if (condition.kind !== "compare") return undefined;
  const { operator } = condition;
  const [literal] = condition.values;
  const name = condition.path.toLowerCase();
  if (name === "id" && literal?.kind === "string") return findIdBounds(store, operator, literal.text);
  if (name === "isdeleted" && operator === "=" && literal?.kind === "boolean" && literal.boolean) {
    return { storedOnly: true };
  }
  if (name !== "systemmodstamp" || literal?.kind !== "datetime") return undefined;
  const second = Math.floor(parseInstant(literal.text) / 1000) * 1000;
  if (operator === ">") return { changedFrom: second + 1000 };
  if (operator === ">=") return { changedFrom: second };
  if (operator === "<") return { changedTo: second - 1 };
  if (operator === "<=") return { changedTo: second };
  return operator === "=" ? { changedFrom: second, changedTo: second } : undefined;
}

/** Finds the bounds of `SystemModstamp > T OR (SystemModstamp = T AND Id > 'x')`, which continues after a record. */
function findPairBounds(store: ObjectStore, parts: Condition[]): Bounds | undefined {
  const [later, same] = parts;
  if (parts.length !== 2 || later === undefined || same?.kind !== "and" || same.parts.length !== 2)
    return undefined;
  const after = findBounds(store, later)?.changedFrom;
  const [first, second] = same.parts.map((part) => findBounds(store, part));
  const key = first?.afterKey ?? second?.afterKey;
  const at = first?.changedTo === undefined ? second : first;
  if (after === undefined || key === undefined || at?.changedFrom === undefined) return undefined;
  const exact = at.changedFrom === at.changedTo && after === at.changedFrom + 1000;
  return exact ? { afterPair: { changedAt: at.changedFrom, key } } : undefined;
}

function findIdBounds(store: ObjectStore, operator: string, text: string): Bounds | undefined {
  const key = toSortKey(store, text);
  if (key === undefined) return undefined;
  if (operator === ">") return { afterKey: key };
  if (operator === ">=") return { afterKey: key - 1 };
  if (operator === "<") return { throughKey: key - 1 };
  return operator === "<=" ? { throughKey: key } : undefined;
}

function toSortKey(store: ObjectStore, text: string): number | undefined {
  const id = normalizeId(text);
  return id?.startsWith(store.definition.prefix) === true ? toRecordNumber(id) : undefined;
}

/** Returns whether the condition reads only stored values of the record itself. */
function isOwn(context: Context, condition: Condition): boolean {
  if (condition.kind === "not") return isOwn(context, condition.part);
  if (condition.kind !== "compare") return condition.parts.every((part) => isOwn(context, part));
  const field = context.store.find(condition.path);
  return field !== undefined && field.formula === undefined;
}

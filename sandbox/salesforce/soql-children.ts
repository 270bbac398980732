// Sub-queries of a query: the children of each record by a relationship's name.

import type { Data } from "../exchange.ts";
import { refuse } from "./errors.ts";
import type { Field } from "./fields.ts";
import type { ObjectStore, Org, StoredRecord } from "./org.ts";
import type { Query } from "./soql-parse.ts";
import { resolvePaths, showFields, type Context } from "./soql-paths.ts";
import { buildSelection } from "./soql-plan.ts";
import { sortRecords } from "./soql-order.ts";

export type Children = {
  /** Name of the relationship, which answers use, too. */
  name: string;
  /** Returns the keys of a record's children. */
  keys(parentId: string): Float64Array;
  record(key: number): StoredRecord | undefined;
  show(record: StoredRecord, version: string): Data;
};

type ChildRelationship = { name: string; store: ObjectStore; field: Field };

export function listChildRelationships(org: Org, parent: ObjectStore): ChildRelationship[] {
  return [...org.stores.values()].flatMap((store) =>
    [...store.definition.fields.values()]
      .filter((field) => field.access !== "none" && field.referenceTo.includes(parent.definition.name))
      .flatMap((field) => {
        const name = buildRelationshipName(store, field);
        return name === undefined ? [] : [{ name, store, field }];
      }),
  );
}

const NAMES: Record<string, string | undefined> = {
  "Account.ParentId": "ChildAccounts",
  "Contact.ReportsToId": "DirectReports",
};
const UNNAMED = /^(OwnerId|CreatedById|LastModifiedById|MasterRecordId|AssigneeId)$/;

function buildRelationshipName({ definition }: ObjectStore, field: Field): string | undefined {
  if (UNNAMED.test(field.name)) return undefined;
  if (definition.custom) return definition.name.replace(/__c$/, "s__r");
  return NAMES[`${definition.name}.${field.name}`] ?? definition.childrenName;
}

/** Reads the children once: later pages of the parents show the same ones. */
export function readChildren(context: Context, query: Query, includeDeleted: boolean): Children {
  const relationship = listChildRelationships(context.org, context.store).find(
    ({ name }) => name.toLowerCase() === query.from.toLowerCase(),
  );
  if (relationship === undefined) {
    const what = `Didn't understand relationship '${query.from}' in FROM part of query call. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names.`;
    throw refuse(400, "INVALID_TYPE", what);
  }
  const { name, store, field } = relationship;
  const own = { ...context, store };
  const paths = resolvePaths(own, query);
  const selection = buildSelection(own, query.where, includeDeleted);
  let byParent: Map<string, StoredRecord[]> | undefined;
  const readAll = (): Map<string, StoredRecord[]> => {
    const all = new Map<string, StoredRecord[]>();
    for (const record of store.table.select(selection)) {
      const parent = String(record.values[field.name] ?? "");
      const siblings = all.get(parent);
      if (siblings === undefined) all.set(parent, [record]);
      else siblings.push(record);
    }
    return all;
  };
  return {
    name,
    keys: (parentId) => {
      byParent ??= readAll();
      const sorted = sortRecords(own, query.order, byParent.get(parentId) ?? []);
      return Float64Array.from(sorted.slice(0, query.limit), (record) => record.key);
    },
    record: (key) => store.table.get(key),
    show: (record, version) => showFields(own, paths, record, version),
  };
}

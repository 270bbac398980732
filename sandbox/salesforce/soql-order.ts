// Sorts records by the ORDER BY of a query.

import type { StoredRecord } from "./org.ts";
import type { Order } from "./soql-parse.ts";
import { resolvePath, getValueAt, type Context } from "./soql-paths.ts";
import { normalizeValue } from "./soql-where.ts";

export function sortRecords(context: Context, order: Order[], records: StoredRecord[]): StoredRecord[] {
  const rules = order.map((one) => ({ ...one, resolved: resolvePath(context, one.path) }));
  // Without an order, Salesforce guarantees none (SOQL and SOSL Reference, ORDER BY): neither that of ids nor that of a list of
  // ids.
  if (rules.length === 0) return records.toReversed();
  return records.toSorted((a, b) => {
    for (const { resolved, descending, nullsLast } of rules) {
      const left = normalizeValue(resolved.field, getValueAt(context, a, resolved));
      const right = normalizeValue(resolved.field, getValueAt(context, b, resolved));
      if (left === right) continue;
      if (left === null || right === null) return (left === null) === nullsLast ? 1 : -1;
      return left < right === descending ? 1 : -1;
    }
    return 0;
  });
}

/** Chooses the column that holds when a Salesforce record last changed. */
import type { ObjectMetadata } from "../../connector-kit/fields.ts";
import { findField } from "./soql-field.ts";

/**
 * `SystemModstamp` also moves when Salesforce itself changes a record, has an index, and cannot be imported with an old
 * date. Some objects lack it, and some cannot compare it.
 */
const COLUMNS = ["SystemModstamp", "LastModifiedDate", "CreatedDate", "LoginTime"];

/** Returns undefined if the object has no such column: then all its records are read each time. */
export function changeColumn(objectName: string, metadata: ObjectMetadata | undefined): string | undefined {
  if (!metadata) return guessColumn(objectName);
  return COLUMNS.find(
    (column) => findField(column, metadata) !== undefined && !metadata.unfilterable?.includes(column),
  );
}

/** Common objects that are known to have the first column, as all custom objects have. */
const ORDINARY = new Set(
  (
    "account asset campaign campaignmember case contact contract event lead opportunity opportunitycontactrole " +
    "opportunitylineitem order orderitem pricebook2 pricebookentry product2 quote quotelineitem task user"
  ).split(" "),
);

/** Whether the column is known without a description of the object. */
export const isOrdinary = (objectName: string): boolean =>
  objectName.endsWith("__c") || ORDINARY.has(objectName.toLowerCase());

/** Without a description: objects of these names differ from the others. */
function guessColumn(objectName: string): string {
  if (/^LoginHistory$/i.test(objectName)) return "LoginTime";
  if (/(History|Feed)$/i.test(objectName)) return "CreatedDate";
  return /Share$/i.test(objectName) ? "LastModifiedDate" : "SystemModstamp";
}

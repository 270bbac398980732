/** Reads and writes as the server orders them from a connector, for tests. */
import type { RecordWrite } from "../connector.ts";
import type { ReadPlan } from "../read-connector.ts";

/** Returns a plan to read an object without fields and conditions, changed by `more`. */
export const planRead = (objectName: string, more: Partial<ReadPlan> = {}): ReadPlan => ({
  objectName,
  fields: [],
  filters: [],
  associations: [],
  ...more,
});

/** Returns the order to write one record. */
export const orderWrite = (
  objectName: string,
  type: RecordWrite["type"],
  record: RecordWrite["records"][0],
): RecordWrite => ({
  objectName,
  type,
  batch: false,
  allOrNone: false,
  headers: {},
  records: [record],
});

/** What the conformance suite of reading connectors needs of an account. */
import type { JsonObject } from "../../ground/json.ts";
import type { FieldsConnector } from "../fields.ts";
import type { ProviderFetch } from "../calls/provider-fetch.ts";
import type { ReadConnector } from "../read-connector.ts";

type Plain = string | number | boolean | null;

/** An account at a simulated provider, with one object that the tests use. It begins without records of it. */
export interface ReadingAccount {
  read: ReadConnector;
  fields: FieldsConnector;
  fetch: ProviderFetch;
  objectName: string;
  /** Provider names of fields of the object: texts that filters can compare, and one that does not exist. */
  names: { text: string; other: string; unknown: string };
  /** An object that records can be associated with. */
  association: string;
  now(): Date;
  advance(ms: number): void;
  /** Adds records that all have these values and this change time. */
  generate(count: number, changedAt: Date, values?: Record<string, Plain>): void;
  /** Creates or changes a record, now unless another change time is given; returns its id. */
  put(record: { id?: string; values?: Record<string, Plain>; changedAt?: Date }): string;
  delete(id: string): void;
  /** Deletes a record and, where the provider shows that, forgets it for good. */
  purge(id: string): void;
  restore(id: string): void;
  /** Ends all cursors that were given out. */
  expireCursors(): void;
  /** Creates records of `association` that are associated with a record; returns their ids. */
  associate(id: string, count: number): Promise<string[]>;
  /** Every record that is not deleted, by id, with the value of `names.text`. */
  records(): Map<string, Plain | undefined>;
  /** A page as the provider answers it, with these records. Used to build pages that lie. */
  page(records: JsonObject[], isLast: boolean): JsonObject;
}

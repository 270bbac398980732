/** What a connector is: pure knowledge of one provider's API, handed a `fetch` that is already authorized. */
import type { Json, JsonObject } from "../server/ground/json.ts";
import type { FieldsConnector } from "./fields.ts";
import type { ProviderError } from "./provider-error.ts";
import type { Account, ProviderFetch, ProviderRequest, ProviderResponse } from "./provider-fetch.ts";

export interface Association {
  to: { id: string };
  types: { associationCategory: string; associationTypeId: number }[];
}

export interface RecordToWrite {
  /** The provider's record id; present for update and delete. */
  id?: string;
  /** Provider field name to value, without the id. */
  fields: JsonObject;
  associations?: Association[];
}

export interface RecordWrite {
  objectName: string;
  type: "create" | "update" | "delete";
  /** Whether the provider's batch form is used, also for a batch of one. */
  batch: boolean;
  records: RecordToWrite[];
  /** Batch only: nothing is written unless everything is. */
  allOrNone: boolean;
  /** Extra request headers of the caller, only where `abilities.headers`. */
  headers: Record<string, string>;
  /**
   * Whether the caller wants the record as it now is. `false` spares the read where a provider's write answers
   * without data; a single record only, a batch is never read back.
   */
  readBack?: boolean;
  account?: Account;
}

export type RecordOutcome =
  | { success: true; recordId?: string; /** The record as it now is at the provider. */ data?: JsonObject }
  | { success: false; error: ProviderError };

export interface WriteResult {
  /** One per record of the request, in its order. */
  outcomes: RecordOutcome[];
  /** Things that went less than well although the record was written, for example a read-back that failed. */
  warnings: string[];
  /** The body of a refusal as the provider sent it. */
  rawResponse?: string;
}

export interface WriteAbilities {
  delete: boolean;
  associations: boolean;
  headers: boolean;
  /** Current values can be read in a batch, so `ifEmpty` can be decided. */
  ifEmpty: boolean;
  /** Largest batch, absent when the provider has no batch form here. */
  batchLimit?: number;
}

export interface WriteConnector {
  readonly abilities: WriteAbilities;
  /** The provider's module that this writes to; absent when the provider has none. */
  readonly module?: string;
  /** The requests that `write` sends, in order, when nothing goes wrong. Pure: it is what a dry run shows. */
  prepare(write: RecordWrite): ProviderRequest[];
  /**
   * Writes and reports one outcome per record in order. What the provider says about a record is an outcome.
   *
   * Throws `ProviderError` only when a request as a whole got no usable answer (no connection, 401, 429, 5xx,
   * unreadable) and nothing was written before it. Where several requests are needed and one fails after another
   * succeeded, the records not reached carry that error as their outcome: repeat those records, never the whole.
   */
  write(write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult>;
  /** Current values of `fields` by record id, for `ifEmpty`; a record that does not exist is absent from the map. */
  readFields(
    request: { objectName: string; ids: string[]; fields: string[]; account?: Account },
    fetch: ProviderFetch,
  ): Promise<Map<string, JsonObject>>;
  /** The same text for every spelling of one record's id, so that writes to one record keep their order. Pure. */
  recordKey(id: string): string;
  /** Whether a current value counts as empty at this provider. */
  isEmpty(value: Json | undefined): boolean;
}

/** A provider's folder, assembled: what is absent is what Busbar cannot do there. */
export interface Connector {
  write?: WriteConnector;
  /** Tells what fields objects have, and makes new ones. */
  fields?: FieldsConnector;
  /**
   * What an answer means when it is not a success: used by every caller that has no better knowledge, the proxy's
   * throttle mode included. Undefined for a success.
   */
  classify?(response: ProviderResponse, account?: Account): ProviderError | undefined;
}

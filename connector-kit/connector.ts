/** The interface of a connector: pure knowledge of one provider's API, with a `fetch` that is already authorized. */
import type { Json, JsonObject } from "../ground/json.ts";
import type { FieldsConnector } from "./fields.ts";
import type { JournalConnector } from "./journal-connector.ts";
import type { KnownObjects } from "./known-objects.ts";
import type { ProviderError } from "./calls/provider-error.ts";
import type { ReadConnector } from "./read-connector.ts";
import type { StreamConnector } from "./stream-connector.ts";
import type { SubscribeConnector } from "./subscribe-connector.ts";
import type { Account, ProviderFetch, ProviderRequest, ProviderResponse } from "./calls/provider-fetch.ts";

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
  /**
   * A create only: returns the same in every repetition of it. A function, because few providers honour keys. Absent in a dry
   * run, which sends nothing.
   */
  idempotencyKey?: () => string;
}

export interface RecordWrite {
  objectName: string;
  type: "create" | "update" | "delete" | "upsert";
  /** Upsert only: the provider field whose value, in the fields of each record, names the record. */
  key?: string;
  /** Whether the provider's batch form is used, also for a batch of one. */
  batch: boolean;
  records: RecordToWrite[];
  /** Batch only: nothing is written unless everything is. */
  allOrNone: boolean;
  /** Extra request headers of the caller; needs `abilities.headers`. */
  headers: Record<string, string>;
  /**
   * Whether the caller wants the record as stored. `false` saves the read where a provider's write answers without
   * data. A batch is never read back.
   */
  readBack?: boolean;
  account?: Account;
  /** The operation that writes, for providers that name the writer of a change in their reports of it. Absent in a dry run. */
  operationId?: string;
}

export type RecordOutcome =
  | {
      success: true;
      recordId?: string;
      /** The record as it now is at the provider. */
      data?: JsonObject;
      /** Upsert only, where the provider tells: whether the record is new. */
      created?: boolean;
      /** The time of the record's change by this write, exactly as reading and events have it; absent: the answer does not tell it. */
      changeTime?: Date;
    }
  | { success: false; error: ProviderError };

export interface WriteResult {
  /** One per record of the request, in its order. */
  outcomes: RecordOutcome[];
  /** Problems that did not prevent the write, for example a failed read-back. */
  warnings: string[];
  /** The body of a refusal as the provider sent it. */
  rawResponse?: string;
}

export interface WriteAbilities {
  delete: boolean;
  associations: boolean;
  headers: boolean;
  /** Current values can be read in a batch, which `ifEmpty` needs. */
  ifEmpty: boolean;
  /**
   * Whether the provider itself creates or updates by a key, so that two writers make one record: false, true where any
   * unique field may be the key, or the keys by object.
   */
  upsert: boolean | Record<string, string[]>;
  /** Largest batch; absent if the provider has no batch form. */
  batchLimit?: number;
}

export interface WriteConnector {
  readonly abilities: WriteAbilities;
  /** The provider's module that this writes to; absent if the provider has none. */
  readonly module?: string;
  /**
   * Returns how long these creates may be repeated after a lost answer, because the provider carries out only one create for each
   * `idempotencyKey`. Undefined if it does not, or documents no time.
   */
  repeatableMs?(write: Pick<RecordWrite, "objectName" | "type" | "batch">): number | undefined;
  /** Returns the requests that `write` sends if nothing goes wrong, in order. Pure: a dry run shows them. */
  prepare(write: RecordWrite): ProviderRequest[];
  /**
   * Writes and reports one outcome per record in order. What the provider says about a record is an outcome.
   *
   * Throws `ProviderError` only when a request as a whole got no usable answer (no connection, 401, 429, 5xx,
   * unreadable) and nothing was written before it. Where several requests are needed and one fails after another
   * succeeded, the records not reached carry that error as their outcome: repeat those records, never the whole.
   */
  write(write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult>;
  /** Returns current values of `fields` by record id, for `ifEmpty`; a record that does not exist is absent. */
  readFields(
    request: { objectName: string; ids: string[]; fields: string[]; account?: Account },
    fetch: ProviderFetch,
  ): Promise<Map<string, JsonObject>>;
  /** Returns the same text for every spelling of a record's id, so that writes to one record keep their order. Pure. */
  recordKey(id: string): string;
  /** Returns whether a current value counts as empty at this provider. */
  isEmpty(value: Json | undefined): boolean;
}

/** The parts of a provider's folder; Busbar cannot do what an absent part would do. */
export interface Connector {
  /** Absent: only the account knows its objects. */
  objects?: KnownObjects;
  write?: WriteConnector;
  read?: ReadConnector;
  subscribe?: SubscribeConnector;
  /** How `subscribe` gets events without a public address, by a stream for each connection. */
  stream?: StreamConnector;
  /** How `subscribe` gets events without a public address, by a journal of the app. */
  journal?: JournalConnector;
  /** Describes objects' fields; a `CustomFieldsConnector` creates custom ones as well. */
  fields?: FieldsConnector;
  /**
   * Classifies an answer that is no success, for every caller without better knowledge, including the proxy's
   * throttling. Returns undefined for a success.
   */
  classify?(response: ProviderResponse, account?: Account): ProviderError | undefined;
}

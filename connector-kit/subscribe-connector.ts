/** How a provider reports changes of records: pushed requests, their events, and what the builder registers. */
import type { JsonObject } from "../ground/json.ts";
import type { ProviderFetch } from "./calls/provider-fetch.ts";
import type { SourceRecord } from "./read-connector.ts";

export type SubscribeEventType = "create" | "update" | "delete" | "associationUpdate" | "other";

/** A change of one record, as the provider reported it. */
export interface ProviderEvent {
  /** The customer's account as the provider's events name it. */
  accountRef: string;
  /** The object as `SubscribeConnector.objectKey` names it. */
  objectKey: string;
  type: SubscribeEventType;
  /** The provider's own word. */
  providerEventType: string;
  /** The record to read: of a merge the one that is left. */
  recordId: string;
  /** Undefined: the provider does not tell. */
  occurredTime?: Date;
  /** The provider's names; undefined: not known. */
  changedFields?: string[];
  /** Compound fields of which a part changed: who watches the compound wants the event. */
  changedCompounds?: string[];
  /** The same when the provider sends the event again, and for no other event of the account. */
  dedupeKey: string;
  /** JSON text, as the provider sent it. */
  raw: string;
  /** The operation that wrote it, as `RecordWrite.operationId` named it; perhaps one of another Busbar. */
  operationId?: string;
  /**
   * Beside `operationId`: all fields that the change set, those included that the account's automation set within it; of a creation
   * without those that the provider itself gives every new record.
   */
  setFields?: string[];
  /** The provider tells that somebody else made it: a person, another app, or the account's automation on its own. */
  isByAnother?: true;
  /** The values that it set, if the provider names the app of the connection as the writer. */
  ownValues?: JsonObject;
  /** `associationUpdate` only: the record at the other end. */
  to?: { id: string; objectKey: string; /** The provider's name of the object. */ objectName: string };
  /** Whether the provider asks to erase what is kept of the record. */
  erases?: true;
  /** Absent: the provider reports its changes in one way only. */
  report?: ChangeReport;
}

/** How a change was reported, and what recognises it when it is reported in another way, too. */
export interface ChangeReport {
  way: string;
  /** What happened to the record, in the same words however it was reported. */
  changes: string[];
  /** Further changes in this event, which another way may report by separate events. */
  includes?: string[];
}

/** A request that may come from the provider. */
export interface PushedRequest {
  method: string;
  /** Public address with path and query, as the provider was given it. */
  uri: string;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface PushedEvents {
  events: ProviderEvent[];
  /** Items without a known account, type or record. */
  dropped: number;
}

export interface PushConnector {
  /**
   * Returns why the request cannot be the provider's, before any secret is looked up: no signature, or an old one.
   * Undefined if its signature must be compared. Pure.
   */
  findFault(request: Pick<PushedRequest, "headers">, nowMs: number): string | undefined;
  /** Returns whether one of the secrets signed the request. Compares in constant time. Pure. */
  isSigned(request: PushedRequest, secrets: readonly string[]): boolean;
  /** Returns how many items a body lists, or undefined for a body that is no list of events: the check before the answer. Pure. */
  countItems(body: string): number | undefined;
  /** Reads the events of a body. Returns undefined for a body that is no list of events. Pure. */
  readEvents(body: string): PushedEvents | undefined;
}

/** The builder's registration at the provider that one object requires. */
export interface SubscribedObject {
  objectName: string;
  create: boolean;
  delete: boolean;
  associationChange: boolean;
  other: string[];
  /** Fields whose changes are wanted; empty: no updates. */
  watchFields: string[];
}

export interface SubscribeConnector {
  /** The provider's module whose records change; absent if the provider has none. */
  readonly module?: string;
  /** Whether watched fields must be spelled as in events; otherwise names are compared as by `ReadConnector.fieldKey`. */
  readonly comparesNamesExactly?: true;
  /** Whether the provider reports changes of associations. */
  readonly reportsAssociations: boolean;
  /** Absent: the provider pushes nothing. */
  readonly push?: PushConnector;
  /** Returns the object as events name it, for every spelling of a name; undefined if only the provider knows. Pure. */
  objectKey(objectName: string): string | undefined;
  /** Requests the key from the provider. Throws `ProviderError`; `invalid` or `not_found` for an object that it lacks. */
  findObjectKey(objectName: string, fetch: ProviderFetch): Promise<string>;
  /** Requests the account's id as events name it. Throws `ProviderError`. */
  findAccountRef(fetch: ProviderFetch): Promise<string>;
  /** Returns an event from its text; undefined if it is none. Pure. */
  readEvent(raw: string): ProviderEvent | undefined;
  /** Returns whether one of `otherEvents` means this event. Pure. */
  isListed(
    otherEvents: readonly string[],
    event: Pick<ProviderEvent, "providerEventType" | "objectKey">,
  ): boolean;
  /** The field that `readCreateTime` needs; absent: records have it without being asked. */
  readonly createTimeField?: string;
  /** Returns when a record was created, as far as it tells. Pure. */
  readCreateTime(record: SourceRecord): Date | undefined;
  /** Returns the event of a change that was found by reading, as the provider would report it. Absent: a general one. Pure. */
  polledEvent?(change: {
    objectName: string;
    type: "create" | "update" | "delete";
    recordId: string;
    occurredTime: Date;
  }): { providerEventType: string; raw: JsonObject };
  /** Returns an event that never happened, for a test. Pure. */
  sampleEvent(
    objectName: string,
    type: SubscribeEventType,
    recordId: string,
  ): { providerEventType: string; raw: JsonObject };
  /** Returns the content of the file with which the builder registers for pushes. Pure. */
  registration?(objects: SubscribedObject[], targetUrl: string): JsonObject;
}

/** How a provider's records are read: pages of a scan, counts, single records, searches and deletions. */
import type { JsonObject } from "../ground/json.ts";
import type { FieldMetadata, ObjectMetadata } from "./fields.ts";
import type { Account, ProviderFetch, ProviderRequest } from "./calls/provider-fetch.ts";

/** Selects records whose field equals a value. */
export interface FieldFilter {
  /** The provider's name of the field. */
  fieldName: string;
  value: string | number | boolean;
}

/** Which records of an object are read, and what of them. It stays the same for all pages of a scan. */
export interface ReadPlan {
  objectName: string;
  /** Provider names, top level, or `Parent.Field` where the provider has that. The connector adds id and change time. */
  fields: string[];
  /** Lower bound of the last change, inclusive; absent: all records. */
  since?: Date;
  /**
   * Upper bound of the last change, inclusive. A record that changes during the scan leaves the bounds and may be found
   * all the same. A full read that nothing follows leaves `until` out, so that it has those records, too.
   */
  until?: Date;
  /** All must match. */
  filters: FieldFilter[];
  /** Names of objects whose associated ids are wanted; needs `abilities.associations`. */
  associations: string[];
  /** The object as `FieldsConnector.describe` returned it; field types decide how filters are written. */
  metadata?: ObjectMetadata;
  /** Maximum number of records per page; absent: the provider's maximum. */
  pageSize?: number;
  /** How often this page was asked for in vain before, in a row. */
  failures?: number;
  account?: Account;
}

/** Where the next page begins, as JSON: it is stored, and another process may continue with it days later. */
export type Checkpoint = JsonObject;

export interface AssociatedRecord {
  id: string;
  /** The provider's child record, where it gives one. */
  raw?: JsonObject;
  /** What the provider says about the association itself. */
  metadata?: JsonObject;
}

/** A record as the provider gave it. */
export interface SourceRecord {
  id: string;
  /** When it last changed, as far as the provider says. */
  changeTime?: Date;
  /** Untouched. */
  raw: JsonObject;
  /** Fields and top-level members in one name space, under the provider's names. */
  values: JsonObject;
  /** Requested name to associated records; a name without any is absent. */
  associations?: Record<string, AssociatedRecord[]>;
}

/** Use of the account's daily calls, as the provider reports it. */
export interface CallUsage {
  used: number;
  limit: number;
}

export interface ReadPage {
  records: SourceRecord[];
  /** Absent: this was the last page. */
  next?: Checkpoint;
  /** Records of the whole scan, where the answer names it. */
  total?: number;
  /** The provider's clock, from the `Date` header of the first answer of this page. */
  providerTime?: Date;
  usage?: CallUsage;
  /** The provider no longer accepted the checkpoint, and has no key to go on by: this is the first page of the list once more. */
  restarted?: boolean;
  /** Warning for people: what the provider says beside the records. */
  warning?: string;
}

export interface DeletedRecord {
  id: string;
  deletedTime?: Date;
  raw: JsonObject;
}

export interface DeletionPage {
  records: DeletedRecord[];
  next?: Checkpoint;
  /** See `ReadPage`. */
  restarted?: boolean;
  /** Set with the last page: the provider has, or shows, later deletions only in part, so that the next period must begin here. */
  coveredUntil?: Date;
  /** Warning for people: deletions that the provider can no longer report. */
  warning?: string;
}

export interface ReadAbilities {
  /** `ReadPlan.associations` may be used. */
  associations: boolean;
  /** `readDeletions` may be called. */
  deletions: boolean;
  search: boolean;
  /** Maximum number of filters of a search. */
  maxSearchFilters: number;
  /** An incremental read begins this long before the end of the last one, because records can become visible late. */
  overlapMs: number;
  /** The same for deletions, which may become visible later; absent: `overlapMs`. */
  deletionsOverlapMs?: number;
  /** Deletions are looked up at most once in this time; absent: after every incremental read. */
  deletionsEveryMs?: number;
  /** Once an hour an incremental read begins this long before; absent: never. */
  settlingOverlapMs?: number;
}

/** At most `perSecond` requests of one kind for each connection. */
interface RequestPace {
  kind: string;
  perSecond: number;
}

export interface ReadConnector {
  readonly abilities: ReadAbilities;
  /** The provider's module that this reads; absent if the provider has none. */
  readonly module?: string;
  /** Returns false for an object of the provider that this does not read. Absent: it reads any. Pure. */
  isReadable?(objectName: string): boolean;
  /** Returns the first request of a page; without a checkpoint, of the first page. Pure: a dry run shows it. */
  preparePage(plan: ReadPlan, checkpoint?: Checkpoint): ProviderRequest;
  /**
   * Reads one page. Pages of a scan have every record that matches from beginning to end of the scan at least once,
   * whatever else changes meanwhile, and none twice unless it changed. A checkpoint that the provider no longer accepts
   * is replaced by the key of the last record without beginning anew; where a list knows no such key, it begins anew.
   *
   * Throws `ProviderError` when the page could not be read: `invalid` and `not_found` for what the caller asked for
   * wrongly (with the field's name as `code` where the provider refuses one field), `unreadable` for pages that repeat,
   * do not advance or have wrong types.
   */
  readPage(plan: ReadPlan, checkpoint: Checkpoint | undefined, fetch: ProviderFetch): Promise<ReadPage>;
  /** Returns the request of `count`. Pure. */
  prepareCount(plan: ReadPlan): ProviderRequest;
  /** Counts the records that match. An estimate: it may change meanwhile. */
  count(plan: ReadPlan, fetch: ProviderFetch): Promise<number>;
  /** An object whose list needs only credentials, so that they can be verified by it; absent if there is none. */
  readonly cheapestObject?: string | undefined;
  /** Reads at most one record with the plan's fields, to find out whether they can be read. */
  readSample(plan: ReadPlan, fetch: ProviderFetch): Promise<SourceRecord | undefined>;
  /** Reads records by their ids, in any order; a record that does not exist is absent. */
  readByIds(
    plan: Pick<ReadPlan, "objectName" | "fields" | "associations" | "metadata" | "account">,
    ids: string[],
    fetch: ProviderFetch,
  ): Promise<SourceRecord[]>;
  /** Returns one page of the records that match, and whether there are more. Needs `abilities.search`. */
  search(plan: ReadPlan, fetch: ProviderFetch): Promise<{ records: SourceRecord[]; truncated: boolean }>;
  /**
   * Reads one page of the records deleted in a period, in any order; it may be empty although others follow. A deletion
   * can become visible late, so the caller begins `deletionsOverlapMs` before the end of the last period, and gets deletions of
   * that time again. Needs `abilities.deletions`.
   */
  readDeletions(
    plan: Pick<ReadPlan, "objectName" | "failures" | "account"> & { since: Date; until: Date },
    checkpoint: Checkpoint | undefined,
    fetch: ProviderFetch,
  ): Promise<DeletionPage>;
  /** Returns the pace that a request must keep, so that reading leaves capacity for people's calls. Pure. */
  choosePace(request: ProviderRequest): RequestPace | undefined;
  /**
   * Returns whether scans over this object, with these associations, need `ReadPlan.metadata` also where neither filters
   * nor all fields are asked for. Pure.
   */
  needsMetadata(plan: Pick<ReadPlan, "objectName" | "associations">): boolean;
  /** Returns the key under which a field of a record is delivered, the same for every spelling. Pure. */
  fieldKey(name: string): string;
  /**
   * Returns the forms in which the id of a record may be written, first the one that the provider's answers have. Absent: there is only
   * one. Pure.
   */
  listIdForms?(id: string): [string, ...string[]];
  /**
   * Returns whether a field that records of the object can have, and one of them does not, has no value there. It is then delivered as
   * null, so that a receiver hears when a value is removed. Absent: never, because the provider sends null for a field without a value; one
   * that it leaves out does not exist. Pure.
   */
  absentMeansEmpty?(objectName: string): boolean;
  /**
   * Lists the members of a record whose own members may have another name by now, so that one which no record of a read has is not delivered
   * as null. Absent: none. Pure.
   */
  listRenamable?(objectName: string): readonly string[];
  /** Returns false for a field that is read only when it is named, not with all others. Absent: there is none. Pure. */
  isReadWithAll?(field: FieldMetadata): boolean;
  /** Returns whether the field's values are texts, numbers or booleans, so that no path leads into them. Absent: not known. Pure. */
  isPlain?(field: FieldMetadata): boolean;
  /**
   * Returns what to ask for to get the value at a path whose first step is no field of the object: `Parent.Field`, or a
   * member that answers have beside the fields. Undefined, or absent: there is no such value. Pure.
   */
  fieldBeyond?(steps: string[], metadata: ObjectMetadata): string | undefined;
}

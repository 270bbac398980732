/** Writes the entries of subscription messages as JSON text. */
import type { SubscribeEventType } from "../../../connector-kit/subscribe-connector.ts";
import type { ResultEntry } from "../../events/read-message-schema.ts";
import { now } from "../../../ground/clock.ts";
import { writeIsoTime } from "../../../ground/iso-time.ts";

interface SubscribeEntry {
  /** The provider's id of the record. */
  id: string;
  type: SubscribeEventType;
  providerEventType: string;
  /** When it happened: the version's time of change where no record was read. */
  time: Date;
  /** Changed fields of an update; undefined if unknown. */
  fieldsUpdated?: string[] | undefined;
  /** The record as it is now; undefined: it does not exist any more, or was not read. */
  record: Partial<ResultEntry> | undefined;
  /** Our operation that made the change. */
  operationId?: string | undefined;
  /** Our operation that may have made the change. */
  possibleOperationId?: string | undefined;
  /** Changes of associations only. */
  ends?: { from: RecordAtEnd; to: RecordAtEnd } | undefined;
  /** JSON text. */
  rawEvent: string;
}

/** A record at one end of an association. */
export interface RecordAtEnd {
  id: string;
  objectName: string;
  rawObjectName: string;
  /** Present if full records are requested. */
  record?: Partial<ResultEntry> | undefined;
}

/** `rawEvent` is copied byte for byte, because its numbers may have more digits than JavaScript keeps. */
export function subscribeEntryText(entry: SubscribeEntry): string {
  const { id, type, providerEventType, time, fieldsUpdated, record, ends, rawEvent } = entry;
  const { operationId, possibleOperationId } = entry;
  const { changeTime, readTime } =
    record?.readTime === undefined
      ? { changeTime: writeIsoTime(time), readTime: now().toISOString() }
      : record;
  const members = {
    id,
    changeTime,
    readTime,
    subscribeEventType: type,
    providerEventType,
    ...(operationId !== undefined && { causedBy: { operationId } }),
    ...(possibleOperationId !== undefined && { possiblyCausedBy: { operationId: possibleOperationId } }),
    ...(type === "update" && fieldsUpdated && { fieldsUpdated }),
    ...(ends ? listAssociationMembers(ends) : recordMembers(record)),
  };
  return `${JSON.stringify(members).slice(0, -1)},"rawEvent":${rawEvent}}`;
}

/** Receivers that index the fields need them, also of a record that is gone. */
const recordMembers = (record: Partial<ResultEntry> | undefined): object => ({
  fields: record?.fields ?? {},
  mappedFields: record?.mappedFields ?? {},
  ...(record?.raw && { raw: record.raw }),
});

const listAssociationMembers = ({ from, to }: { from: RecordAtEnd; to: RecordAtEnd }): object => ({
  fromRecord: endMembers(from),
  toRecord: endMembers(to),
});

const endMembers = ({ id, objectName, rawObjectName, record }: RecordAtEnd): object => ({
  id,
  objectName,
  rawObjectName,
  ...(record && {
    ...(record.fields && { fields: record.fields }),
    ...(record.mappedFields && { mappedFields: record.mappedFields }),
    ...(record.raw && { raw: record.raw }),
  }),
});

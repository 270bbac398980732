/**
 * Turns a decoded change event into events of single records, in the JSON form that Salesforce's Streaming API has: header
 * and changed fields, times as ISO 8601, numbers with all digits.
 */
import { isAvroRecord, type AvroRecord, type AvroValue } from "../../connector-kit/avro/decode-avro.ts";
import type { AvroField } from "../../connector-kit/avro/avro-schema.ts";
import { parseExactly } from "../../connector-kit/calls/exact-json.ts";
import type { StreamGap } from "../../connector-kit/stream-connector.ts";
import type { ProviderEvent, SubscribeEventType } from "../../connector-kit/subscribe-connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { isStorable } from "../../ground/storable-text.ts";
import { isOfAnother, findOperationId } from "./change-origin.ts";
import { decodeChangedFields } from "./changed-bits.ts";
import { findIdFault } from "./id.ts";

export interface ChangeEvents {
  events: ProviderEvent[];
  gaps: StreamGap[];
}

const HEADER = "ChangeEventHeader";
const OVERFLOW = "GAP_OVERFLOW";
/** Not a word of Salesforce. */
const TOO_LARGE = "too large";
/** A transaction that takes long commits with the time at which it began. */
const OVERFLOW_MARGIN_MS = 5 * 60_000;

/**
 * Characters that the events of one answer may have. An event of many records becomes one each with all its values, so that a
 * mass update of a long text would take gigabytes.
 */
export const MAX_TEXT = 32 * 1024 * 1024;

/** Throws `RangeError` for what is no change event. An event that needs more than `capacity` characters is a gap. */
export function readChangeEvent(value: AvroValue, capacity = MAX_TEXT): ChangeEvents {
  const event = isAvroRecord(value) ? value : undefined;
  const header = event && readMember(event, HEADER);
  if (!event || !isAvroRecord(header)) throw new RangeError("the event has no change event header");
  const entityName = readText(header, "entityName");
  const ids = listTexts(header, "recordIds");
  const changeType = readText(header, "changeType");
  const isWhole = changeType !== OVERFLOW && ids.every((id) => !findIdFault(id)) && ids.length > 0;
  if (!isWhole) return { events: [], gaps: [readGap(header, entityName, changeType)] };
  const changed = decodeChangedFields(event.type, listTexts(header, "changedFields"));
  const nulled = decodeChangedFields(event.type, listTexts(header, "nulledFields"));
  const diffs = decodeChangedFields(event.type, listTexts(header, "diffFields"));
  const body = writeBody(event, changeType, [...changed, ...nulled, ...diffs]);
  if (ids.length * body.length > capacity)
    return { events: [], gaps: [readGap(header, entityName, TOO_LARGE)] };
  const readRaw = (recordId: string): string =>
    `{"${HEADER}":${writeHeader(header, { recordId, changed, nulled, diffs })}${body}}`;
  return { events: splitChanges(ids, readRaw), gaps: [] };
}

/** Reads the first one; the others differ in the record only, and reading a long text for each would take minutes. */
function splitChanges(
  [first = "", ...others]: string[],
  readRaw: (recordId: string) => string,
): ProviderEvent[] {
  const read = readKeyed(readRaw(first));
  if (!read) return [];
  const { event, getKey } = read;
  return [
    event,
    ...others.map((recordId) => ({
      ...event,
      recordId,
      dedupeKey: getKey(recordId),
      raw: readRaw(recordId),
    })),
  ];
}

function readGap(header: AvroRecord, entityName: string, changeType: string): StreamGap {
  const time = Number(readMember(header, "commitTimestamp") ?? Number.NaN);
  const since = new Date(time - OVERFLOW_MARGIN_MS);
  return {
    objectKey: entityName.toLowerCase(),
    ...(!Number.isNaN(since.getTime()) && { since }),
    reason: GAP_REASONS[changeType] ?? "Salesforce reported a change without the ids of the records",
  };
}

const GAP_REASONS: Record<string, string | undefined> = {
  [OVERFLOW]: `Salesforce does not report single changes of a transaction with more than 100,000 changes (${OVERFLOW})`,
  [TOO_LARGE]: "a change of many records has too much text to be kept for each of them",
};

const TYPES: Record<string, SubscribeEventType> = {
  CREATE: "create",
  UPDATE: "update",
  DELETE: "delete",
  GAP_CREATE: "create",
  GAP_UPDATE: "update",
  GAP_DELETE: "delete",
};

/** Reads an event of one record from its JSON form; undefined if it is none. */
export const readEvent = (raw: string): ProviderEvent | undefined => readKeyed(raw)?.event;

interface KeyedEvent {
  event: ProviderEvent;
  /** The same for the repeated event, and for the gap event of the same change. */
  getKey(recordId: string): string;
}

function readKeyed(raw: string): KeyedEvent | undefined {
  const parsed = parseExactly(raw);
  const header = isJsonObject(parsed) ? parsed[HEADER] : undefined;
  if (!isJsonObject(header)) return undefined;
  const { entityName, changeType, recordId, changedFields, transactionKey, sequenceNumber, changeOrigin } =
    header;
  const operationId = typeof changeOrigin === "string" ? findOperationId(changeOrigin) : undefined;
  if (typeof entityName !== "string" || typeof changeType !== "string" || typeof recordId !== "string") {
    return undefined;
  }
  if (entityName === "" || changeType === "" || findIdFault(recordId) || !isStorable(raw)) return undefined;
  const type = Object.hasOwn(TYPES, changeType) ? (TYPES[changeType] ?? "other") : "other";
  const names = Array.isArray(changedFields) ? changedFields.map(String) : [];
  const time = new Date(Number(header.commitTimestamp));
  const setFields = isJsonObject(parsed) ? listFieldsSet(changeType, names, parsed) : undefined;
  const getKey = (id: string): string =>
    JSON.stringify([entityName, transactionKey ?? null, sequenceNumber ?? null, id]);
  const event: ProviderEvent = {
    accountRef: "",
    objectKey: entityName.toLowerCase(),
    type,
    providerEventType: changeType,
    recordId,
    // PostgreSQL cannot store every time.
    ...(time.getTime() >= 0 && { occurredTime: time }),
    ...(changeType === "UPDATE" && {
      changedFields: [...new Set(names.map(flattenName))],
      changedCompounds: [...new Set(names.flatMap(listCompounds))],
    }),
    dedupeKey: getKey(recordId),
    raw,
    ...(operationId === undefined
      ? isOfAnother(changeOrigin) && { isByAnother: true as const }
      : { operationId, ...(setFields && { setFields }) }),
  };
  return { event, getKey };
}

/** What Salesforce itself sets in every update. */
const SET_BY_SALESFORCE = new Set(["LastModifiedDate", "LastModifiedById", "SystemModstamp"]);

/**
 * Returns the fields that an update names. The event of a creation has every value, most of them given by Salesforce: it returns
 * what only the account can have added, which are values of its own fields, and an owner who is not the writer.
 */
function listFieldsSet(changeType: string, changed: string[], event: JsonObject): string[] | undefined {
  if (changeType === "UPDATE") return changed.filter((name) => !SET_BY_SALESFORCE.has(name)).map(flattenName);
  // A gap event names none.
  if (changeType !== "CREATE") return undefined;
  const header = event[HEADER];
  const writer = isJsonObject(header) ? header.commitUser : undefined;
  return Object.entries(event).flatMap(([name, value]) => {
    if (name === "OwnerId") return value === writer ? [] : [name];
    // Fields of contacts that a person account shows end in `__pc`.
    if (!/__p?c$/.test(name) || value === false) return [];
    return isJsonObject(value) ? Object.keys(value).map((part) => flattenName(`${name}.${part}`)) : [name];
  });
}

/**
 * `Name.LastName` is `LastName`, `MailingAddress.Street` is `MailingStreet`; parts of an own field are fields of their own: `Spot__c.Latitude`
 * is `Spot__Latitude__s`.
 */
function flattenName(name: string): string {
  const [compound = "", part] = name.split(".");
  if (part === undefined) return compound;
  if (compound.endsWith("__c")) return `${compound.slice(0, -"__c".length)}__${part}__s`;
  return compound.endsWith("Address") ? `${compound.slice(0, -"Address".length)}${part}` : part;
}

const listCompounds = (name: string): string[] => (name.includes(".") ? [name.split(".")[0] ?? name] : []);

function writeHeader(
  header: AvroRecord,
  names: { recordId: string; changed: string[]; nulled: string[]; diffs: string[] },
): string {
  const listed = { changedFields: names.changed, nulledFields: names.nulled, diffFields: names.diffs };
  const members = [
    ["entityName", JSON.stringify(readText(header, "entityName"))],
    ["changeType", JSON.stringify(readText(header, "changeType"))],
    ["recordId", JSON.stringify(names.recordId)],
    ...Object.entries(listed).flatMap(([name, list]) =>
      list.length > 0 ? [[name, JSON.stringify(list)]] : [],
    ),
    ...[
      "changeOrigin",
      "transactionKey",
      "sequenceNumber",
      "commitTimestamp",
      "commitNumber",
      "commitUser",
    ].map((name) => [name, writePlain(readMember(header, name) ?? null)]),
  ];
  return `{${members.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
}

/** Returns the fields as JSON members: the changed ones of an update, those with a value of a creation, otherwise none. */
function writeBody(event: AvroRecord, changeType: string, changed: string[]): string {
  if (changeType !== "UPDATE" && changeType !== "CREATE" && changeType !== "UNDELETE") return "";
  const parts = Map.groupBy(changed, (name) => name.split(".")[0] ?? name);
  const members = event.type.fields.flatMap((field, index) => {
    if (field.name === HEADER) return [];
    const value = event.values[index] ?? null;
    if (changeType !== "UPDATE") return value === null ? [] : [writeMember(field, writeValue(field, value))];
    const names = parts.get(field.name);
    return names ? [writeMember(field, writeChanged(field, value, names))] : [];
  });
  return members.map((text) => `,${text}`).join("");
}

const writeMember = ({ name }: AvroField, text: string): string => `${JSON.stringify(name)}:${text}`;

function writeChanged(field: AvroField, value: AvroValue, names: string[]): string {
  if (!isAvroRecord(value) || names.includes(field.name)) return writeValue(field, value);
  const wanted = new Set(names.map((name) => name.slice(field.name.length + 1)));
  return recordText(value, (part) => wanted.has(part.name));
}

function recordText(record: AvroRecord, isShown: (field: AvroField, value: AvroValue) => boolean): string {
  const members = record.type.fields.flatMap((field, index) => {
    const value = record.values[index] ?? null;
    return isShown(field, value) ? [writeMember(field, writeValue(field, value))] : [];
  });
  return `{${members.join(",")}}`;
}

/** Dates and times are the only longs of records; the remark on the field tells which: `Data:DateOnly`, `Data:TimeOnly`, `CreatedDate:DateTime`. */
function writeValue(field: AvroField, value: AvroValue): string {
  if (isAvroRecord(value)) return recordText(value, (_, part) => part !== null);
  if (typeof value !== "bigint") return writePlain(value);
  const [, type = "DateTime"] = field.doc.split(":");
  const time = new Date(Number(value));
  if (Number.isNaN(time.getTime())) return String(value);
  const [date = "", clock] = time.toISOString().split("T");
  if (type === "DateOnly" || type === "Date") return JSON.stringify(date);
  // As the REST API writes it. A time is in milliseconds since midnight.
  if (type === "TimeOnly" || type === "Time") return JSON.stringify(clock);
  return type === "DateTime" ? JSON.stringify(time.toISOString()) : String(value);
}

function writePlain(value: AvroValue): string {
  if (typeof value === "bigint") return String(value);
  if (Buffer.isBuffer(value)) return JSON.stringify(value.toString("base64"));
  if (Array.isArray(value)) return `[${value.map(writePlain).join(",")}]`;
  return isAvroRecord(value) || value instanceof Map ? "null" : JSON.stringify(value);
}

function readMember(record: AvroRecord, name: string): AvroValue | undefined {
  const index = record.type.fields.findIndex((field) => field.name === name);
  return index === -1 ? undefined : record.values[index];
}

const readText = (record: AvroRecord, name: string): string => String(readMember(record, name) ?? "");

function listTexts(record: AvroRecord, name: string): string[] {
  const list = readMember(record, name);
  return Array.isArray(list) ? list.map(String) : [];
}

const WORDS: Record<SubscribeEventType, string> = {
  create: "CREATE",
  update: "UPDATE",
  delete: "DELETE",
  associationUpdate: "UPDATE",
  other: "UNDELETE",
};

/** Returns an event that never happened. */
export function sampleEvent(
  objectName: string,
  type: SubscribeEventType,
  recordId: string,
): { providerEventType: string; raw: JsonObject } {
  const changeType = WORDS[type];
  const header: JsonObject = { entityName: objectName, changeType, recordId };
  return { providerEventType: changeType, raw: { [HEADER]: header } };
}

/** Returns the event of a change that was found by reading. */
export function polledEvent(change: {
  objectName: string;
  type: "create" | "update" | "delete";
  recordId: string;
  occurredTime: Date;
}): { providerEventType: string; raw: JsonObject } {
  const { providerEventType, raw } = sampleEvent(change.objectName, change.type, change.recordId);
  const header = isJsonObject(raw[HEADER]) ? raw[HEADER] : {};
  const commitTimestamp = change.occurredTime.getTime();
  return { providerEventType, raw: { [HEADER]: { ...header, commitTimestamp } } };
}

/**
 * Returns whether one of `otherEvents` is the event's word, whatever its case. A restored record of which Salesforce could not
 * send the values counts as restored, or the receiver would lack it.
 */
export const isListed = (
  otherEvents: readonly string[],
  { providerEventType }: { providerEventType: string },
): boolean => {
  const type = providerEventType.toUpperCase();
  const words = type === "GAP_UNDELETE" ? [type, "UNDELETE"] : [type];
  return otherEvents.some((word) => words.includes(word.toUpperCase()));
};

/** Returns the time of a record that was read. */
export const parseCreateTime = (created: Json | undefined): Date | undefined => {
  const time = typeof created === "string" ? new Date(created.replace(/\+0000$/, "Z")) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time : undefined;
};

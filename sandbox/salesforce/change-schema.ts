// Avro schema of an object's change events, and the encoding of changes by it.

import { createHash } from "node:crypto";
import type { Field, ObjectDefinition, Scalar } from "./fields.ts";
import { parseInstant } from "./instant.ts";

export type ChangeType =
  | "CREATE"
  | "UPDATE"
  | "DELETE"
  | "UNDELETE"
  | "GAP_CREATE"
  | "GAP_UPDATE"
  | "GAP_DELETE"
  | "GAP_UNDELETE"
  | "GAP_OVERFLOW";

type ChangeHeader = {
  entityName: string;
  recordIds: string[];
  changeType: ChangeType;
  changeOrigin: string;
  transactionKey: string;
  sequenceNumber: number;
  commitTimestamp: number;
  commitNumber: bigint;
  commitUser: string;
};

type Values = Record<string, Scalar>;
type Part = {
  name: string;
  column: string;
  type: "string" | "boolean" | "double" | "int" | "long";
  doc: string;
};
type Top = { name: string; parts?: Part[]; own?: Part };

export type ChangeSchema = { id: string; json: string; fields: Top[] };

export const CHANGE_TYPES: ChangeType[] = [
  "CREATE",
  "UPDATE",
  "DELETE",
  "UNDELETE",
  "GAP_CREATE",
  "GAP_UPDATE",
  "GAP_DELETE",
  "GAP_UNDELETE",
  "GAP_OVERFLOW",
];
const LEFT_OUT = new Set(["id", "isdeleted", "systemmodstamp"]);
const ADDRESS_PARTS = ["Street", "City", "State", "PostalCode", "Country"];
const NAME_PARTS = ["Salutation", "FirstName", "LastName"];

export function toEventName(objectName: string): string {
  return `${objectName.replace(/__c$/, "__")}ChangeEvent`;
}

/** Returns the present schema of the object; its id follows from its content. */
export function buildChangeSchema(definition: ObjectDefinition): ChangeSchema {
  const fields = buildTopFields(definition);
  const json = JSON.stringify({
    type: "record",
    name: toEventName(definition.name),
    namespace: "com.sforce.eventbus",
    fields: [{ name: "ChangeEventHeader", type: HEADER }, ...fields.map(buildSchema)],
  });
  return { id: createHash("sha256").update(json).digest("base64url").slice(0, 22), json, fields };
}

const texts = { type: "array", items: "string" };
const HEADER = {
  type: "record",
  name: "ChangeEventHeader",
  fields: [
    { name: "entityName", type: "string" },
    { name: "recordIds", type: texts },
    { name: "changeType", type: { type: "enum", name: "ChangeType", symbols: CHANGE_TYPES } },
    { name: "changeOrigin", type: "string" },
    { name: "transactionKey", type: "string" },
    { name: "sequenceNumber", type: "int" },
    { name: "commitTimestamp", type: "long" },
    { name: "commitNumber", type: "long" },
    { name: "commitUser", type: "string" },
    { name: "nulledFields", type: texts },
    { name: "diffFields", type: texts },
    { name: "changedFields", type: texts },
  ],
};

function buildSchema(top: Top): object {
  if (top.own !== undefined) {
    return { name: top.name, type: ["null", top.own.type], doc: top.own.doc, default: null };
  }
  const parts = (top.parts ?? []).map(({ name, type, doc }) => ({
    name,
    type: ["null", type],
    doc,
    default: null,
  }));
  return {
    name: top.name,
    type: ["null", { type: "record", name: `${top.name}Parts`, fields: parts }],
    default: null,
  };
}

function buildTopFields({ fields }: ObjectDefinition): Top[] {
  const isPerson = fields.has("lastname");
  const nameParts = new Map<string, string[]>();
  for (const field of fields.values()) {
    const prefix = field.name.replace(/Address$/, "");
    if (field.type === "address")
      nameParts.set(
        field.name,
        ADDRESS_PARTS.map((part) => `${prefix}${part}`),
      );
  }
  if (isPerson) nameParts.set("Name", NAME_PARTS);
  const inCompound = new Set([...nameParts.values()].flat().map((name) => name.toLowerCase()));
  return [...fields.values()].flatMap((field): Top[] => {
    const key = field.name.toLowerCase();
    const columns = nameParts.get(field.name);
    if (columns !== undefined) {
      const parts = columns.flatMap((column): Part[] => {
        const part = fields.get(column.toLowerCase());
        const name = field.type === "address" ? column.slice(field.name.length - "Address".length) : column;
        return part === undefined ? [] : [{ ...buildPart(part), name }];
      });
      return [{ name: field.name, parts }];
    }
    if (LEFT_OUT.has(key) || inCompound.has(key) || field.formula !== undefined) return [];
    return [{ name: field.name, own: buildPart(field) }];
  });
}

function buildPart(field: Field): Part {
  const base = { name: field.name, column: field.name };
  switch (field.type) {
    case "boolean":
      return { ...base, type: "boolean", doc: "Data:Boolean" };
    case "int":
      return { ...base, type: "int", doc: "Data:Integer" };
    case "double":
    case "currency":
    case "percent":
      return { ...base, type: "double", doc: "Data:Double" };
    case "date":
      return { ...base, type: "long", doc: "Data:DateOnly" };
    case "datetime":
      return { ...base, type: "long", doc: field.custom ? "Data:DateTime" : `${field.name}:DateTime` };
    default:
      return { ...base, type: "string", doc: "Data:Text" };
  }
}

export type Change = { changeType: ChangeType; before: Values; after: Values };

/** Encodes a change. Unchanged fields of an update are null, as are all fields of a deletion. */
export function encodeChange(schema: ChangeSchema, header: ChangeHeader, change: Change): Buffer {
  const isUpdate = change.changeType === "UPDATE";
  const isWhole = change.changeType === "CREATE" || change.changeType === "UNDELETE";
  // Every update sets the time of the last change, which is in whole seconds and may be the same as before.
  const isChanged = ({ column }: Part): boolean =>
    column === "LastModifiedDate" || (change.before[column] ?? null) !== (change.after[column] ?? null);
  const isNulled = (part: Part): boolean => isChanged(part) && (change.after[part.column] ?? null) === null;
  const shown = (part: Part): Scalar =>
    isWhole || (isUpdate && isChanged(part)) ? (change.after[part.column] ?? null) : null;
  const values = schema.fields.map((top): Buffer => {
    if (top.own !== undefined) return encodeNullable(top.own, shown(top.own));
    const parts = top.parts ?? [];
    const isThere = parts.some((part) => shown(part) !== null || (isUpdate && isChanged(part)));
    if (!isThere) return encodeLong(0n);
    return Buffer.concat([encodeLong(1n), ...parts.map((part) => encodeNullable(part, shown(part)))]);
  });
  return Buffer.concat([
    encodeText(header.entityName),
    encodeList(header.recordIds),
    encodeLong(BigInt(CHANGE_TYPES.indexOf(header.changeType))),
    encodeText(header.changeOrigin),
    encodeText(header.transactionKey),
    encodeLong(BigInt(header.sequenceNumber)),
    encodeLong(BigInt(header.commitTimestamp)),
    encodeLong(header.commitNumber),
    encodeText(header.commitUser),
    encodeList(isUpdate ? buildBitmaps(schema, isNulled) : []),
    encodeList([]),
    encodeList(isUpdate ? buildBitmaps(schema, isChanged) : []),
    ...values,
  ]);
}

/** Lists the columns that differ, to find equal changes of several records. */
export function listChangedColumns(schema: ChangeSchema, { before, after }: Change): [string, Scalar][] {
  return schema.fields
    .flatMap(({ own, parts }) => (own === undefined ? (parts ?? []) : [own]))
    .filter(({ column }) => (before[column] ?? null) !== (after[column] ?? null))
    .map(({ column }) => [column, after[column] ?? null]);
}

/** Builds the bitmaps. The one over the top level comes first; its bit 0 is the header. */
function buildBitmaps(schema: ChangeSchema, isSet: (part: Part) => boolean): string[] {
  let top = 0n;
  const nested: string[] = [];
  for (const [index, { own, parts = [] }] of schema.fields.entries()) {
    if (own !== undefined) {
      if (isSet(own)) top |= 1n << BigInt(index + 1);
      continue;
    }
    const bits = parts.reduce((sum, part, place) => (isSet(part) ? sum | (1n << BigInt(place)) : sum), 0n);
    if (bits !== 0n) nested.push(`${index + 1}-0x${toHex(bits)}`);
  }
  return [...(top === 0n ? [] : [`0x${toHex(top)}`]), ...nested];
}

function toHex(bits: bigint): string {
  const digits = bits.toString(16).toUpperCase();
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

function encodeNullable({ type }: Part, value: Scalar): Buffer {
  if (value === null) return encodeLong(0n);
  const encodeValue = (): Buffer => {
    switch (type) {
      case "boolean":
        return Buffer.from([value === true ? 1 : 0]);
      case "double": {
        const bytes = Buffer.alloc(8);
        bytes.writeDoubleLE(Number(value));
        return bytes;
      }
      case "int":
        return encodeLong(BigInt(Math.trunc(Number(value))));
      case "long":
        return encodeLong(BigInt(parseInstant(String(value)) || 0));
      case "string":
        return encodeText(String(value));
    }
  };
  return Buffer.concat([encodeLong(1n), encodeValue()]);
}

function encodeList(items: string[]): Buffer {
  if (items.length === 0) return encodeLong(0n);
  return Buffer.concat([encodeLong(BigInt(items.length)), ...items.map(encodeText), encodeLong(0n)]);
}

function encodeText(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([encodeLong(BigInt(bytes.length)), bytes]);
}

/** Encodes a zigzag number. */
function encodeLong(value: bigint): Buffer {
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  const bytes: number[] = [];
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** Common parts of query languages: what a query requests, and how values are compared. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { Facts, ListFact } from "../../../connector-kit/facts/facts.ts";
import type { ListOrder } from "../vendor-order.ts";
import { showRecord, type VendorRecord } from "../vendor-records.ts";
import { readTime, type VendorTimeFormat } from "../vendor-times.ts";

type ObjectFacts = Facts["objects"][string];

/** Vendor's data about the requested object. */
export interface Asked {
  fact: ListFact;
  object: ObjectFacts;
  /** Member of records that has the fields. */
  fieldsAt: string;
  records: VendorRecord[];
  /** Stores the rest of a list within a record, and returns the address of its page. */
  keepPage(rest: Json): string;
}

export interface VendorQuery {
  matches(record: VendorRecord): boolean;
  order: ListOrder;
  /** Maximum number of records over all pages. */
  most?: number;
  /** Earliest requested time of change. */
  boundMs?: number;
  /** Shows a record as the query selects it; absent if it is shown as in the list. */
  show?(record: VendorRecord): JsonObject;
  /** Whether only the number of records is requested. */
  isCount?: boolean;
}

export const showAsked = ({ object, fact, fieldsAt }: Asked, record: VendorRecord): JsonObject =>
  showRecord(object, record, { list: fact, fieldsAt });

/** Returns the known fields of an object: those of its example, of its records, and its times. */
export function listKnownFields(asked: Asked): Set<string> {
  const { object, fieldsAt, records } = asked;
  const example = fieldsAt === "" ? object.example : (object.example as JsonObject | undefined)?.[fieldsAt];
  return new Set([
    ...Object.keys(isJsonObject(example as Json | undefined) ? (example as JsonObject) : {}),
    ...records.flatMap(({ fields }) => Object.keys(fields)),
    ...(object.fields?.names ?? []),
    ...[object.changed, object.created].flatMap((time) => time?.path.split(".").at(-1) ?? []),
    ...[object.id.path, asked.fact.language?.id].flatMap((name) => name ?? []),
  ]);
}

/** Returns which time a field is; undefined for other fields. */
export function findTimeField({ object, fieldsAt }: Asked, name: string): "changed" | "created" | undefined {
  const at = fieldsAt === "" ? name : `${fieldsAt}.${name}`;
  if (object.changed?.path === at) return "changed";
  return object.created?.path === at ? "created" : undefined;
}

/** Builds the test of a time; undefined for a text of another format, or an operator that times do not have. */
export function buildTimeTest(
  which: "changed" | "created",
  operator: string,
  text: string,
  format: VendorTimeFormat,
): ((record: VendorRecord) => boolean) | undefined {
  const bound = readTime(text, format);
  const compare = COMPARE[operator];
  if (bound === undefined || !compare) return undefined;
  return ({ changedMs, createdMs }) => compare((which === "changed" ? changedMs : createdMs) - bound);
}

/** Tests by operator, on the difference between both sides. */
export const COMPARE: Record<string, (difference: number) => boolean> = {
  ">": (difference) => difference > 0,
  ">=": (difference) => difference >= 0,
  "<": (difference) => difference < 0,
  "<=": (difference) => difference <= 0,
  "=": (difference) => difference === 0,
  "!=": (difference) => difference !== 0,
};

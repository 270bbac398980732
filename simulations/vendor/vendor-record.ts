/** Answers requests for one record: finds, creates, changes or removes it, and shows it. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { Facts, RecordFact } from "../../connector-kit/facts/facts.ts";
import { buildRecordAnswer, type VendorAnswer } from "./vendor-answer.ts";
import { showOnRequest } from "./vendor-members.ts";
import {
  setAtPath,
  showRecord,
  readWrittenFields,
  type VendorRecord,
  type VendorRecords,
} from "./vendor-records.ts";
import { readText, readValue, type VendorRequest } from "./vendor-request.ts";
import type { RecordRoute } from "./vendor-routes.ts";

export interface RecordWorld {
  facts: Facts;
  records: VendorRecords;
  /** Returns why the vendor refuses a record with these fields; undefined if it does not. */
  refusalFor(fields: JsonObject): string | undefined;
}

/** Executes a request for one record. A sentence tells why the vendor refuses it. */
export function carryOutRecord(
  world: RecordWorld,
  route: RecordRoute,
  request: VendorRequest,
  seen: { key?: string; keyName?: Json | undefined },
): VendorAnswer | string | { missing: string } {
  const { action, objectName, fact, object, values } = route;
  const known = world.records.of(objectName);
  const fields = readWrittenFields(fact, request.body);
  if (typeof fields === "string") return fields;
  const refusedField = world.refusalFor(fields);
  if (refusedField !== undefined) return refusedField;
  const key = fact.idempotencyKey === undefined ? undefined : readText(request, fact.idempotencyKey);
  if (key !== undefined) seen.key = key;
  if (action === "create") {
    const record =
      known.find((one) => key !== undefined && one.key === key) ?? createRecord(world, route, fields);
    record.key = key;
    return answerRecord(world, route, { record, request });
  }
  if (fact.keyNameTo !== undefined) seen.keyName = readValue(request, fact.keyNameTo);
  if (action === "upsert") return upsertRecord(world, route, request, fields);
  const id = readId(route, request);
  const isByKey = values["key"] !== undefined && values["value"] !== undefined;
  const isAsked = (one: VendorRecord) =>
    isByKey ? String(one.fields[values["key"] ?? ""]) === values["value"] : isSame(object.id, one.id, id);
  const record = known.find(isAsked);
  const removed = fact.deleted && world.records.findRemoved(objectName, id);
  if (fact.deleted && removed)
    return buildRecordAnswer(fact, markDeleted(object, removed, fact.deleted), removed.id);
  if (!record) return { missing: `there is no ${objectName} ${id}` };
  if (action === "delete") {
    world.records.remove(objectName, record);
    return answerRecord(world, route, { record, request });
  }
  if (action === "update") {
    Object.assign(record.fields, removeId(fields, object.id.path));
    world.records.leaveOutEmpty(objectName, record);
    world.records.touch(record);
  }
  const wanted = fact.fieldsTo === undefined ? undefined : readText(request, fact.fieldsTo);
  return answerRecord(world, route, { record, request, wanted: wanted?.split(",") });
}

/** Shows a deleted record: its id, and what marks it. */
function markDeleted(
  { id: { path } }: RecordRoute["object"],
  { id }: VendorRecord,
  marks: NonNullable<RecordFact["deleted"]>,
): JsonObject {
  const shown: JsonObject = {};
  setAtPath(shown, path, id);
  return Object.assign(shown, marks);
}

/** Creates a record, with the caller's id if the vendor requires one. */
function createRecord(
  world: RecordWorld,
  { objectName, fact, object }: RecordRoute,
  fields: JsonObject,
): VendorRecord {
  const { path } = object.id;
  const id = fields[path];
  if (!fact.body?.[fact.wrap ? `${fact.wrap}.${path}` : path]?.required || typeof id !== "string")
    return world.records.put(objectName, { fields: removeId(fields, path) });
  const record = world.records.put(objectName, { fields });
  record.id = id;
  return record;
}

const removeId = (fields: JsonObject, idPath: string): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== idPath));

function upsertRecord(
  world: RecordWorld,
  route: RecordRoute,
  request: VendorRequest,
  fields: JsonObject,
): VendorAnswer | string {
  const { objectName, fact, values, object } = route;
  const beside = (name: string) =>
    fact.keyTo === undefined ? undefined : readValue(request, fact.keyTo.replace("{key}", name));
  const findValue = (name: string) => values[name] ?? beside(name) ?? fields[name];
  const key = values["key"] ?? fact.keys?.find((name) => findValue(name) !== undefined) ?? fact.keys?.[0];
  const value = values["value"] ?? values["id"] ?? (key === undefined ? undefined : findValue(key));
  if (key === undefined || value === undefined || isJsonObject(value))
    return "nothing says which record is meant";
  if (fact.keys && !fact.keys.includes(key)) return `${key} is no key of ${objectName}`;
  const known = world.records.of(objectName).find((record) => String(record.fields[key]) === String(value));
  const record = known ?? world.records.put(objectName, { fields: {} });
  if (fact.keyIsId) record.id = String(value);
  Object.assign(record.fields, removeId(fields, object.id.path), { [key]: value });
  world.records.leaveOutEmpty(objectName, record);
  if (known) world.records.touch(record);
  const answer = answerRecord(world, route, { record, request });
  if (typeof answer === "string" || fact.createdAt === undefined) return answer;
  if (isJsonObject(answer.body)) setAtPath(answer.body, fact.createdAt, known === undefined);
  return known ? { ...answer, status: fact.success[1] ?? answer.status } : answer;
}

function answerRecord(
  { facts }: RecordWorld,
  { objectName, object, fact }: RecordRoute,
  {
    record,
    request,
    wanted,
  }: { record: VendorRecord; request: VendorRequest; wanted?: string[] | undefined },
): VendorAnswer | string {
  const whole = showRecord(object, record, {
    list: object.list,
    fieldsAt: findFieldsPlace(facts, objectName),
  });
  const shown = showOnRequest(whole, fact, request);
  const stray = wanted?.find((name) => !Object.hasOwn(shown, name));
  if (stray !== undefined) return `${fact.fieldsTo}: there is no field ${stray}`;
  const kept = Object.entries(shown).filter(([name]) => wanted?.includes(name) ?? true);
  return buildRecordAnswer(fact, Object.fromEntries(kept), record.id);
}

/** Returns the member of a record that has the written fields. */
export function findFieldsPlace(facts: Facts, objectName: string): string {
  const { create, update, example } = facts.objects[objectName] ?? {};
  const fact = create ?? update;
  if (!fact) return "";
  if (fact.fieldsAt !== undefined) return fact.fieldsAt;
  const { wrap = "", record = "" } = fact;
  if (wrap === "" || wrap === record) return "";
  if (record !== "" && wrap.startsWith(`${record}.`)) return wrap.slice(record.length + 1);
  const last = wrap.split(".").at(-1) ?? "";
  return example !== undefined && isJsonObject(example[last]) ? last : "";
}

/** Compares ids, which requests may cut at the end. */
const isSame = (
  { caseSuffix }: Facts["objects"][string]["id"],
  one: string,
  other: string | undefined,
): boolean => (caseSuffix ? one.slice(0, 15) === other?.slice(0, 15) : one === other);

function readId({ values, fact, object }: RecordRoute, request: VendorRequest): string | undefined {
  if (values["id"] !== undefined) return values["id"];
  const value = readValue(
    request,
    fact.idTo ?? `body.${fact.wrap === undefined ? "" : `${fact.wrap}.`}${object.id.path}`,
  );
  return value === undefined || value === null || isJsonObject(value)
    ? undefined
    : String(Array.isArray(value) ? value[0] : value);
}

/** Builds the request that writes one record by a description. */
import { hash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { RecordToWrite, RecordWrite } from "../../connector.ts";
import { toExactInteger } from "../../calls/exact-json.ts";
import type { ProviderRequest } from "../../calls/provider-fetch.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import { findUpsertKeyFault, readUpsertKey, withoutUpsertKey } from "../../calls/upsert-key.ts";
import { buildBody } from "./body-members.ts";
import { hasBatch } from "./declarative-batch.ts";
import type { DeleteRules, Description, UpsertRules, WriteRules } from "../rules/description.ts";
import { withDocument } from "../plan-graphql.ts";
import { getRequest } from "../get-record.ts";
import { fillPath, fillText, encodePathStep } from "../fill-path.ts";
import {
  getMember,
  readKey,
  listKeyPlaces,
  toObjectPlan,
  type IdFault,
  type ObjectPlan,
} from "../object-plan.ts";
import { encodeForm, nestValue, put, withQuery, type RequestParts } from "../request-parts.ts";

/** `before`: the value of the record that the request must repeat. */
export type BuildRequest = (write: RecordWrite, record: RecordToWrite, before?: Json) => ProviderRequest;

export const findRules = (
  plan: ObjectPlan,
  type: RecordWrite["type"],
): WriteRules | DeleteRules | undefined => plan[type];

/** Returns the requests of one record; a value that only the provider knows is shown by its name. */
export function prepareRequests(
  plan: ObjectPlan,
  write: RecordWrite,
  record: RecordToWrite,
  buildRequest: BuildRequest,
): ProviderRequest[] {
  const { readBefore } = findRules(plan, write.type) ?? {};
  const [missing, partial] = [listMissingFields(plan, write, record), listPartialFields(plan, write, record)];
  const names = [
    ...(readBefore ? [readBefore.from] : []),
    ...missing,
    ...partial.map(({ at: path }) => path),
  ];
  if (names.length === 0 || !plan.get || record.id === undefined) return [buildRequest(write, record)];
  const named = Object.fromEntries([
    ...missing.map((path) => [path, `{${path}}`] as const),
    ...partial.map((kept) => {
      const rest = kept.by === undefined ? { "*": `{${kept.at}.*}` } : [{ [kept.by]: `{${kept.at}.*}` }];
      return [kept.at, keepRest(kept, getMember(record.fields, kept.at), rest)] as const;
    }),
  ]);
  const request = buildRequest(write, withFields(record, named), readBefore && `{${readBefore.from}}`);
  return [getRequest(plan, plan.get, record.id, names), request];
}

/** Returns the paths of fields that the provider demands of this update, or would clear, and that it leaves out. */
export function listMissingFields(
  { update }: ObjectPlan,
  { type }: RecordWrite,
  { fields }: RecordToWrite,
): string[] {
  if (type !== "update") return [];
  const { repeats = [], together = [] } = update ?? {};
  const names = (path: string): boolean => Object.hasOwn(fields, path.split(".")[0] ?? "");
  return [
    ...repeats.filter((path) => getMember(fields, path) === undefined),
    ...together.filter((paths) => paths.some(names)).flatMap((paths) => paths.filter((path) => !names(path))),
  ];
}

interface Kept {
  at: string;
  /** The member that tells which entry of a list it is. */
  by?: string;
}

/** Returns what the provider replaces as a whole and this update may name in part. */
export const listPartialFields = (
  { update }: ObjectPlan,
  { type }: RecordWrite,
  { fields }: RecordToWrite,
): Kept[] =>
  type !== "update"
    ? []
    : (update?.keeps ?? []).filter((kept) =>
        (kept.by === undefined ? isObject : Array.isArray)(getMember(fields, kept.at)),
      );

/** Returns what the caller writes of an object or a list, with what else is there. */
export function keepRest({ by }: Kept, written: Json | undefined, found: Json | undefined): Json {
  if (by === undefined)
    return {
      ...(isObject(found) && Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null))),
      ...(isObject(written) && written),
    };
  const entries = Array.isArray(written) ? written : [];
  const named = new Set(entries.map((entry) => isObject(entry) && String(entry[by])));
  const others = Array.isArray(found) ? found : [];
  return [...entries, ...others.filter((entry) => isObject(entry) && !named.has(String(entry[by])))];
}

const isObject = (value: Json | undefined): value is JsonObject => value !== undefined && isJsonObject(value);

/** Returns the record with further fields, by path. */
export const withFields = (record: RecordToWrite, further: Record<string, Json>): RecordToWrite => ({
  ...record,
  fields: Object.entries(further).reduce<JsonObject>(
    (fields, [path, value]) => nestValue(path, value, fields),
    record.fields,
  ),
});

/** Returns a function that throws `ProviderError` for an object, a mode or an id that cannot be sent. */
export const recordRequests =
  (description: Description, idFault: IdFault): BuildRequest =>
  (write, record, before) => {
    const { type, objectName, account } = write;
    const plan = toObjectPlan(description, objectName, type, account);
    const fault = findRecordFault(write, record, idFault, plan);
    if (fault) throw fault;
    if (type === "upsert" && plan.upsert) return upsertRequest(plan.upsert, plan, write, record);
    const rules = type === "upsert" ? undefined : plan[type];
    if (!rules) throw new ProviderError({ kind: "invalid", message: `${objectName} has no ${type}` });
    const moved = type === "create" ? moveIntoPath(rules.path, record.fields) : undefined;
    const path = fillPath(moved?.path ?? rules.path, plan, record.id);
    const also = [
      ...placeId(rules, record.id, description.ids?.number ?? false),
      ...placeBefore(rules, before),
      ...(type === "update" ? maskPlaces(plan, record) : []),
    ];
    const written = {
      path,
      plan,
      record: { ...record, fields: moved?.fields ?? record.fields },
      also,
      repeatable: type !== "create",
    };
    const request = type === "delete" ? deleteRequest(rules, written) : writeRequest(rules, written);
    return plan.graphql ? { ...request, body: withDocument(plan, type, request.body ?? {}) } : request;
  };

const placeId = ({ idTo }: WriteRules, id: string | undefined, isNumber: boolean): WrittenRecord["also"] =>
  idTo === undefined || id === undefined ? [] : [[idTo, isNumber ? (toExactInteger(id) ?? id) : id]];

const placeBefore = ({ readBefore }: WriteRules, before: Json | undefined): WrittenRecord["also"] =>
  !readBefore || before === undefined || before === null ? [] : [[readBefore.to, before]];

/** The names of the members that an update has. */
function maskPlaces({ update }: ObjectPlan, { fields }: RecordToWrite): WrittenRecord["also"] {
  const { fieldMask: mask } = update ?? {};
  return mask ? [[mask.to, Object.keys(fields).join(mask.separator ?? ",")]] : [];
}

/** A deletion has a body only where the description puts something into it. */
function deleteRequest(rules: DeleteRules, written: WrittenRecord): ProviderRequest {
  const request = writeRequest(rules, { ...written, record: { fields: {} } });
  const { body = {}, ...bare } = request;
  return isJsonObject(body) && Object.keys(body).length > 0 ? request : bare;
}

function upsertRequest(
  rules: UpsertRules,
  plan: ObjectPlan,
  write: RecordWrite,
  record: RecordToWrite,
): ProviderRequest {
  const value = readUpsertKey(write, record) ?? "";
  const shown = rules.keyHash ? hash(rules.keyHash, value.toLowerCase()) : value;
  const path = fillPath(rules.path, plan, undefined, { key: readKey(rules, write), value: shown });
  const isInPath = rules.path.includes("{value}") && !rules.keyHash;
  const isMoved = isInPath || rules.keyValueTo !== undefined;
  const fields = isMoved ? withoutUpsertKey(write, record) : record.fields;
  const also = [...listKeyPlaces(rules, write), ...placeKeyValue(rules, write, value)];
  return writeRequest(rules, { path, plan, record: { fields }, also, repeatable: true });
}

const placeKeyValue = (rules: UpsertRules, write: RecordWrite, value: string): WrittenRecord["also"] =>
  rules.keyValueTo === undefined ? [] : [[rules.keyValueTo.replace("{key}", readKey(rules, write)), value]];

interface WrittenRecord {
  path: string;
  plan: ObjectPlan;
  record: RecordToWrite;
  /** Further members of query or body: the id, or the name of the key. */
  also: (readonly [target: string, value: Exclude<Json, null>])[];
  repeatable: boolean;
}

function writeRequest(
  { method, wrap, headers, also: constants = {}, body: members, fieldsTo = {} }: WriteRules,
  { path, plan, record, also, repeatable }: WrittenRecord,
): ProviderRequest {
  const elsewhere = Object.entries(fieldsTo);
  const among = Object.entries(record.fields).filter(([name]) => !Object.hasOwn(fieldsTo, name));
  const fields = { ...buildConstants(plan, constants), ...Object.fromEntries(among) };
  const parts: RequestParts = { query: [], body: wrapFields(plan, { ...record, fields }, wrap) };
  parts.body = buildBody(plan, members, parts.body);
  for (const [name, target] of elsewhere) {
    const value = record.fields[name];
    if (value !== undefined && value !== null) put(parts, target, value);
  }
  for (const [target, value] of also) put(parts, target, value);
  const request = {
    method,
    path: withQuery(path, parts.query),
    ...(headers && { headers }),
    repeatable,
  };
  if (wrap?.jsonApi) {
    const contentType = { "content-type": "application/vnd.api+json" };
    return { ...request, body: parts.body, headers: { ...headers, ...contentType } };
  }
  if (!wrap?.form) return { ...request, body: parts.body };
  return {
    ...request,
    body: encodeForm(parts.body),
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
  };
}

const buildConstants = (plan: ObjectPlan, also: NonNullable<WriteRules["also"]>): JsonObject =>
  Object.fromEntries(
    Object.entries(also).map(([name, value]) => [
      name,
      typeof value === "string" ? fillText(value, plan) : value,
    ]),
  );

function wrapFields(plan: ObjectPlan, { id, fields }: RecordToWrite, wrap: WriteRules["wrap"]): JsonObject {
  if (wrap?.jsonApi) {
    const { relationships, ...attributes } = fields;
    return {
      data: {
        type: plan.singular ?? plan.name,
        ...(id !== undefined && { id }),
        attributes,
        ...(relationships !== undefined && { relationships }),
      },
    };
  }
  if (wrap?.in !== undefined)
    return nestValue(fillPath(wrap.in, plan), wrap.text ? JSON.stringify(fields) : fields);
  if (wrap?.listAt !== undefined) return nestValue(fillPath(wrap.listAt, plan), [fields]);
  return fields;
}

/** Returns why a record cannot be sent. Without a plan, only its id or key is checked. */
export function findRecordFault(
  write: RecordWrite,
  record: RecordToWrite,
  idFault: IdFault,
  plan: ObjectPlan | undefined,
): ProviderError | undefined {
  if (write.type === "create")
    return !plan || hasBatch(plan, write)
      ? undefined
      : findPathFieldFault(plan.create?.path ?? "", record.fields);
  if (write.type === "upsert") return findUpsertKeyFault(write, record);
  return idFault(record.id, plan) ?? (write.type === "update" ? findRequiredFault(plan, record) : undefined);
}

function findRequiredFault(
  plan: ObjectPlan | undefined,
  { fields }: RecordToWrite,
): ProviderError | undefined {
  const missing = (plan?.update?.requires ?? []).filter((name) => fields[name] === undefined);
  if (!plan || missing.length === 0) return undefined;
  const message =
    `the provider demands ${missing.join(" and ")} of each update of ${plan.name}, and no answer of it tells what is there: ` +
    `write ${missing.join(" and ")} as well`;
  return new ProviderError({ kind: "invalid", message });
}

/** A field of a new record in the path of its request: the list, the account, or the parent that it belongs to. */
const FIELD = /\{field\.(\w+)\}/g;

/** Returns the path with the values, and the other fields. Throws `ProviderError` as `findPathFieldFault` returns it. */
function moveIntoPath(template: string, fields: JsonObject): { path: string; fields: JsonObject } {
  const names = listNames(template);
  if (names.length === 0) return { path: template, fields };
  const fault = findPathFieldFault(template, fields);
  if (fault) throw fault;
  const path = template.replaceAll(FIELD, (whole, name: string) =>
    encodePathStep(findStep(fields[name]) ?? "", whole),
  );
  return {
    path,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))),
  };
}

/** Returns why a value cannot be part of the path; undefined if all can. */
function findPathFieldFault(template: string, fields: JsonObject): ProviderError | undefined {
  const missing = listNames(template).find((name) => !isStep(findStep(fields[name])));
  if (missing === undefined) return undefined;
  const message = `${missing} must have a value: it is part of the address that creates the record`;
  return new ProviderError({ kind: "invalid", message });
}

const listNames = (template: string): string[] =>
  Array.from(template.matchAll(FIELD), ([, name = ""]) => name);

const findStep = (value: Json | undefined): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const isStep = (step: string | undefined): boolean =>
  step !== undefined && step !== "" && step !== "." && step !== "..";

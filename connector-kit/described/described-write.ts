/** Writes records by a description: singly or in batches, and the record read back where the answer has none. */
import { hash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../server/ground/json.ts";
import type { Connector, RecordToWrite, RecordWrite, WriteConnector, WriteResult } from "../connector.ts";
import type { ProviderFetch, ProviderRequest, ProviderResponse } from "../provider-fetch.ts";
import { ProviderError } from "../provider-error.ts";
import { concernsTheCall, send } from "../send-request.ts";
import { writeSingly, type SingleOutcome } from "../write-singly.ts";
import { upsertKeyFault, upsertKeyOf, withoutUpsertKey } from "../upsert-key.ts";
import { bodyOf } from "./body-members.ts";
import { batchRequests, hasBatch, writeInBatches, type Batching } from "./described-batch.ts";
import type { DeleteRules, Description, UpsertRules, WriteRules } from "./description.ts";
import { mutationJudge } from "./graphql-outcome.ts";
import { withDocument } from "./graphql-plan.ts";
import { getOne, getRequest } from "./get-record.ts";
import { sendUnderKey } from "./keyed-create.ts";
import { movedIntoPath, pathFieldFault } from "./fields-in-path.ts";
import { fillPath, fillText } from "./fill-path.ts";
import {
  at,
  idFaults,
  keyOf,
  keyPlaces,
  knownPlan,
  largestBatch,
  planOf,
  plansOf,
  valuesOf,
  type ObjectPlan,
} from "./object-plan.ts";
import { needsTypes, shownTypes, typedWrite } from "./typed-writes.ts";
import { outcomeOf } from "./write-outcome.ts";
import { refusalIn } from "./record-result.ts";
import { formText, nested, put, withQuery, type RequestParts } from "./request-parts.ts";

type Classify = NonNullable<Connector["classify"]>;

export function describedWrite(description: Description, classify: Classify): WriteConnector {
  const { errors } = description;
  const idFault = idFaults(description);
  const requestOf = requests(description, idFault);
  const batching = (plan: ObjectPlan, write: RecordWrite): Batching => ({
    description,
    plan,
    write,
    classify,
    faultOf: (record) => recordFault(write, record, idFault, plan),
    requestOf: (record) => requestOf(write, record),
    writeOne: (record, fetch) => sendOne({ plan, write, fetch, classify, requestOf, errors }, record),
  });
  const batchLimit = largestBatch(description);
  return {
    abilities: {
      delete: true,
      associations: false,
      headers: false,
      ifEmpty: hasGet(description),
      upsert: upsertKeys(description),
      ...(batchLimit > 0 && { batchLimit }),
    },
    repeatableMs: (write) => repeatableMs(knownPlan(description, write.objectName), write),
    prepare(asked) {
      const plan = planOf(description, asked.objectName, asked.type, asked.account);
      const [before, write] = shownTypes(plan, asked);
      if (hasBatch(plan, write)) return [...before, ...batchRequests(batching(plan, write))];
      return [...before, ...write.records.flatMap((record) => preparedFor(plan, write, record, requestOf))];
    },
    async write(asked, fetch) {
      const plan = planOrFault(description, asked);
      const isSent =
        !(plan instanceof ProviderError) &&
        asked.records.some((one) => !recordFault(asked, one, idFault, plan));
      const typed =
        isSent && needsTypes(plan, asked) ? await typedWrite(plan, asked, { fetch, classify }) : asked;
      if (typed instanceof ProviderError) return allRefused(asked, typed);
      const write = typed;
      if (!(plan instanceof ProviderError) && hasBatch(plan, write))
        return writeInBatches(batching(plan, write), fetch);
      return writeSingly(write, {
        faultOf: (record) => recordFault(write, record, idFault, plan),
        send: (record) =>
          plan instanceof ProviderError
            ? Promise.resolve({ outcome: { success: false, error: plan } })
            : sendOne({ plan, write, fetch, classify, requestOf, errors }, record),
      });
    },
    async readFields({ objectName, ids, fields, account }, fetch) {
      const found = new Map<string, JsonObject>();
      const plan = knownPlan(description, objectName, account);
      for (const id of ids) {
        if (!plan || idFault(id)) continue;
        const record = await getOne({ plan, fetch, classify }, id, fields);
        if (!record) continue;
        const values = valuesOf(record, plan);
        found.set(id, Object.fromEntries(fields.map((name) => [name, values[name] ?? null])));
      }
      return found;
    },
    recordKey: (id) => id,
    isEmpty: (value) =>
      value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0),
  };
}

function repeatableMs(
  plan: ObjectPlan | undefined,
  write: Pick<RecordWrite, "type" | "batch">,
): number | undefined {
  const { idempotencyKeyTo: to, idempotencyKeyMinutes: minutes } = plan?.create ?? {};
  if (!plan || write.type !== "create" || to === undefined || minutes === undefined) return undefined;
  return hasBatch(plan, write) ? undefined : minutes * 60_000;
}

const allRefused = ({ records }: RecordWrite, error: ProviderError): WriteResult => ({
  outcomes: records.map(() => ({ success: false, error })),
  warnings: [],
  ...(error.rawResponse !== undefined && { rawResponse: error.rawResponse }),
});

const hasGet = (description: Description): boolean =>
  plansOf(description).some(({ get }) => get !== undefined);

/** Returns the keys of the objects that can be upserted; false if there are none. */
function upsertKeys(description: Description): false | Record<string, string[]> {
  const keys = plansOf(description).flatMap(({ name, upsert }) =>
    upsert ? [[name, upsert.keys] as const] : [],
  );
  return keys.length > 0 && Object.fromEntries(keys);
}

function recordFault(
  write: RecordWrite,
  record: RecordToWrite,
  idFault: ReturnType<typeof idFaults>,
  plan: ObjectPlan | ProviderError,
): ProviderError | undefined {
  if (write.type === "create")
    return plan instanceof ProviderError || hasBatch(plan, write)
      ? undefined
      : pathFieldFault(plan.create?.path ?? "", record.fields);
  return write.type === "upsert" ? upsertKeyFault(write, record) : idFault(record.id);
}

function planOrFault(
  description: Description,
  { objectName, type, account }: RecordWrite,
): ObjectPlan | ProviderError {
  try {
    return planOf(description, objectName, type, account);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

/** `before`: the value of the record that the request must repeat. */
type RequestOf = (write: RecordWrite, record: RecordToWrite, before?: Json) => ProviderRequest;

const rulesOf = (plan: ObjectPlan, type: RecordWrite["type"]): WriteRules | DeleteRules | undefined =>
  plan[type];

/** Returns the requests of one record; a value that only the provider knows is shown by its name. */
function preparedFor(
  plan: ObjectPlan,
  write: RecordWrite,
  record: RecordToWrite,
  requestOf: RequestOf,
): ProviderRequest[] {
  const { readBefore } = rulesOf(plan, write.type) ?? {};
  if (!readBefore || !plan.get || record.id === undefined) return [requestOf(write, record)];
  const request = requestOf(write, record, `{${readBefore.from}}`);
  return [getRequest(plan, plan.get, record.id, [readBefore.from]), request];
}

/** Returns a function that throws `ProviderError` for an object, a mode or an id that cannot be sent. */
const requests =
  (description: Description, idFault: ReturnType<typeof idFaults>): RequestOf =>
  (write, record, before) => {
    const { type, objectName, account } = write;
    const plan = planOf(description, objectName, type, account);
    const fault = recordFault(write, record, idFault, plan);
    if (fault) throw fault;
    if (type === "upsert" && plan.upsert) return upsertRequest(plan.upsert, plan, write, record);
    const rules = type === "upsert" ? undefined : plan[type];
    if (!rules) throw new ProviderError({ kind: "invalid", message: `${objectName} has no ${type}` });
    const moved = type === "create" ? movedIntoPath(rules.path, record.fields) : undefined;
    const path = fillPath(moved?.path ?? rules.path, plan, record.id);
    const also = [
      ...idPlaces(rules, record.id, description.ids?.number ?? false),
      ...beforePlaces(rules, before),
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

const idPlaces = ({ idTo }: WriteRules, id: string | undefined, isNumber: boolean): WrittenRecord["also"] =>
  idTo === undefined || id === undefined ? [] : [[idTo, isNumber ? Number(id) : id]];

const beforePlaces = ({ readBefore }: WriteRules, before: Json | undefined): WrittenRecord["also"] =>
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
  const value = upsertKeyOf(write, record) ?? "";
  const shown = rules.keyHash ? hash(rules.keyHash, value.toLowerCase()) : value;
  const path = fillPath(rules.path, plan, undefined, { key: keyOf(rules, write), value: shown });
  const isInPath = rules.path.includes("{value}") && !rules.keyHash;
  const isMoved = isInPath || rules.keyValueTo !== undefined;
  const fields = isMoved ? withoutUpsertKey(write, record) : record.fields;
  const also = [...keyPlaces(rules, write), ...keyValuePlace(rules, write, value)];
  return writeRequest(rules, { path, plan, record: { fields }, also, repeatable: true });
}

const keyValuePlace = (rules: UpsertRules, write: RecordWrite, value: string): WrittenRecord["also"] =>
  rules.keyValueTo === undefined ? [] : [[rules.keyValueTo.replace("{key}", keyOf(rules, write)), value]];

interface WrittenRecord {
  path: string;
  plan: ObjectPlan;
  record: RecordToWrite;
  /** What else goes into query or body: the id, or the name of the key. */
  also: (readonly [target: string, value: Exclude<Json, null>])[];
  repeatable: boolean;
}

function writeRequest(
  { method, wrap, headers, also: constants = {}, body: members, fieldsTo = {} }: WriteRules,
  { path, plan, record, also, repeatable }: WrittenRecord,
): ProviderRequest {
  const elsewhere = Object.entries(fieldsTo);
  const among = Object.entries(record.fields).filter(([name]) => !Object.hasOwn(fieldsTo, name));
  const fields = { ...constantsOf(plan, constants), ...Object.fromEntries(among) };
  const parts: RequestParts = { query: [], body: wrapped(plan, { ...record, fields }, wrap) };
  parts.body = bodyOf(plan, members, parts.body);
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
    body: formText(parts.body),
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
  };
}

const constantsOf = (plan: ObjectPlan, also: NonNullable<WriteRules["also"]>): JsonObject =>
  Object.fromEntries(
    Object.entries(also).map(([name, value]) => [
      name,
      typeof value === "string" ? fillText(value, plan) : value,
    ]),
  );

function wrapped(plan: ObjectPlan, { id, fields }: RecordToWrite, wrap: WriteRules["wrap"]): JsonObject {
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
    return nested(fillPath(wrap.in, plan), wrap.text ? JSON.stringify(fields) : fields);
  if (wrap?.listAt !== undefined) return nested(fillPath(wrap.listAt, plan), [fields]);
  return fields;
}

interface Sending {
  plan: ObjectPlan;
  write: RecordWrite;
  fetch: ProviderFetch;
  classify: Classify;
  requestOf: RequestOf;
  errors: Description["errors"];
}

async function sendOne(sending: Sending, record: RecordToWrite): Promise<SingleOutcome> {
  const { write, fetch, classify, requestOf, plan, errors } = sending;
  const keyTo = write.type === "create" ? plan.create?.idempotencyKeyTo : undefined;
  const key = keyTo === undefined ? undefined : record.idempotencyKey?.();
  const before = await valueBefore(sending, record);
  if (before instanceof ProviderError) return deletedOrRefused(write, record, before);
  const request = requestOf(write, record, before);
  let response: ProviderResponse | undefined;
  const kept: ProviderFetch = async (asked) => (response = await fetch(asked));
  const judge = mutationJudge(plan, write.type, classify, errors);
  const sent = (asked: ProviderRequest) =>
    send(asked, kept, judge.classify, write.account).catch((fault: unknown) => {
      if (fault instanceof ProviderError && judge.isOfRecord(fault)) return { body: undefined, error: fault };
      throw fault;
    });
  const { body, error } =
    keyTo === undefined || key === undefined
      ? await sent(request)
      : await sendUnderKey({ keyTo, key }, request, sent);
  const refused = error ?? refusedIn(sending, body);
  if (refused) return deletedOrRefused(write, record, refused);
  const warning = judge.warning();
  const told = warning === undefined ? {} : { warning };
  if (write.type === "delete" && record.id !== undefined)
    return { outcome: { success: true, recordId: record.id }, ...told };
  return { ...(await outcomeOf(sending, record, { body, headers: response?.headers ?? {} })), ...told };
}

/** Returns the refusal of the record in a success. Throws it if it concerns the call. */
function refusedIn({ plan, errors }: Sending, body: Json | undefined): ProviderError | undefined {
  const { written } = plan;
  if (!written) return undefined;
  const refusal = refusalIn({ code: errors.code, ...written }, errors, body);
  if (refusal && concernsTheCall(refusal.kind)) throw refusal;
  return refusal;
}

/** A record that is not there need not be deleted. */
const deletedOrRefused = (
  { type }: RecordWrite,
  { id }: RecordToWrite,
  error: ProviderError,
): SingleOutcome =>
  type === "delete" && id !== undefined && error.kind === "not_found"
    ? { outcome: { success: true, recordId: id }, warning: `record ${id} was not there` }
    : { outcome: { success: false, error } };

/** Returns the value that the request must repeat; a `ProviderError` where the record does not have it. Throws as `send`. */
async function valueBefore(
  { plan, write, fetch, classify }: Sending,
  { id }: RecordToWrite,
): Promise<Json | ProviderError | undefined> {
  const { readBefore } = rulesOf(plan, write.type) ?? {};
  if (!readBefore || id === undefined) return undefined;
  const record = await getOne({ plan, fetch, classify }, id, [readBefore.from]);
  if (!record)
    return new ProviderError({ kind: "not_found", message: `there is no record ${id} of ${plan.name}` });
  const value = at(record, readBefore.from);
  if (value !== undefined && value !== null) return value;
  const message = `record ${id} of ${plan.name} has nothing at ${readBefore.from}`;
  return new ProviderError({ kind: "unreadable", message, status: 200 });
}

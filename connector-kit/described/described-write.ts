/** Writes records by a description: one request for each, and the record read back where the answer has none. */
import { isJsonObject, type Json, type JsonObject } from "../../server/ground/json.ts";
import type { Connector, RecordOutcome, RecordToWrite, RecordWrite, WriteConnector } from "../connector.ts";
import type { ProviderFetch, ProviderRequest } from "../provider-fetch.ts";
import { ProviderError } from "../provider-error.ts";
import { send } from "../send-request.ts";
import { writeSingly, type SingleOutcome } from "../write-singly.ts";
import type { Description, WriteRules } from "./description.ts";
import { at, fillPath, idFault, idOf, planOf, type ObjectPlan } from "./object-plan.ts";
import { formText, nested, put, withQuery, type RequestParts } from "./request-parts.ts";

type Classify = NonNullable<Connector["classify"]>;

export function describedWrite(description: Description, classify: Classify): WriteConnector {
  return {
    abilities: { delete: true, associations: false, headers: false, ifEmpty: hasGet(description) },
    prepare: (write) => write.records.map((record) => requestOf(description, write, record)),
    async write(write, fetch) {
      const plan = planOrFault(description, write);
      return writeSingly(write, {
        idFault: (id) => idFault(description, id),
        send: (record) =>
          plan instanceof ProviderError
            ? Promise.resolve({ outcome: { success: false, error: plan } })
            : sendOne({ description, plan, write, fetch, classify }, record),
      });
    },
    async readFields({ objectName, ids, fields }, fetch) {
      const found = new Map<string, JsonObject>();
      for (const id of ids) {
        if (idFault(description, id)) continue;
        const record = await getOne({ description, objectName, fetch, classify }, id);
        if (record) found.set(id, Object.fromEntries(fields.map((name) => [name, record[name] ?? null])));
      }
      return found;
    },
    recordKey: (id) => id,
    isEmpty: (value) =>
      value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0),
  };
}

const hasGet = ({ defaults, objects }: Description): boolean =>
  defaults.get !== undefined || Object.values(objects).some(({ get }) => get !== undefined);

function planOrFault(
  description: Description,
  { objectName, type }: RecordWrite,
): ObjectPlan | ProviderError {
  try {
    return planOf(description, objectName, type);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

/** Throws `ProviderError` for an object, a mode or an id that cannot be sent. */
function requestOf(description: Description, write: RecordWrite, record: RecordToWrite): ProviderRequest {
  const { type, objectName } = write;
  const plan = planOf(description, objectName, type);
  if (type !== "create") {
    const fault = idFault(description, record.id);
    if (fault) throw fault;
  }
  const rules = plan[type];
  if (!rules) throw new ProviderError({ kind: "invalid", message: `${objectName} has no ${type}` });
  const path = fillPath(rules.path, plan, record.id);
  if (type === "delete") return { method: rules.method, path, repeatable: true };
  return writeRequest(rules, {
    path,
    plan,
    record,
    isNumber: description.ids?.number ?? false,
    repeatable: type === "update",
  });
}

function writeRequest(
  { method, wrap, idTo, headers }: WriteRules,
  {
    path,
    plan,
    record,
    isNumber,
    repeatable,
  }: { path: string; plan: ObjectPlan; record: RecordToWrite; isNumber: boolean; repeatable: boolean },
): ProviderRequest {
  const parts: RequestParts = { query: [], body: wrapped(plan, record, wrap) };
  if (idTo !== undefined && record.id !== undefined)
    put(parts, idTo, isNumber ? Number(record.id) : record.id);
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
  if (wrap?.in !== undefined) return nested(fillPath(wrap.in, plan), fields);
  if (wrap?.listAt !== undefined) return nested(fillPath(wrap.listAt, plan), [fields]);
  return fields;
}

interface Sending {
  description: Description;
  plan: ObjectPlan;
  write: RecordWrite;
  fetch: ProviderFetch;
  classify: Classify;
}

async function sendOne(sending: Sending, record: RecordToWrite): Promise<SingleOutcome> {
  const { description, write, fetch, classify } = sending;
  const { body, error } = await send(requestOf(description, write, record), fetch, classify, write.account);
  if (write.type === "delete" && record.id !== undefined) {
    const outcome = { success: true, recordId: record.id } as const;
    if (!error) return { outcome };
    if (error.kind === "not_found") return { outcome, warning: `record ${record.id} was not there` };
  }
  if (error) return { outcome: { success: false, error } };
  return { outcome: await outcomeOf(sending, record, body) };
}

/** An answer to a create that names no id leaves open what was written. */
async function outcomeOf(
  sending: Sending,
  { id }: RecordToWrite,
  body: Json | undefined,
): Promise<RecordOutcome> {
  const { description, plan, write, fetch, classify } = sending;
  const answered = at(body, plan.record === undefined ? undefined : fillPath(plan.record, plan));
  const recordId = idOf(answered, plan) ?? id;
  if (recordId === undefined) {
    const message = `${plan.name} was created, but the provider's answer has no id at ${plan.idPath}`;
    return { success: false, error: new ProviderError({ kind: "unreadable", message, status: 200 }) };
  }
  if (isJsonObject(answered)) return { success: true, recordId, data: answered };
  if (write.readBack === false || write.batch || !plan.get) return { success: true, recordId };
  const data = await getOne({ description, objectName: plan.name, fetch, classify }, recordId);
  return { success: true, recordId, ...(data && { data }) };
}

/** Returns one record with its members in one name space; undefined if it does not exist. */
export async function getOne(
  deps: { description: Description; objectName: string; fetch: ProviderFetch; classify: Classify },
  id: string,
): Promise<JsonObject | undefined> {
  const rules = Object.hasOwn(deps.description.objects, deps.objectName) ? deps.description : undefined;
  const plan = rules && { ...rules.defaults, ...rules.objects[deps.objectName], name: deps.objectName };
  if (!plan?.get) return undefined;
  const full: ObjectPlan = { ...plan, modes: [], idPath: plan.idPath ?? "id" };
  const request: ProviderRequest = {
    method: "GET",
    path: fillPath(plan.get.path, full, id),
    repeatable: true,
  };
  const { body, error } = await send(request, deps.fetch, deps.classify);
  if (error?.kind === "not_found") return undefined;
  if (error) throw error;
  const record = at(body, plan.get.record === undefined ? undefined : fillPath(plan.get.record, full));
  return isJsonObject(record) ? record : undefined;
}

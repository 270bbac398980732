// Endpoints of single records: create, get, update, delete, upsert by external id.

import { isData, type SandboxAnswer, type Data, type SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import { readDuplicateHeader } from "./duplicate-rules.ts";
import { refuse, buildSaveError } from "./errors.ts";
import type { Field, Scalar } from "./fields.ts";
import { normalizeId } from "./ids.ts";
import type { ObjectStore, Org, StoredRecord } from "./org.ts";
import {
  deleteRecord,
  insertRecord,
  buildNotFound,
  updateRecord,
  upsertRecord,
  type Saved,
} from "./records.ts";

export type OrgSource = () => Org;

export const API = "/services/data/:version";

export function addSobjectRoutes(router: Router, org: OrgSource): void {
  const path = `${API}/sobjects/:object`;
  const store = (exchange: SandboxExchange): ObjectStore => findStore(org(), exchange.params["object"] ?? "");
  router.add("POST", path, (exchange) => {
    const saved = insertRecord(
      org(),
      store(exchange),
      parseBody(exchange.body),
      readDuplicateHeader(exchange),
    );
    return { status: 201, body: answerSaved(saved) };
  });
  router.add("GET", `${path}/:id`, (exchange) => get(org(), store(exchange), exchange));
  router.add("PATCH", `${path}/:id`, (exchange) => update(org(), store(exchange), exchange));
  router.add("POST", `${path}/:id`, (exchange) => {
    if (exchange.query.get("_HttpMethod") !== "PATCH") throw refuseMethod("POST");
    return update(org(), store(exchange), exchange);
  });
  router.add("DELETE", `${path}/:id`, (exchange) => {
    const types = store(exchange);
    answerSaved(deleteRecord(org(), types, readId(types, exchange)));
    return { status: 204 };
  });
  const keyed = `${path}/:field/:value`;
  router.add("PATCH", keyed, (exchange) => upsert(org(), store(exchange), exchange));
  router.add("POST", keyed, (exchange) => {
    if (exchange.query.get("_HttpMethod") !== "PATCH") throw refuseMethod("POST");
    return upsert(org(), store(exchange), exchange);
  });
  router.add("GET", keyed, (exchange) => getByKey(org(), store(exchange), exchange));
}

function refuseMethod(method: string): Error {
  return refuse(
    405,
    "METHOD_NOT_ALLOWED",
    `HTTP Method '${method}' not allowed. Allowed are HEAD,GET,PATCH,DELETE`,
  );
}

export function findStore(org: Org, name: string): ObjectStore {
  const store = org.find(name);
  if (store === undefined) throw refuse(404, "NOT_FOUND", "The requested resource does not exist");
  return store;
}

/** Parses the JSON object of a write. */
export function parseBody(text: string): Data {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refuse(
      400,
      "JSON_PARSER_ERROR",
      "Unexpected character at [line:1, column:1]: the body is not JSON",
    );
  }
  if (!isData(parsed))
    throw refuse(400, "JSON_PARSER_ERROR", "Unexpected value at [line:1, column:1]: an object is expected");
  return parsed;
}

function answerSaved(saved: Saved): Data {
  if ("errors" in saved) throw buildSaveError(saved.errors);
  return { id: saved.id, success: true, errors: [] };
}

/** Reads an id of this object from the path. Anything else is refused like an unknown external id. */
function readId(store: ObjectStore, exchange: SandboxExchange): string {
  const text = exchange.params["id"] ?? "";
  const id = normalizeId(text);
  if (id === undefined || !id.startsWith(store.definition.prefix))
    throw buildSaveError([buildNotFound(text)]);
  return id;
}

function update(org: Org, store: ObjectStore, exchange: SandboxExchange): SandboxAnswer {
  const body = parseBody(exchange.body);
  if (Object.keys(body).some((name) => name.toLowerCase() === "id")) {
    throw refuse(400, "INVALID_FIELD", "The Id field should not be specified in the sobject data.");
  }
  answerSaved(updateRecord(org, store, readId(store, exchange), body, readDuplicateHeader(exchange)));
  return { status: 204 };
}

function upsert(org: Org, store: ObjectStore, exchange: SandboxExchange): SandboxAnswer {
  const key = findKeyField(store, exchange.params["field"] ?? "");
  const body = parseBody(exchange.body);
  const saved = upsertRecord(
    org,
    store,
    key,
    exchange.params["value"] ?? "",
    body,
    readDuplicateHeader(exchange),
  );
  if ("matches" in saved) {
    const { name } = store.definition;
    const version = exchange.params["version"] ?? "v60.0";
    return {
      status: 300,
      body: saved.matches.map((id) => `/services/data/${version}/sobjects/${name}/${id}`),
    };
  }
  const answered = answerSaved(saved);
  const created = "created" in saved && saved.created;
  return { status: created ? 201 : 200, body: { ...answered, created } };
}

function findKeyField(store: ObjectStore, name: string): Field {
  const field = store.find(name);
  if (field === undefined || (!field.externalId && field.name !== "Id")) {
    throw refuse(404, "NOT_FOUND", `Provided external ID field does not exist or is not accessible: ${name}`);
  }
  return field;
}

function get(org: Org, store: ObjectStore, exchange: SandboxExchange): SandboxAnswer {
  const record = store.lookup(readId(store, exchange));
  if (record === undefined || record.deleted)
    throw refuse(404, "NOT_FOUND", "The requested resource does not exist");
  return { status: 200, body: showRecord(org, store, record, readFields(store, exchange), exchange) };
}

function getByKey(org: Org, store: ObjectStore, exchange: SandboxExchange): SandboxAnswer {
  const key = findKeyField(store, exchange.params["field"] ?? "");
  const [id] = store.holders(key.name, exchange.params["value"] ?? "");
  const record = id === undefined ? undefined : store.lookup(id);
  if (record === undefined) throw refuse(404, "NOT_FOUND", "The requested resource does not exist");
  return { status: 200, body: showRecord(org, store, record, readFields(store, exchange), exchange) };
}

function readFields(store: ObjectStore, exchange: SandboxExchange): Field[] {
  const wanted = exchange.query.get("fields");
  if (wanted === null || wanted === "") return listVisibleFields(store);
  return findFields(store, wanted.split(","));
}

export function listVisibleFields(store: ObjectStore): Field[] {
  return [...store.definition.fields.values()].filter((field) => field.access !== "none");
}

/** Finds the fields with these names. Throws for the first unknown or invisible one. */
export function findFields(store: ObjectStore, names: string[]): Field[] {
  return names.map((name) => {
    const field = store.find(name.trim());
    if (field === undefined) {
      throw refuse(
        400,
        "INVALID_FIELD",
        `No such column '${name.trim()}' on sobject of type ${store.definition.name}`,
      );
    }
    return field;
  });
}

export function buildAttributes(store: ObjectStore, record: StoredRecord, version: string): Data {
  const { name } = store.definition;
  return { type: name, url: `/services/data/${version}/sobjects/${name}/${record.id}` };
}

/** Returns the value of a field. Formulas are computed now, without changing the change time. */
export function computeValue(org: Org, field: Field, record: StoredRecord): Scalar {
  if (field.formula !== undefined) return field.formula(record.values, org.clock.now());
  return record.values[field.name] ?? null;
}

const ADDRESS_PARTS = ["Street", "City", "State", "PostalCode", "Country"];

/** Returns the value for an answer. An address is an object of its parts, null without any. */
export function showValue(org: Org, field: Field, record: StoredRecord): unknown {
  if (field.type !== "address") return computeValue(org, field, record);
  const prefix = field.name.replace(/Address$/, "");
  const parts = ADDRESS_PARTS.map((part) => [
    part.charAt(0).toLowerCase() + part.slice(1),
    record.values[`${prefix}${part}`] ?? null,
  ]);
  if (parts.every(([, value]) => value === null)) return null;
  return { ...Object.fromEntries(parts), geocodeAccuracy: null, latitude: null, longitude: null };
}

export function showRecord(
  org: Org,
  store: ObjectStore,
  record: StoredRecord,
  fields: Field[],
  exchange: SandboxExchange,
): Data {
  const body: Data = { attributes: buildAttributes(store, record, exchange.params["version"] ?? "v60.0") };
  for (const field of fields) body[field.name] = showValue(org, field, record);
  return body;
}

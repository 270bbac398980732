// sObject collections: up to 200 records per call, one result per record, optionally all or none.

import { asData, asText, type SandboxAnswer, type Data, type SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import { readDuplicateHeader } from "./duplicate-rules.ts";
import { refuse, ROLLED_BACK, showSaveError, type SaveError } from "./errors.ts";
import { normalizeId } from "./ids.ts";
import type { ObjectStore, Org } from "./org.ts";
import {
  deleteRecord,
  insertRecord,
  buildNotFound,
  updateRecord,
  upsertRecord,
  type Saved,
} from "./records.ts";
import { API, findFields, parseBody, showRecord, findStore, type OrgSource } from "./sobjects.ts";

const MAX_RECORDS = 200;
const MAX_READ = 2000;

export function addCollectionRoutes(router: Router, org: OrgSource): void {
  const path = `${API}/composite/sobjects`;
  router.add("POST", path, (exchange) =>
    write(org(), exchange, (store, record) =>
      insertRecord(org(), store, record, readDuplicateHeader(exchange)),
    ),
  );
  router.add("PATCH", path, (exchange) => {
    const seen = new Set<string>();
    return write(org(), exchange, (store, record) => updateOne(org(), store, record, exchange, seen));
  });
  router.add("DELETE", path, (exchange) => deleteMany(org(), exchange));
  router.add("POST", `${path}/:object`, (exchange) => {
    const body = parseBody(exchange.body);
    return read(
      org(),
      findStore(org(), exchange.params["object"] ?? ""),
      readTexts(body["ids"]),
      readTexts(body["fields"]),
      exchange,
    );
  });
  router.add("GET", `${path}/:object`, (exchange) => {
    const split = (name: string): string[] =>
      (exchange.query.get(name) ?? "").split(",").filter((part) => part !== "");
    return read(
      org(),
      findStore(org(), exchange.params["object"] ?? ""),
      split("ids"),
      split("fields"),
      exchange,
    );
  });
  router.add("PATCH", `${path}/:object/:field`, (exchange) => upsertMany(org(), exchange));
}

type RecordInput = { store: ObjectStore; values: Data };

/** Reads the records with their stores. Throws Salesforce's refusal of a malformed request. */
function readRecords(org: Org, exchange: SandboxExchange): RecordInput[] {
  const { records } = parseBody(exchange.body);
  if (!Array.isArray(records) || records.length === 0) {
    throw refuse(400, "REQUIRED_FIELD_MISSING", "At least 1 record is required");
  }
  if (records.length > MAX_RECORDS) {
    const message = `record limit reached. cannot submit more than ${MAX_RECORDS} records into this call.`;
    throw refuse(400, "EXCEEDED_ID_LIMIT", message);
  }
  let runs = 0;
  let last = "";
  return records.map((record) => {
    const type =
      asText(asData(asData(record)["attributes"])["type"]) ?? asText(exchange.params["object"]) ?? "";
    const store = org.find(type);
    if (store === undefined) throw refuse(400, "INVALID_TYPE", `sObject type '${type}' is not supported.`);
    if (type !== last) runs++;
    last = type;
    if (runs > 10)
      throw refuse(400, "LIMIT_EXCEEDED", "Cannot have more than 10 chunks in a single operation.");
    return { store, values: asData(record) };
  });
}

function write(
  org: Org,
  exchange: SandboxExchange,
  save: (store: ObjectStore, values: Data) => Saved,
): SandboxAnswer {
  const records = readRecords(org, exchange);
  const allOrNone = parseBody(exchange.body)["allOrNone"] === true;
  return answerResults(
    org,
    allOrNone,
    records.map(
      ({ store, values }) =>
        () =>
          save(store, values),
    ),
    false,
  );
}

/** Answers with 200 in any case; the results contain the outcomes. */
function answerResults(
  org: Org,
  allOrNone: boolean,
  steps: (() => Saved)[],
  tellCreated: boolean,
): SandboxAnswer {
  let saved: Saved[] = [];
  const run = (): boolean => {
    saved = steps.map((step) => step());
    return !allOrNone || saved.every((one) => !("errors" in one));
  };
  const kept = allOrNone ? org.atomically(run) : run();
  return { status: 200, body: saved.map((one) => buildResult(one, kept, tellCreated)) };
}

function buildResult(saved: Saved, kept: boolean, tellCreated: boolean): Data {
  if ("errors" in saved) return { success: false, errors: saved.errors.map(showSaveError) };
  if (!kept) return { success: false, errors: [showSaveError(ROLLED_BACK)] };
  return { id: saved.id, success: true, errors: [], ...(tellCreated ? { created: saved.created } : {}) };
}

function buildFailure(error: SaveError): Saved {
  return { errors: [error] };
}

function updateOne(
  org: Org,
  store: ObjectStore,
  record: Data,
  exchange: SandboxExchange,
  seen: Set<string>,
): Saved {
  const entries = Object.entries(record);
  const text = asText(entries.find(([name]) => name.toLowerCase() === "id")?.[1]);
  if (text === undefined)
    return buildFailure({ code: "MISSING_ARGUMENT", message: "Id not specified in an update call" });
  const id = normalizeId(text);
  if (id === undefined || !id.startsWith(store.definition.prefix)) {
    return buildFailure({ code: "MALFORMED_ID", message: `malformed id ${text}`, fields: ["Id"] });
  }
  if (seen.has(id))
    return buildFailure({ code: "DUPLICATE_VALUE", message: `duplicate id specified: ${id}` });
  seen.add(id);
  const values = Object.fromEntries(entries.filter(([name]) => name.toLowerCase() !== "id"));
  const saved = updateRecord(org, store, id, values, readDuplicateHeader(exchange));
  const missing = "errors" in saved && saved.errors.some((error) => error.code === "NOT_FOUND");
  return missing
    ? buildFailure({ code: "INVALID_CROSS_REFERENCE_KEY", message: "invalid cross reference id" })
    : saved;
}

function deleteMany(org: Org, exchange: SandboxExchange): SandboxAnswer {
  const readIds = (exchange.query.get("ids") ?? "").split(",").filter((id) => id !== "");
  if (readIds.length === 0) throw refuse(400, "REQUIRED_FIELD_MISSING", "At least 1 record is required");
  if (readIds.length > MAX_RECORDS) throw refuse(400, "EXCEEDED_ID_LIMIT", "record limit reached.");
  const steps = readIds.map((text) => (): Saved => {
    const id = normalizeId(text);
    const store = id === undefined ? undefined : org.ofId(id);
    if (id === undefined || store === undefined)
      return buildFailure({ code: "MALFORMED_ID", message: `malformed id ${text}` });
    return deleteRecord(org, store, id);
  });
  return answerResults(org, exchange.query.get("allOrNone") === "true", steps, false);
}

function upsertMany(org: Org, exchange: SandboxExchange): SandboxAnswer {
  const records = readRecords(org, exchange);
  const allOrNone = parseBody(exchange.body)["allOrNone"] === true;
  const steps = records.map(({ store, values }) => (): Saved => {
    const key = store.find(exchange.params["field"] ?? "");
    if (key === undefined || (!key.externalId && key.name !== "Id"))
      return buildFailure(buildNotFound(exchange.params["field"] ?? ""));
    const entry = Object.entries(values).find(([name]) => name.toLowerCase() === key.name.toLowerCase());
    const value = asText(entry?.[1]);
    if (value === undefined)
      return buildFailure({ code: "MISSING_ARGUMENT", message: `${key.name} not specified` });
    const rest = Object.fromEntries(Object.entries(values).filter(([name]) => name !== entry?.[0]));
    const saved = upsertRecord(org, store, key, value, rest, readDuplicateHeader(exchange));
    return "matches" in saved
      ? buildFailure({
          code: "DUPLICATE_EXTERNAL_ID",
          message: `${key.name}: more than one record found for external id field`,
        })
      : saved;
  });
  return answerResults(org, allOrNone, steps, true);
}

function readTexts(input: unknown): string[] {
  return Array.isArray(input) ? input.flatMap((item) => asText(item) ?? []) : [];
}

/** Reads records. Returns one entry per id, null for a missing record. */
function read(
  org: Org,
  store: ObjectStore,
  ids: string[],
  names: string[],
  exchange: SandboxExchange,
): SandboxAnswer {
  if (ids.length === 0 || names.length === 0) {
    throw refuse(
      400,
      "MISSING_ARGUMENT",
      `The ${ids.length === 0 ? "ids" : "fields"} parameter must not be empty.`,
    );
  }
  if (ids.length > MAX_READ)
    throw refuse(
      400,
      "EXCEEDED_ID_LIMIT",
      `record limit reached. cannot submit more than ${MAX_READ} records`,
    );
  const fields = findFields(store, names);
  const body = ids.map((text) => {
    const record = store.lookup(normalizeId(text) ?? "");
    return record === undefined || record.deleted ? null : showRecord(org, store, record, fields, exchange);
  });
  return { status: 200, body };
}

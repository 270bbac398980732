// Creates, updates and presents records, for single and batch endpoints.

import { asText, isData, asList, asData, type Refused, type Data } from "../exchange.ts";
import { toIsoText } from "../records/iso-text.ts";
import { PORTAL_ID, type Account, type TypeStore } from "./account.ts";
import type { StoredRecord } from "./stored-record.ts";
import type { Link } from "./associations.ts";
import { refuseInvalid, refuse, buildProblemMembers, type ValueProblem } from "./errors.ts";
import { checkValues } from "./values.ts";

type PlannedLink = { toType: string; toId: string; links: Link[] };

export type Plan = { values: Record<string, string>; links: PlannedLink[] };

/** Reasons why an input cannot be written. */
export type Failure = {
  status: number;
  category: string;
  message: string;
  problems: ValueProblem[];
  existingId?: string;
  /** Names of required properties that are not set. */
  missing?: string[];
};

type Planned = { plan: Plan } | { failure: Failure };

/** Checks the input of a create without storing anything. */
export function planCreate(account: Account, store: TypeStore, input: Data): Planned {
  const { values, problems } = checkValues(store.properties, asData(input["properties"]));
  if (problems.length > 0) return { failure: findValuesFailure(problems) };
  for (const name of Object.keys(values)) if (values[name] === "") delete values[name];
  const missing = store.type.required.filter((name) => values[name] === undefined);
  const { requiredOneOf } = store.type;
  if (requiredOneOf.length > 0 && !requiredOneOf.some((name) => values[name] !== undefined))
    missing.push(...requiredOneOf);
  if (missing.length > 0) {
    const message = `Error creating ${store.type.singular}. Some required properties were not set.`;
    return { failure: { status: 400, category: "VALIDATION_ERROR", message, problems: [], missing } };
  }
  const links = planLinks(account, store, input["associations"]);
  if (links === undefined || (store.type.name === "leads" && links.length === 0)) {
    const message = "one or more associations are not valid";
    return { failure: { status: 400, category: "VALIDATION_ERROR", message, problems: [] } };
  }
  const conflict = store.conflict(values);
  if (conflict !== undefined) return { failure: findConflict(store, conflict.id) };
  return { plan: { values, links } };
}

export function planUpdate(store: TypeStore, record: StoredRecord, properties: unknown): Planned {
  const { values, problems } = checkValues(store.properties, asData(properties), record.properties);
  if (problems.length > 0) return { failure: findValuesFailure(problems) };
  const conflict = store.conflict(values, record.id);
  if (conflict !== undefined) return { failure: findConflict(store, conflict.id) };
  return { plan: { values, links: [] } };
}

function findValuesFailure(problems: ValueProblem[]): Failure {
  return {
    status: 400,
    category: "VALIDATION_ERROR",
    message: buildProblemMembers(problems).message,
    problems,
  };
}

function findConflict(store: TypeStore, existingId: string): Failure {
  const name = store.type.singular.charAt(0) + store.type.singular.slice(1).toLowerCase();
  const message = `${name} already exists. Existing ID: ${existingId}`;
  return { status: 409, category: "CONFLICT", message, problems: [], existingId };
}

export function toRefusal(failure: Failure): Refused {
  const { status, message, category, problems, missing } = failure;
  const errors = problems.length === 0 ? {} : { errors: buildProblemMembers(problems).errors };
  const context = missing === undefined ? {} : { context: { properties: missing } };
  return refuse(status, message, { ...errors, ...context, category });
}

/** Plans the links of an input. Returns undefined if one is invalid: unknown record, wrong direction, unknown type. */
function planLinks(account: Account, store: TypeStore, input: unknown): PlannedLink[] | undefined {
  const planned: PlannedLink[] = [];
  for (const item of asList(input)) {
    const toId = asText(asData(asData(item)["to"])["id"]);
    const types = asList(asData(item)["types"]);
    if (toId === undefined || types.length === 0) return undefined;
    const target = findTarget(account, store, toId, types);
    if (target === undefined) return undefined;
    planned.push(target);
  }
  return planned;
}

/** Finds the target of a link. The request names only an id, so the object type follows from the association type. */
function findTarget(
  account: Account,
  store: TypeStore,
  toId: string,
  types: unknown[],
): PlannedLink | undefined {
  for (const other of account.stores.values()) {
    if (account.associations.labels(store.type.id, other.type.id).length === 0) {
      if (!other.type.custom && !store.type.custom) continue;
    }
    if (other.find(toId) === undefined) continue;
    const links = account.associations.linksFrom(types, store.type.id, other.type.id);
    if (links !== undefined) return { toType: other.type.id, toId, links };
  }
  return undefined;
}

export function createRecord(account: Account, store: TypeStore, plan: Plan): StoredRecord {
  const now = store.settings.clock.now();
  const at = new Date(now).toISOString();
  const key = account.reserveIds(1);
  const id = String(key);
  const { type } = store;
  const properties: Record<string, string> = {
    [type.createdProperty]: at,
    hs_object_id: id,
    [type.modifiedProperty]: at,
    hs_object_source: "INTEGRATION",
    hs_object_source_id: "4100",
    hs_object_source_label: "INTEGRATION",
    ...buildStartingValues(type.name, plan.values),
    ...plan.values,
  };
  const record: StoredRecord = { key, id, properties, createdAt: now, updatedAt: now, archived: false };
  store.insert(record);
  for (const link of plan.links) account.associations.add(type.id, id, link.toType, link.toId, link.links);
  return record;
}

function buildStartingValues(typeName: string, values: Record<string, string>): Record<string, string> {
  if (typeName === "contacts") {
    const name = [values["firstname"], values["lastname"]].filter(Boolean).join(" ");
    return { lifecyclestage: "lead", hs_full_name_or_email: name || (values["email"] ?? "") };
  }
  if (typeName === "companies") return { lifecyclestage: "lead" };
  if (typeName === "deals") return { pipeline: "default" };
  if (typeName === "tickets") return { hs_pipeline: "0" };
  return {};
}

export function updateRecord(store: TypeStore, record: StoredRecord, plan: Plan): void {
  store.update(record, plan.values, store.settings.clock.now());
}

/** Presents every stored property, as a create answers. */
export function presentAll(store: TypeStore, record: StoredRecord): Data {
  return wrapRecord(store, record, { ...record.properties });
}

/** Presents the default properties and the written ones, as an update answers. */
export function presentWritten(store: TypeStore, record: StoredRecord, written: string[]): Data {
  const properties: Record<string, string> = {};
  for (const name of [...store.type.defaults, "hs_object_source", ...written]) {
    const value = record.properties[name];
    if (value !== undefined) properties[name] = value;
  }
  return wrapRecord(store, record, properties);
}

/** Returns a function that presents the requested properties, null for those without a value; unknown names are dropped silently. */
export function buildPresenter(
  store: TypeStore,
  names: string[] | undefined,
): (record: StoredRecord) => Data {
  const { createdProperty, modifiedProperty, defaults } = store.type;
  const wanted =
    names === undefined ? defaults : [...names, createdProperty, "hs_object_id", modifiedProperty];
  const shown = new Set(
    wanted.flatMap((name) => {
      const property = store.properties.get(name.toLowerCase());
      return property === undefined || property.archived ? [] : [property.name];
    }),
  );
  return (record) => {
    const properties: Record<string, string | null> = {};
    for (const name of shown) properties[name] = record.properties[name] ?? null;
    return wrapRecord(store, record, properties);
  };
}

function wrapRecord(store: TypeStore, record: StoredRecord, properties: Record<string, string | null>): Data {
  return {
    id: record.id,
    properties,
    createdAt: toIsoText(record.createdAt),
    updatedAt: toIsoText(record.updatedAt),
    archived: record.archived,
    ...(record.archivedAt === undefined ? {} : { archivedAt: new Date(record.archivedAt).toISOString() }),
    url: `https://app.hubspot.com/contacts/${PORTAL_ID}/record/${store.type.id}/${record.id}`,
  };
}

/** Parses the JSON object of a write. Throws HubSpot's refusal for anything else. */
export function parseObject(text: string): Data {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refuseInvalid("Invalid input JSON on line 1, column 1: the body is not JSON");
  }
  if (!isData(parsed)) throw refuseInvalid("Invalid input JSON on line 1, column 1: an object is expected");
  return parsed;
}

// Endpoints of single records: create, get, update, delete, list.

import type { Data, SandboxAnswer, SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { Account, TypeStore } from "./account.ts";
import type { AccountSettings, StoredRecord } from "./stored-record.ts";
import { toOffsetCursor } from "./associations.ts";
import { refuseInvalid, refuseNotFound } from "./errors.ts";
import {
  createRecord,
  parseObject,
  planCreate,
  planUpdate,
  presentAll,
  buildPresenter,
  presentWritten,
  toRefusal,
  updateRecord,
} from "./record-writes.ts";

export type AccountSource = () => Account;

export function addObjectRoutes(router: Router, account: AccountSource, origin: () => string): void {
  const store = (exchange: SandboxExchange): TypeStore => account().get(exchange.params["type"] ?? "");
  router.add("POST", "/crm/v3/objects/:type", (exchange) => create(account(), store(exchange), exchange));
  router.add("GET", "/crm/v3/objects/:type", (exchange) =>
    list(account(), store(exchange), exchange, origin()),
  );
  router.add("GET", "/crm/v3/objects/:type/:id", (exchange) => get(account(), store(exchange), exchange));
  router.add("PATCH", "/crm/v3/objects/:type/:id", (exchange) => update(store(exchange), exchange));
  router.add("DELETE", "/crm/v3/objects/:type/:id", (exchange) => {
    const types = store(exchange);
    const record = types.find(exchange.params["id"] ?? "");
    // Deleting a missing record succeeds.
    if (record !== undefined) types.archive(record, types.settings.clock.now());
    return { status: 204 };
  });
}

function create(account: Account, store: TypeStore, exchange: SandboxExchange): SandboxAnswer {
  const planned = planCreate(account, store, parseObject(exchange.body));
  if ("failure" in planned) throw toRefusal(planned.failure);
  return { status: 201, body: presentAll(store, createRecord(account, store, planned.plan)) };
}

function update(store: TypeStore, exchange: SandboxExchange): SandboxAnswer {
  const record = store.get(exchange.params["id"] ?? "", readIdProperty(store, exchange));
  const planned = planUpdate(store, record, parseObject(exchange.body)["properties"]);
  if ("failure" in planned) throw toRefusal(planned.failure);
  updateRecord(store, record, planned.plan);
  return { status: 200, body: presentWritten(store, record, Object.keys(planned.plan.values)) };
}

function get(account: Account, store: TypeStore, exchange: SandboxExchange): SandboxAnswer {
  const id = exchange.params["id"] ?? "";
  const archived = exchange.query.get("archived") === "true";
  const record = archived ? findArchived(store, id) : store.get(id, readIdProperty(store, exchange));
  return { status: 200, body: buildLinkPresenter(account, store, exchange.query)(record) };
}

function findArchived(store: TypeStore, id: string): StoredRecord {
  const record = store.lookup(id);
  if (record === undefined || !record.archived) throw refuseNotFound();
  return record;
}

function readIdProperty(store: TypeStore, exchange: SandboxExchange): string | undefined {
  return checkIdProperty(store, exchange.query.get("idProperty") ?? undefined);
}

export function checkIdProperty(store: TypeStore, name: string | undefined): string | undefined {
  if (name !== undefined && !store.isUnique(name)) {
    throw refuseInvalid(`Property ${name} is not a unique identifier for object type ${store.type.id}`);
  }
  return name;
}

function list(account: Account, store: TypeStore, exchange: SandboxExchange, origin: string): SandboxAnswer {
  const { query } = exchange;
  const limit = Number(query.get("limit") ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw refuseInvalid("limit must be between 1 and 100");
  const archived = query.get("archived") === "true";
  const text = query.get("after");
  const records = store.table.select({
    ...(text === null ? {} : { afterKey: readCursor(text, store.settings) }),
    view: (record) => (record.archived === archived ? record : undefined),
    storedOnly: archived,
  });
  const show = buildLinkPresenter(account, store, query);
  const results: Data[] = [];
  let last = 0;
  for (const record of records) {
    if (results.length === limit) {
      const next = new URLSearchParams(query);
      const after = toCursor(last, store.settings);
      next.set("after", after);
      const link = `${origin}/hubspot${exchange.path}?${next.toString()}`;
      return { status: 200, body: { results, paging: { next: { after, link } } } };
    }
    results.push(show(record));
    last = record.key;
  }
  return { status: 200, body: { results } };
}

/** Returns an opaque cursor: the last id and the time of issue, in base64; never one that is refused at once. */
function toCursor(key: number, settings: AccountSettings): string {
  const issuedAt = Math.max(settings.clock.now(), settings.cursorsFrom);
  return Buffer.from(`${key} ${issuedAt}\n`).toString("base64");
}

/** Reads a cursor; a bare id is accepted, too. Throws HubSpot's refusal of a foreign or expired one. */
function readCursor(text: string, settings: AccountSettings): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const [, key, issuedAt] = /^(\d+) (\d+)\n$/.exec(Buffer.from(text, "base64").toString("latin1")) ?? [];
  if (key === undefined) throw refuseInvalid(`Cannot deserialize value of type long from String "${text}"`);
  const age = settings.clock.now() - Number(issuedAt);
  if (age > settings.cursorLifetimeMs || Number(issuedAt) < settings.cursorsFrom) {
    throw refuseInvalid(`The paging cursor "${text}" has expired`);
  }
  return Number(key);
}

function readNames(query: URLSearchParams, name: string): string[] | undefined {
  const all = query.getAll(name).flatMap((value) => value.split(","));
  return all.length === 0 ? undefined : all.map((value) => value.trim()).filter((value) => value !== "");
}

function buildLinkPresenter(
  account: Account,
  store: TypeStore,
  query: URLSearchParams,
): (record: StoredRecord) => Data {
  const show = buildPresenter(store, readNames(query, "properties"));
  const readTargets = (readNames(query, "associations") ?? []).map((name) => account.get(name));
  if (readTargets.length === 0) return show;
  return (record) => {
    const associations: Record<string, unknown> = {};
    for (const target of readTargets) {
      const page = buildLinkedResults(account, store, record, target);
      if (page.results.length > 0) associations[target.type.name] = page;
    }
    return { ...show(record), ...(Object.keys(associations).length > 0 ? { associations } : {}) };
  };
}

/** Returns the first page of linked records only, as lists do. */
function buildLinkedResults(
  account: Account,
  store: TypeStore,
  record: StoredRecord,
  target: TypeStore,
): { results: Data[]; paging?: Data } {
  const pair = `${store.type.singular}_to_${target.type.singular}`.toLowerCase();
  const labels = account.associations.labels(store.type.id, target.type.id);
  const all = account.associations.list(store.type.id, record.id, target.type.id);
  const { associationPage } = account.settings;
  const results = all.slice(0, associationPage).flatMap(({ toId, links }) =>
    links.map((link) => {
      const label = labels.find((candidate) => candidate.typeId === link.typeId)?.label ?? undefined;
      return {
        id: toId,
        type: label === undefined ? pair : `${pair}_${label.toLowerCase().replaceAll(" ", "_")}`,
      };
    }),
  );
  return all.length > associationPage
    ? { results, paging: { next: { after: toOffsetCursor(associationPage) } } }
    : { results };
}

// Single-record endpoints: create, get, update, delete, list.

import type { SandboxAnswer, SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { Account, StoredRecord, TypeStore } from "./account.ts";
import { invalid, notFound } from "./errors.ts";
import {
  createRecord,
  objectBody,
  planCreate,
  planUpdate,
  presentAll,
  presentNamed,
  presentWritten,
  refusalOf,
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
    // A delete of a missing record succeeds.
    if (record !== undefined) types.archive(record, Date.now());
    return { status: 204 };
  });
}

function create(account: Account, store: TypeStore, exchange: SandboxExchange): SandboxAnswer {
  const planned = planCreate(account, store, objectBody(exchange.body));
  if ("failure" in planned) throw refusalOf(planned.failure);
  return { status: 201, body: presentAll(store, createRecord(account, store, planned.plan)) };
}

function update(store: TypeStore, exchange: SandboxExchange): SandboxAnswer {
  const record = store.get(exchange.params["id"] ?? "", idProperty(store, exchange));
  const planned = planUpdate(store, record, objectBody(exchange.body)["properties"]);
  if ("failure" in planned) throw refusalOf(planned.failure);
  updateRecord(store, record, planned.plan);
  return { status: 200, body: presentWritten(store, record, Object.keys(planned.plan.values)) };
}

function get(account: Account, store: TypeStore, exchange: SandboxExchange): SandboxAnswer {
  const id = exchange.params["id"] ?? "";
  const archived = exchange.query.get("archived") === "true";
  const record = archived ? archivedRecord(store, id) : store.get(id, idProperty(store, exchange));
  return { status: 200, body: withAssociations(account, store, record, exchange) };
}

function archivedRecord(store: TypeStore, id: string): StoredRecord {
  const record = store.records.get(id);
  if (record === undefined || !record.archived) throw notFound();
  return record;
}

export function idProperty(store: TypeStore, exchange: SandboxExchange): string | undefined {
  return checkedIdProperty(store, exchange.query.get("idProperty") ?? undefined);
}

export function checkedIdProperty(store: TypeStore, name: string | undefined): string | undefined {
  if (name !== undefined && !store.isUnique(name)) {
    throw invalid(`Property ${name} is not a unique identifier for object type ${store.type.id}`);
  }
  return name;
}

function list(account: Account, store: TypeStore, exchange: SandboxExchange, origin: string): SandboxAnswer {
  const { query } = exchange;
  const limit = Number(query.get("limit") ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw invalid("limit must be between 1 and 100");
  const after = query.get("after") ?? "0";
  if (!/^\d+$/.test(after)) throw invalid(`Cannot deserialize value of type long from String "${after}"`);
  const archived = query.get("archived") === "true";
  const results: unknown[] = [];
  let last = "";
  let more = false;
  for (let i = firstAfter(store.ids, after); i < store.ids.length; i++) {
    const record = store.records.get(store.ids[i] ?? "");
    if (record === undefined || record.archived !== archived) continue;
    if (results.length === limit) {
      more = true;
      break;
    }
    results.push(withAssociations(account, store, record, exchange));
    last = record.id;
  }
  if (!more) return { status: 200, body: { results } };
  const next = new URLSearchParams(query);
  next.set("after", last);
  const link = `${origin}/hubspot${exchange.path}?${next.toString()}`;
  return { status: 200, body: { results, paging: { next: { after: last, link } } } };
}

/** Returns the position of the first id after `after`; ids ascend. */
function firstAfter(ids: string[], after: string): number {
  const limit = BigInt(after);
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (BigInt(ids[middle] ?? "0") <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function namesFrom(query: URLSearchParams, name: string): string[] | undefined {
  const all = query.getAll(name).flatMap((value) => value.split(","));
  return all.length === 0 ? undefined : all.map((value) => value.trim()).filter((value) => value !== "");
}

function withAssociations(
  account: Account,
  store: TypeStore,
  record: StoredRecord,
  exchange: SandboxExchange,
): unknown {
  const shown = presentNamed(store, record, namesFrom(exchange.query, "properties"));
  const wanted = namesFrom(exchange.query, "associations") ?? [];
  if (wanted.length === 0) return shown;
  const associations: Record<string, unknown> = {};
  for (const name of wanted) {
    const target = account.get(name);
    const linked = account.associations.list(store.type.id, record.id, target.type.id);
    const results = linked.flatMap(({ toId, links }) =>
      links.map((link) => {
        const label = account.associations
          .labels(store.type.id, target.type.id)
          .find((candidate) => candidate.typeId === link.typeId)?.label;
        const pair = `${store.type.singular}_to_${target.type.singular}`.toLowerCase();
        const type =
          label === null || label === undefined
            ? pair
            : `${pair}_${label.toLowerCase().replaceAll(" ", "_")}`;
        return { id: toId, type };
      }),
    );
    if (results.length > 0) associations[target.type.name] = { results };
  }
  return { ...shown, ...(Object.keys(associations).length > 0 ? { associations } : {}) };
}

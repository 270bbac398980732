// The sandbox's controls of a Salesforce organisation, which bypass its API.

import type { Data } from "../exchange.ts";
import type { AccountControls, RecordInput } from "../provider.ts";
import { toPlainValues } from "../records/lazy-values.ts";
import { generateRecords } from "./generated-records.ts";
import { normalizeId } from "./ids.ts";
import { DEFAULT_SETTINGS, toStamp, type ObjectStore, type Org, type StoredRecord } from "./org.ts";
import { storeNew } from "./records.ts";
import { computeValue, listVisibleFields } from "./sobjects.ts";

const KEPT_MS = 15 * 86_400_000;

export function openOrgControls(org: () => Org): AccountControls {
  const getStore = (object: string): ObjectStore => {
    const store = org().find(object);
    if (store === undefined) throw new RangeError(`no Salesforce object ${object}`);
    return store;
  };
  const setDeleted = (object: string, id: string, deleted: boolean): void => {
    const store = getStore(object);
    const record = findRecord(store, id);
    if (record.deleted === deleted) return;
    store.setDeleted(record, deleted, toStamp(org().clock.now()));
    reportDeleted(org(), store, record);
  };
  return {
    generate: (object, spec) => generateRecords(getStore(object), spec),
    put: (object, input) => put(org(), getStore(object), input),
    archive: (object, id) => setDeleted(object, id, true),
    restore: (object, id) => setDeleted(object, id, false),
    purge(object, id) {
      const store = getStore(object);
      const record = findRecord(store, id);
      if (!record.deleted) {
        store.setDeleted(record, true, toStamp(org().clock.now()));
        reportDeleted(org(), store, record);
      }
      store.drop(record);
    },
    merge: (object, winner, losers) => merge(org(), getStore(object), winner, losers),
    purgeExpired: () => purgeExpired(org()),
    dump: (object, deleted) => dump(org(), getStore(object), deleted),
    expireCursors() {
      org().settings.locatorGeneration++;
    },
    hideField(object, name, hidden) {
      const field = getStore(object).definition.fields.get(name.toLowerCase());
      if (field === undefined) throw new RangeError(`${object} has no field ${name}`);
      field.access = hidden ? "none" : "edit";
    },
    settings: () => Object.fromEntries(NAMES.map((name) => [name, showNumber(org().settings[name])])),
    set: (settings) => set(org(), settings),
  };
}

function findRecord(store: ObjectStore, id: string): StoredRecord {
  const record = store.lookup(normalizeId(id) ?? "");
  if (record === undefined) throw new RangeError(`no record ${id} of ${store.definition.name}`);
  return record;
}

/** Creates or changes a record. A change time in the past is that of a transaction which was committed late. */
function put(org: Org, store: ObjectStore, input: RecordInput): string {
  const values: StoredRecord["values"] = {};
  for (const [name, value] of Object.entries(input.values)) {
    const field = store.definition.fields.get(name.toLowerCase());
    if (field === undefined) throw new RangeError(`${store.definition.name} has no field ${name}`);
    values[field.name] = value;
  }
  const id = input.id ?? storeNew(org, store, values);
  const record = findRecord(store, id);
  const at = toStamp(input.changedAt ?? org.clock.now());
  const stamped: StoredRecord["values"] = input.stamp ? { LastModifiedDate: at, SystemModstamp: at } : {};
  const created = String(record.values["CreatedDate"]);
  const early: StoredRecord["values"] = input.stamp && at < created ? { CreatedDate: at } : {};
  const before = { ...record.values };
  store.set(record, { ...values, ...stamped, ...early });
  if (input.id !== undefined) {
    org.changed({ store, id: record.id, changeType: "UPDATE", before, after: { ...record.values } });
  }
  return record.id;
}

function reportDeleted(org: Org, store: ObjectStore, record: StoredRecord): void {
  const changeType = record.deleted ? "DELETE" : "UNDELETE";
  org.changed({ store, id: record.id, changeType, before: {}, after: { ...record.values } });
}

/** Merges records: the losers are deleted and name the winner. */
function merge(org: Org, store: ObjectStore, winner: string, losers: string[]): void {
  const at = toStamp(org.clock.now());
  const master = findRecord(store, winner);
  const named: StoredRecord["values"] = store.definition.fields.has("masterrecordid")
    ? { MasterRecordId: master.id }
    : {};
  for (const loser of losers) {
    const record = findRecord(store, loser);
    store.set(record, named);
    store.setDeleted(record, true, at);
    reportDeleted(org, store, record);
  }
  const before = { ...master.values };
  store.set(master, { LastModifiedDate: at, SystemModstamp: at });
  org.changed({ store, id: master.id, changeType: "UPDATE", before, after: { ...master.values } });
}

function purgeExpired(org: Org): void {
  const limit = org.clock.now() - KEPT_MS;
  for (const store of org.stores.values()) {
    for (const record of store.table.stored()) {
      if (record.deleted && record.updatedAt < limit) store.drop(record);
    }
  }
}

function* dump(org: Org, store: ObjectStore, deleted: boolean): Generator<Data> {
  const formulas = listVisibleFields(store).filter((field) => field.formula !== undefined);
  for (const record of store.table.select({})) {
    if (record.deleted && !deleted) continue;
    const values = toPlainValues(record.values);
    for (const field of formulas) values[field.name] = computeValue(org, field, record);
    yield {
      id: record.id,
      deleted: record.deleted,
      changedAt: new Date(record.updatedAt).toISOString(),
      values,
    };
  }
}

/** Returns null for a number without a bound. */
function showNumber(value: number): number | null {
  return value === Number.MAX_SAFE_INTEGER ? null : value;
}

const NAMES = [
  "locatorLifetimeMs",
  "openLocators",
  "childPage",
  "pageCharacters",
  "headerBytes",
  "replicationLagMs",
  "tooLongStatus",
] as const;

function set({ settings }: Org, wanted: Data): void {
  for (const [name, value] of Object.entries(wanted)) {
    const known = NAMES.find((one) => one === name);
    if (known === undefined)
      throw new RangeError(`no setting salesforce.${name}; there are: ${NAMES.join(", ")}`);
    if (value === null) settings[known] = DEFAULT_SETTINGS[known];
    else if (typeof value === "number" && value >= 0) settings[known] = value;
    else throw new RangeError(`salesforce.${name} must be a number from 0, or null`);
  }
}

// The sandbox's controls of a HubSpot account, which bypass its API.

import type { Data } from "../exchange.ts";
import type { AccountControls, RecordInput } from "../provider.ts";
import { toIsoText } from "../records/iso-text.ts";
import { toPlainValues } from "../records/lazy-values.ts";
import type { Account, TypeStore } from "./account.ts";
import { generateRecords } from "./generated-records.ts";
import { createRecord } from "./record-writes.ts";
import { DEFAULT_SETTINGS, type StoredRecord } from "./stored-record.ts";

const KEPT_MS = 90 * 86_400_000;

export function openAccountControls(account: () => Account): AccountControls {
  const getStore = (object: string): TypeStore => {
    const store = account().find(object);
    if (store === undefined) throw new RangeError(`no HubSpot object ${object}`);
    return store;
  };
  return {
    generate: (object, spec) => generateRecords(account(), getStore(object), spec),
    put: (object, input) => put(account(), getStore(object), input),
    archive(object, id) {
      const store = getStore(object);
      store.archive(findRecord(store, id), store.settings.clock.now());
    },
    restore(object, id) {
      const store = getStore(object);
      store.restore(findRecord(store, id), store.settings.clock.now());
    },
    purge(object, id) {
      const store = getStore(object);
      store.purge(findRecord(store, id));
    },
    merge: (object, winner, losers) => merge(getStore(object), winner, losers),
    purgeExpired: () => purgeExpired(account()),
    dump: (object, deleted) => dump(getStore(object), deleted),
    expireCursors() {
      const { settings } = account();
      settings.cursorsFrom = Math.max(settings.clock.now(), settings.cursorsFrom) + 1;
    },
    hideField(object, field, hidden) {
      const property = getStore(object).properties.get(field.toLowerCase());
      if (property === undefined) throw new RangeError(`${object} has no property ${field}`);
      property.archived = hidden;
    },
    settings: () => Object.fromEntries(NAMES.map((name) => [name, showNumber(account().settings[name])])),
    set: (settings) => set(account(), settings),
  };
}

function findRecord(store: TypeStore, id: string): StoredRecord {
  const record = store.lookup(id);
  if (record === undefined) throw new RangeError(`no record ${id} of ${store.type.name}`);
  return record;
}

function put(account: Account, store: TypeStore, input: RecordInput): string {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(input.values)) {
    const property = store.properties.get(name.toLowerCase());
    if (property === undefined) throw new RangeError(`${store.type.name} has no property ${name}`);
    values[property.name] = value === null ? "" : String(value);
  }
  const present = input.id === undefined ? undefined : findRecord(store, input.id);
  const record = present ?? createRecord(account, store, { values: {}, links: [] });
  const changedAt = input.changedAt ?? store.settings.clock.now();
  if (changedAt < record.createdAt) {
    record.createdAt = changedAt;
    record.properties[store.type.createdProperty] = toIsoText(changedAt);
  }
  store.update(record, values, input.stamp ? changedAt : undefined);
  return record.id;
}

/**
 * Merges records. The losers vanish without being archived, and their ids lead to the winner, which names them and gets a new
 * change time (github.com/amp-labs/connectors, pull request 3487; github.com/tailoredshapes/merkql, tests of its HubSpot
 * source). At HubSpot the remaining record may have a new id; here it keeps its own.
 */
function merge(store: TypeStore, winner: string, losers: string[]): void {
  const now = store.settings.clock.now();
  const record = findRecord(store, winner);
  const before = record.properties["hs_merged_object_ids"];
  const merged = [...(before === undefined ? [] : [before]), ...losers].join(";");
  record.merges = [{ value: merged, at: now }, ...(record.merges ?? [])];
  store.update(record, { hs_merged_object_ids: merged }, now);
  for (const loser of losers) store.merge(findRecord(store, loser), winner);
  store.settings.onChange({ kind: "merge", type: store.type, id: winner, merged: losers });
}

function purgeExpired(account: Account): void {
  const limit = account.settings.clock.now() - KEPT_MS;
  for (const store of account.stores.values()) {
    for (const record of store.table.stored()) {
      if (record.archivedAt !== undefined && record.archivedAt < limit) store.purge(record);
    }
  }
}

function* dump(store: TypeStore, deleted: boolean): Generator<Data> {
  for (const record of store.table.select({})) {
    if (record.archived && !deleted) continue;
    yield {
      id: record.id,
      deleted: record.archived,
      changedAt: new Date(record.updatedAt).toISOString(),
      values: toPlainValues(record.properties),
    };
  }
}

/** Returns null for a number without a bound. */
function showNumber(value: number): number | null {
  return value === Number.MAX_SAFE_INTEGER ? null : value;
}

const NAMES = [
  "searchLagMs",
  "cursorLifetimeMs",
  "associationInputs",
  "associationPage",
  "lineCharacters",
] as const;

function set({ settings }: Account, wanted: Data): void {
  for (const [name, value] of Object.entries(wanted)) {
    const known = NAMES.find((one) => one === name);
    if (known === undefined)
      throw new RangeError(`no setting hubspot.${name}; there are: ${NAMES.join(", ")}`);
    if (value === null) settings[known] = DEFAULT_SETTINGS[known];
    else if (typeof value === "number" && value >= 0) settings[known] = value;
    else throw new RangeError(`hubspot.${name} must be a number from 0, or null`);
  }
}

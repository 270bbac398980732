// Batch read and batch archive.

import { asData, asText, type Data, type SandboxAnswer } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { TypeStore } from "./account.ts";
import { BatchAnswer, readInputs, readTexts } from "./batch.ts";
import { refuseInvalid } from "./errors.ts";
import { checkIdProperty, type AccountSource } from "./objects.ts";
import { parseObject, buildPresenter } from "./record-writes.ts";
import type { StoredRecord } from "./stored-record.ts";

const MAX_WITH_HISTORY = 50;

export function addBatchReadRoutes(router: Router, account: AccountSource): void {
  router.add("POST", "/crm/v3/objects/:type/batch/read", (exchange) => {
    const store = account().get(exchange.params["type"] ?? "");
    const body = parseObject(exchange.body);
    const ids = readInputs(exchange).map((input) => asText(input["id"]) ?? "");
    const names = readTexts(body["properties"]);
    const idProperty = checkIdProperty(store, asText(body["idProperty"]));
    const histories = readTexts(body["propertiesWithHistory"]);
    if (histories.length > 0 && ids.length > MAX_WITH_HISTORY) {
      throw refuseInvalid(`At most ${MAX_WITH_HISTORY} inputs can be read with propertiesWithHistory`);
    }
    return readMany(store, ids, { names, histories }, idProperty);
  });
  router.add("POST", "/crm/v3/objects/:type/batch/archive", (exchange) => {
    const store = account().get(exchange.params["type"] ?? "");
    for (const input of readInputs(exchange)) {
      const record = store.find(asText(asData(input)["id"]) ?? "");
      if (record !== undefined) store.archive(record, store.settings.clock.now());
    }
    return { status: 204 };
  });
}

/** Returns the history of properties; only merges have one here. */
function readHistory(record: StoredRecord, names: string[]): Data {
  if (names.length === 0) return {};
  const listMerges = (record.merges ?? []).map(({ value, at }) => ({
    value,
    timestamp: new Date(at).toISOString(),
    sourceType: "MERGE_OBJECTS",
  }));
  const known = names.includes("hs_merged_object_ids") ? { hs_merged_object_ids: listMerges } : {};
  return { propertiesWithHistory: known };
}

/** Reads many records. Results are sorted by record id, not in the order of the request. */
function readMany(
  store: TypeStore,
  ids: string[],
  { names, histories }: { names: string[]; histories: string[] },
  idProperty: string | undefined,
): SandboxAnswer {
  const batch = new BatchAnswer();
  const missing: string[] = [];
  const found = new Map(
    [...new Set(ids)].flatMap((id) => {
      const record = store.find(id, idProperty);
      if (record === undefined) missing.push(id);
      return record === undefined ? [] : [[record.id, record] as const];
    }),
  );
  const ordered = [...found.values()].toSorted((a, b) => Number(a.id) - Number(b.id));
  const shown = buildPresenter(store, names.length === 0 ? undefined : names);
  for (const record of ordered) batch.add({ ...shown(record), ...readHistory(record, histories) });
  batch.miss(store, missing);
  return batch.answer(200);
}

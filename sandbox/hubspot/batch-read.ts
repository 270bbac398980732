// Batch read and batch archive.

import { asData, asText, type SandboxAnswer } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { TypeStore } from "./account.ts";
import { BatchAnswer, readInputs, readTexts } from "./batch.ts";
import { checkedIdProperty, type AccountSource } from "./objects.ts";
import { objectBody, presenter } from "./record-writes.ts";

export function addBatchReadRoutes(router: Router, account: AccountSource): void {
  router.add("POST", "/crm/v3/objects/:type/batch/read", (exchange) => {
    const store = account().get(exchange.params["type"] ?? "");
    const body = objectBody(exchange.body);
    const ids = readInputs(exchange).map((input) => asText(input["id"]) ?? "");
    const names = readTexts(body["properties"]);
    const idProperty = checkedIdProperty(store, asText(body["idProperty"]));
    return readMany(store, ids, names, idProperty);
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

/** Results are sorted by record id, not in the order of the request. */
function readMany(
  store: TypeStore,
  ids: string[],
  names: string[],
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
  const shown = presenter(store, names.length === 0 ? undefined : names);
  for (const record of ordered) batch.add(shown(record));
  batch.miss(store, missing);
  return batch.answer(200);
}

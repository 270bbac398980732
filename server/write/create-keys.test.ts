import assert from "node:assert/strict";
import { test } from "node:test";
import { isUuid, newId } from "../../ground/ids.ts";
import { createKey } from "./create-keys.ts";
import { buildPendingPlan, type SendOptions, type StoredRecord } from "./queue/queued-write.ts";

const created = { operationId: "01a207af-9e5c-7758-aea1-fccccd2506d7", position: 0, refusals: 0 };

test("a key is the same in every process, and another one for each operation, record and refusal", () => {
  assert.equal(createKey(created), createKey({ ...created }));
  const keys = [
    created,
    { ...created, operationId: newId() },
    { ...created, position: 1 },
    { ...created, refusals: 1 },
    { ...created, position: 1, refusals: 1 },
  ].map(createKey);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(keys.every((key) => isUuid(key) && key.length === 36));
});

test("a record of a batch keeps its key when others of the batch have an outcome", () => {
  const sendOptions: SendOptions = {
    batch: true,
    allOrNone: false,
    headers: {},
    onUnknownOutcome: "fail",
    grouped: false,
  };
  const record = (): StoredRecord => ({ planned: { fields: {}, withheld: [], ifEmpty: [] } });
  const write = { operationId: created.operationId, writeType: "create" as const, objectName: "people" };
  const listKeys = (records: StoredRecord[]) =>
    buildPendingPlan(write, sendOptions, records).records.map(({ idempotencyKey }) => idempotencyKey?.());
  const all = listKeys([record(), record(), record()]);
  const done = { ...record(), outcome: { success: true as const, recordId: "1" } };
  assert.deepEqual(listKeys([done, record(), record()]), all.slice(1));
  assert.notDeepEqual(listKeys([done, { ...record(), refusals: 1 }]), all.slice(1, 2));
});

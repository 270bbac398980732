/** Batch reads of HubSpot: a record that an answer leaves out is gone only where HubSpot says so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

const record = (id: string): JsonObject => ({ id, properties: { hs_object_id: id, city: "Ulm" } });
const multi = (results: JsonObject[], errors: JsonObject[]): Reply => ({
  status: 207,
  body: { status: "COMPLETE", results, numErrors: errors.length, errors },
});

const byIds = async (reply: Reply) =>
  read.readByIds(
    { objectName: "contacts", fields: ["city"], associations: [] },
    ["1", "2"],
    replay(reply).fetch,
  );
const values = async (reply: Reply) =>
  write.readFields({ objectName: "contacts", ids: ["1", "2"], fields: ["city"] }, replay(reply).fetch);

/**
 * `BatchResponseSimplePublicObjectWithErrors` and `StandardError` of HubSpot/HubSpot-public-api-spec-collection, 2026-03, 2026-08-21: an error has
 * a category of any kind, and the answer a state of `COMPLETE`, `CANCELED`, `PENDING` or `PROCESSING`.
 */
test("a record that a batch read lacks for another reason than that it is gone fails the read", async () => {
  const errors: [JsonObject, string][] = [
    [{ category: "RATE_LIMITS", message: "later" }, "rate_limited"],
    [{ category: "MISSING_SCOPES", message: "no" }, "forbidden"],
    [{ category: "VALIDATION_ERROR", message: "no" }, "invalid"],
    [{ category: "INTERNAL", message: "oops" }, "unavailable"],
  ];
  for (const [error, kind] of errors) {
    const reply = multi([record("1")], [{ status: "error", ...error }]);
    await assert.rejects(byIds(reply), { kind });
    await assert.rejects(values(reply), { kind });
  }
  for (const status of ["CANCELED", "PENDING", "PROCESSING"])
    await assert.rejects(byIds({ status: 200, body: { status, results: [] } }), { kind: "unavailable" });
});

test("a batch read that counts errors and gives none leaves open what became of the records that it lacks", async () => {
  const counted = { status: 207, body: { status: "COMPLETE", results: [record("1")], numErrors: 1 } };
  await assert.rejects(byIds(counted), /counts 1 error.* and gives none/);
  await assert.rejects(values(counted), { kind: "unavailable" });
  assert.deepEqual(
    (await byIds({ ...counted, body: { ...counted.body, numErrors: 0 } })).map(({ id }) => id),
    ["1"],
  );
});

/** github.com/bruin-data/ingestr, pull request 1203, 2026-09-22: a batch of which no record exists is answered with 404. */
test("a batch of which no record exists any more is empty, and an address that is not there a failure", async () => {
  const body = { status: "error", category: "OBJECT_NOT_FOUND", message: "resource not found" };
  assert.deepEqual(await byIds({ status: 404, body }), []);
  assert.equal((await values({ status: 404, body })).size, 0);
  await assert.rejects(byIds({ status: 404 }), { kind: "not_found" });
});

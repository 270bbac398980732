/** Airtable's fields without a value: an answer has no member for them, and none for a field that was renamed or deleted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../ground/json.ts";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["airtable"] ?? {};
assert.ok(read);

const TABLE = "appQuill000000001/tblPens0000000001";

// The form of an answer is that of the vendor's client, `src/table.ts` (0.12.2).
const answer = (...fields: Record<string, Json>[]) => ({
  status: 200,
  body: { records: fields.map((values, index) => ({ id: `rec0000000000000${index}`, fields: values })) },
});

const readNamed = async (since: Date | undefined, ...answers: ReturnType<typeof answer>[]) => {
  const { fetch, requests } = replay(...answers);
  const plan = planRead(TABLE, { fields: ["Name", "Old name"], ...(since && { since }) });
  const { records } = await read.readPage(plan, undefined, fetch);
  return { values: records.map(({ values }) => [values["Name"], values["Old name"]]), requests };
};

const SINCE = new Date("2026-11-28T10:00:00.000Z");

test("a field that no record has stays absent: null would wipe what the receiver has of a field that was renamed", async () => {
  const { values } = await readNamed(undefined, answer({ Name: "Ada", "New name": "x" }));
  assert.deepEqual(values, [["Ada", undefined]]);
});

test("a field that another record of the page has was cleared: null, without a further request", async () => {
  const { values, requests } = await readNamed(SINCE, answer({ Name: "Ada" }, { "Old name": "x" }));
  assert.deepEqual(values, [
    ["Ada", null],
    [null, "x"],
  ]);
  assert.equal(requests.length, 1);
});

test("where no changed record has a field, the first page of the whole list tells whether the table does", async () => {
  const cleared = await readNamed(SINCE, answer({ Name: "Ada" }), answer({ Name: "Bo", "Old name": "x" }));
  assert.deepEqual(cleared.values, [["Ada", null]]);
  const [, whole, ...more] = cleared.requests;
  assert.equal(whole?.path, `/v0/${TABLE}?pageSize=100`);
  assert.equal(more.length, 0);
  const renamed = await readNamed(SINCE, answer({ Name: "Ada" }), answer({ Name: "Bo", "New name": "x" }));
  assert.deepEqual(renamed.values, [["Ada", undefined]]);
});

test("whether the table has a field is asked once for all pages of a read", async () => {
  const page = (id: string, offset?: string) => ({
    status: 200,
    body: { records: [{ id, fields: { Name: "Ada" } }], ...(offset !== undefined && { offset }) },
  });
  const whole = answer({ "Old name": "x" });
  const { fetch, requests } = replay(page("rec1", "itr/1"), whole, page("rec2", "itr/2"), page("rec3"));
  const plan = planRead(TABLE, { fields: ["Name", "Old name"], since: SINCE });
  const first = await read.readPage(plan, undefined, fetch);
  const second = await read.readPage(plan, first.next, fetch);
  const third = await read.readPage(plan, second.next, fetch);
  for (const { records } of [first, second, third]) assert.equal(records[0]?.values["Old name"], null);
  assert.equal(requests.length, 4);
});

test("records that are read by their ids tell the same", async () => {
  const plan = { objectName: TABLE, fields: ["Old name"], associations: [] };
  const one = { status: 200, body: { id: "rec00000000000000", fields: { Name: "Ada" } } };
  const cleared = replay(one, answer({ "Old name": "x" }));
  const [record] = await read.readByIds(plan, ["rec00000000000000"], cleared.fetch);
  assert.equal(record?.values["Old name"], null);
  const renamed = replay(one, answer({ "New name": "x" }));
  const [other] = await read.readByIds(plan, ["rec00000000000000"], renamed.fetch);
  assert.ok(other && !("Old name" in other.values));
});

/** Close's Advanced Filtering, by which leads and contacts are read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import type { Checkpoint, ReadConnector } from "../../connector-kit/read-connector.ts";
import type { Json } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["close"] ?? {};
assert.ok(read);

const BOUND = "query.queries.1.condition.on_or_after.value";
const time = "2026-07-01T10:00:00.123000+00:00";

// PostHog/posthog#74146 (2026-07-28): the cursor is for a run of records that share one time.
test("records of one time are read by the cursor, and the next ones by their time", async () => {
  for (const objectName of ["lead", "contact"]) await readOneTime(read, objectName);
});

async function readOneTime(reader: ReadConnector, objectName: string): Promise<void> {
  const lead = (number: number) => ({ id: `lead_${number}`, date_updated: time });
  const ask = (body: Json | undefined, path: string) => getValueAt(body as Json, path);
  const { fetch, requests } = replay(({ body }) => {
    const isLast = ask(body as Json, "cursor") === "c2";
    const cursor = ask(body as Json, BOUND) === "1970-01-01T00:00:00.000Z" ? "c1" : "c2";
    return {
      status: 200,
      body: isLast ? { data: [lead(3)], cursor: null } : { data: [lead(1), lead(2)], cursor },
    };
  });
  const pages = [];
  let next: Checkpoint | undefined;
  do {
    const page = await reader.readPage(planRead(objectName), next, fetch);
    pages.push(page.records.map(({ id }) => id));
    next = page.next;
  } while (next && pages.length < 10);
  assert.equal(next, undefined, "the pages of one time are compared, and end");
  assert.deepEqual(pages.slice(0, 3), [["lead_1", "lead_2"], [], ["lead_3"]]);
  assert.deepEqual(pages.slice(3).flat(), []);
  const asked = requests.map(({ body }) => [ask(body as Json, BOUND), ask(body as Json, "cursor")]);
  assert.deepEqual(asked.slice(0, 3), [
    ["1970-01-01T00:00:00.000Z", undefined],
    ["2026-07-01T10:00:00.123Z", undefined],
    ["2026-07-01T10:00:00.123Z", "c2"],
  ]);
}

test("named fields are asked for alone, custom ones by their ids; a read of all fields names those that Close documents", () => {
  for (const [objectName, own] of [
    ["lead", "status_label"],
    ["contact", "phones"],
  ] as const) {
    const names = getValueAt(read.preparePage(planRead(objectName)).body as Json, `_fields.${objectName}`);
    assert.ok(Array.isArray(names));
    for (const name of ["id", "name", own, "custom", "date_updated"]) assert.ok(names.includes(name), name);
  }
  for (const objectName of ["lead", "contact"]) {
    const { body } = read.preparePage(planRead(objectName, { fields: ["custom.cf_1a2b", "title"] }));
    const wanted = ["custom.cf_1a2b", "title", "id", "date_updated"];
    assert.deepEqual(getValueAt(body as Json, `_fields.${objectName}`), wanted);
  }
});

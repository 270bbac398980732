/** Which records of a page are delivered: what has changed since it was delivered, and nothing that is overtaken. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { JsonObject } from "../../../ground/json.ts";
import { nowMs } from "../../../ground/clock.ts";
import { commitReadPages } from "../../store/reads/read-pages.ts";
import { chooseDeletions, chooseRecords, type Chosen } from "./choose-records.ts";
import { WORKER } from "../../../tests/fixtures/installed-fixture.ts";
import { openScan } from "../../../tests/fixtures/scanned-fixture.ts";

const EARLIER = new Date(nowMs() - 60_000);
const LATER = new Date(nowMs() - 30_000);

async function openRecording(t: TestContext, kind: "scheduled" | "triggered" = "scheduled") {
  const { busbar, scan } = await openScan(t, kind, {
    deletedRecords: "always",
    requiredFields: [{ fieldName: "name" }],
  });
  async function remember(chosen: Chosen) {
    const { fingerprints, forgotten } = chosen;
    const place = { untilTime: null, stage: "records", checkpoint: null } as const;
    const page = {
      operationId: scan.run.operationId,
      workerId: WORKER,
      metadata: {},
      log: [],
      messages: [],
      seen: [],
    };
    await commitReadPages(busbar.queries, [{ ...page, ...place, fingerprints, forgotten, release: false }]);
    return chosen.entries.map((text) => JSON.parse(text));
  }
  /** Reads the record with this name and change time, on a page that arrived then; returns what is delivered. */
  const page = async (name: string, changeTime?: Date, arrived = new Date(), raw: JsonObject = { name }) => {
    const record = { id: "1", ...(changeTime && { changeTime }), raw, values: { id: "1", name } };
    const page = { records: [record], time: arrived, untilTime: new Date() };
    return remember(await chooseRecords(busbar, scan, page));
  };
  const deletion = async (deletedTime: Date) =>
    remember(
      await chooseDeletions(busbar, scan, { records: [{ id: "1", deletedTime, raw: {} }], time: new Date() }),
    );
  return { page, deletion };
}

test("an entry says when the record changed at the provider and when its page came; a deletion when it happened", async (t) => {
  const { page, deletion } = await openRecording(t);
  const arrived = new Date(nowMs() - 5_000);
  const [entry] = await page("a", EARLIER, arrived);
  assert.deepEqual([entry.changeTime, entry.readTime], [EARLIER.toISOString(), arrived.toISOString()]);
  const [deleted] = await deletion(LATER);
  assert.equal(deleted.changeTime, LATER.toISOString());
  assert.ok(Date.parse(deleted.readTime) > 0);
  // Texts of later times would not sort.
  const [last] = await deletion(new Date(8.64e15));
  assert.equal(last.changeTime, "9999-12-31T23:59:59.999Z");
});

test("a record is delivered once, and again when its content or its change time differs", async (t) => {
  const { page } = await openRecording(t);
  assert.equal((await page("a", EARLIER)).length, 1);
  assert.equal((await page("a", EARLIER)).length, 0);
  assert.equal((await page("b", EARLIER)).length, 1);
  assert.equal((await page("b", LATER)).length, 1);
});

test("a record whose change time is not known is delivered once, again when any member differs, and its deletion once", async (t) => {
  const { page, deletion } = await openRecording(t);
  assert.equal((await page("a")).length, 1);
  assert.equal((await page("a")).length, 0);
  assert.equal((await page("a", undefined, new Date(), { name: "a", more: 1 })).length, 1);
  assert.equal((await page("b", undefined, new Date(), { name: "b", more: 1 })).length, 1);
  assert.equal((await deletion(LATER)).length, 1);
  assert.equal((await deletion(LATER)).length, 0);
  assert.equal((await page("b")).length, 1);
  assert.equal((await page("b", LATER, new Date(nowMs() - 10_000))).length, 1, "it has a time now");
});

test("the deletion of a record whose change time no Date holds is delivered", async (t) => {
  const { page, deletion } = await openRecording(t);
  assert.equal((await page("a", new Date(8.64e15))).length, 1);
  assert.equal((await page("a", new Date(8.64e15))).length, 0);
  assert.equal((await deletion(LATER)).length, 1);
});

test("a page that arrived before a newer version was committed does not deliver the older one", async (t) => {
  const { page } = await openRecording(t);
  const arrived = new Date(nowMs() - 10_000);
  assert.equal((await page("new", LATER)).length, 1);
  assert.equal((await page("old", EARLIER, arrived)).length, 0);
  assert.equal((await page("committed late", EARLIER)).length, 1);
});

test("a deletion is delivered once; a restored record, and its next deletion, are delivered again", async (t) => {
  const { page, deletion } = await openRecording(t);
  await page("a", EARLIER);
  assert.equal((await deletion(LATER))[0]?.deleted, true);
  assert.equal((await deletion(LATER)).length, 0);
  assert.equal(
    (await page("a", EARLIER, new Date(nowMs() - 10_000))).length,
    0,
    "a page from before the deletion",
  );
  const restored = new Date(nowMs() - 5_000);
  assert.equal((await page("a", restored)).length, 1);
  assert.equal((await deletion(LATER)).length, 0, "the deletion is older than the restored record");
  assert.equal((await deletion(new Date())).length, 1);
});

test("a triggered read delivers everything that was asked for and remembers nothing", async (t) => {
  const { page } = await openRecording(t, "triggered");
  assert.equal((await page("a", EARLIER)).length, 1);
  assert.equal((await page("a", EARLIER)).length, 1);
});

for (const kind of ["scheduled", "triggered"] as const) {
  test(`a deletion is delivered again if a lagging index let a ${kind} read deliver the record after it`, async (t) => {
    const { page, deletion } = await openRecording(t, kind);
    await page("a", EARLIER);
    assert.equal((await deletion(LATER)).length, 1);
    assert.equal((await page("a", EARLIER)).length, 1, "the index still has the record");
    assert.equal((await deletion(LATER)).length, 1);
    assert.equal((await deletion(LATER)).length, 0);
  });
}

/** HubSpot's owners and lists: every read returns all of them, and the connector applies times and filters itself. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Json } from "../../ground/json.ts";
import { fetchFrom, openSandbox } from "../../connector-kit/testing/reading-fixture.ts";
import type { ReadPlan } from "../../connector-kit/read-connector.ts";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { fields } from "./fields.ts";
import { read } from "./read.ts";

const sandbox = await openSandbox();
after(() => sandbox.close());
const fetch = fetchFrom(sandbox.hubspot.url, sandbox.hubspot.staticToken);

async function scan(asked: ReadPlan): Promise<string[]> {
  const ids: string[] = [];
  let checkpoint;
  do {
    const page = await read.readPage(asked, checkpoint, fetch);
    ids.push(...page.records.map(({ id }) => id));
    checkpoint = page.next;
  } while (checkpoint);
  return ids;
}

test("owners and lists are read in pages, filtered by time and by fields, and counted", async () => {
  for (const pageSize of [1, 100]) {
    // The last one is archived: records may still name it.
    assert.deepEqual(await scan(planRead("owners", { pageSize })), ["410010", "410011", "410012", "410013"]);
    assert.deepEqual(await scan(planRead("lists", { pageSize })), ["1", "2", "3"]);
  }
  assert.deepEqual(await scan(planRead("lists", { filters: [{ fieldName: "name", value: "partners" }] })), [
    "3",
  ]);
  assert.deepEqual(await scan(planRead("owners", { since: new Date("2024-01-03") })), ["410013"]);
  assert.equal(await read.count(planRead("owners"), fetch), 4);
  const metadata = await fields.describe("owners", fetch);
  const sample = await read.readSample(planRead("owners", { metadata }), fetch);
  assert.ok(sample);
  for (const name of Object.keys(sample.raw)) assert.ok(metadata.fields[name], name);
  assert.deepEqual(
    (await read.readByIds(planRead("lists"), ["2", "9"], fetch)).map(({ id }) => id),
    ["2"],
  );
});

test("lists can be searched, owners cannot, and neither has associations or shows deletions", async () => {
  const found = await read.search(
    planRead("lists", { filters: [{ fieldName: "listId", value: "2" }] }),
    fetch,
  );
  assert.deepEqual([found.records.map(({ id }) => id), found.truncated], [["2"], false]);
  await assert.rejects(read.search(planRead("owners"), fetch), { kind: "invalid" });
  const period = { objectName: "lists", since: new Date(0), until: new Date() };
  assert.deepEqual(await read.readDeletions(period, undefined, fetch), { records: [] });
  const associations = ["contacts"];
  await assert.rejects(read.readPage(planRead("owners", { associations }), undefined, fetch), {
    kind: "invalid",
  });
});

test("an empty page of owners that names a next one goes on", async () => {
  const provider = replay({ status: 200, body: { results: [], paging: { next: { after: "1" } } } });
  const { next } = await read.readPage(planRead("owners"), undefined, provider.fetch);
  assert.equal(next?.cursor, "1");
});

test("archived owners are asked for behind the last page of the others, page by page", async () => {
  const page = (id: string, after?: string) => ({
    status: 200,
    body: { results: [{ id }], ...(after !== undefined && { paging: { next: { after } } }) },
  });
  const replies = [page("1", "a"), page("2"), page("3", "a"), page("4")];
  const provider = replay(() => replies.shift() ?? page("5"));
  const ids: string[] = [];
  let checkpoint;
  do {
    const { records, next } = await read.readPage(planRead("owners"), checkpoint, provider.fetch);
    ids.push(...records.map(({ id }) => id));
    checkpoint = next;
  } while (checkpoint);
  assert.deepEqual(ids, ["1", "2", "3", "4"]);
  // HubSpot-public-api-spec-collection, CRM/Crm Owners, 2026-03: `archived` and `after` of the query.
  assert.deepEqual(
    provider.requests.map(({ path }) => path.replace(/^.*limit=100&/, "")),
    ["archived=false", "archived=false&after=a", "archived=true", "archived=true&after=a"],
  );
});

/** supaglue-labs/supaglue, issue 665: an owner that is archived has no time of that, so that a comparison with `updatedAt` misses it. */
test("an owner that was archived is found by a read of changes, whenever it was updated last", async () => {
  const page = (id: string, archived: boolean) => ({
    status: 200,
    body: { results: [{ id, updatedAt: "2026-01-01T00:00:00Z", archived }] },
  });
  const replies = [page("1", false), page("2", true)];
  const provider = replay(() => replies.shift() ?? page("3", true));
  const plan = planRead("owners", { since: new Date("2026-06-01"), until: new Date("2026-06-02") });
  const active = await read.readPage(plan, undefined, provider.fetch);
  const archived = await read.readPage(plan, active.next, provider.fetch);
  assert.deepEqual(active.records, []);
  // Without a time of change it is delivered when its content changes.
  assert.deepEqual(
    archived.records.map(({ id, changeTime }) => [id, changeTime]),
    [["2", undefined]],
  );
});

test("lists that HubSpot counts and gives no page of are a failure with both numbers", async () => {
  const lists = [{ listId: "9501" }, { listId: "9502" }];
  const answer = (total: number) =>
    replay({ status: 200, body: { lists, hasMore: false, offset: 9502, total } }).fetch;
  const place = { cursor: "9500", pages: 19, first: "9001" };
  await assert.rejects(read.readPage(planRead("lists"), place, answer(12_000)), /12000 lists.*first 9502/);
  assert.equal((await read.readPage(planRead("lists"), place, answer(9_502))).next, undefined);
});

test("no list is missed where many are deleted while they are read, also more than pages overlap or a page has", async () => {
  const counted = Array.from({ length: 1_500 }, (_, index) => ({ listId: String(index + 1) }));
  // Those that are deleted before the page behind `at`: in front, at the end of a page (of the first one, too), all.
  for (const [from, to, at] of [
    [0, 30, 900],
    [960, 990, 900],
    [490, 500, 490],
    [0, 990, 900],
  ] as const)
    for (const pageSize of [100, 500]) {
      let left = counted;
      const provider = replay(({ body }) => {
        const { offset, count } = body as { offset: number; count: number };
        if (offset >= at && left === counted) left = counted.toSpliced(from, to - from);
        const lists = left.slice(offset, offset + count);
        const end = offset + lists.length;
        return {
          status: 200,
          body: { lists, hasMore: end < left.length, offset: end, total: left.length },
        };
      });
      const ids: string[] = [];
      let checkpoint;
      do {
        const page = await read.readPage(planRead("lists", { pageSize }), checkpoint, provider.fetch);
        ids.push(...page.records.map(({ id }) => id));
        checkpoint = page.next;
      } while (checkpoint);
      const distinct = new Set(ids);
      assert.deepEqual(
        left.filter(({ listId }) => !distinct.has(listId)),
        [],
      );
      // Where those that pages overlap by are still there, it goes back by one page, and else to the start.
      const repeated = ids.length - distinct.size;
      assert.ok(repeated <= (from === 0 ? pageSize : at + pageSize), `${repeated} repeated`);
    }
});

test("pages that repeat or never end are refused", async () => {
  const owner = { id: "1", updatedAt: "2026-01-01T00:00:00Z" };
  const bodies: Json[] = [
    { results: [owner], paging: { next: { after: "1" } } },
    { results: [], paging: { next: { after: "0" } } },
    { results: [{}] },
    { results: 1 },
  ];
  for (const body of bodies) {
    const provider = replay({ status: 200, body });
    const place = { cursor: "0", pages: 1, first: "1" };
    await assert.rejects(read.readPage(planRead("owners"), place, provider.fetch), { kind: "unreadable" });
  }
  const more = replay({ status: 200, body: { lists: [{ listId: "1" }], hasMore: true, offset: 500 } });
  const last = { cursor: "7", pages: 999, first: "0" };
  await assert.rejects(read.readPage(planRead("lists"), last, more.fetch), { kind: "unreadable" });
});

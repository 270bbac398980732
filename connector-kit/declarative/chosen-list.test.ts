/** Logs of deletions as vendors document them, and objects of which nothing tells deletions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./scan-fixture.ts";

test("a log of deletions names records in its own way, gets both ends of the period, and may be forbidden", async (t) => {
  let status = 200;
  let more: object[] = [];
  const { read, fetch, requests } = await open(
    t,
    {
      paging: { cursor: { from: "next", to: "query.cursor" } },
      furtherLists: [
        {
          list: { path: "/log", query: { kind: "deletion of {path}{from}" } },
          idPath: "of.0.id",
          changedPath: "at",
          since: {
            to: "fill.from",
            template: " from {since}",
            format: "sql",
            until: "query.until",
            overlapMinutes: 60,
          },
          deleted: true,
          mayBeForbidden: true,
        },
      ],
    },
    () => ({ status, body: { data: [...more, { of: [{ id: 7 }], at: "2026-02-03T04:05:06Z" }] } }),
  );
  const period = {
    objectName: "people",
    since: new Date("2026-02-01T12:00:00Z"),
    until: new Date("2026-03-01T00:00:00Z"),
  };
  // A log may show an entry late; changes have their own overlap.
  assert.deepEqual([read.abilities.overlapMs, read.abilities.deletionsOverlapMs], [60_000, 3_600_000]);
  const { records } = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(
    records.map(({ id, deletedTime }) => [id, deletedTime?.toISOString()]),
    [["7", "2026-02-03T04:05:06.000Z"]],
  );
  assert.deepEqual(
    requests.map((path) => decodeURIComponent(path)),
    ["/log?kind=deletion of people from 2026-02-01 12:00:00&until=2026-03-01 00:00:00"],
  );
  more = [{ of: null, at: "2026-02-03T04:05:06Z" }, { of: [{ type: "app" }] }];
  const unnamed = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(
    unnamed.records.map(({ id }) => id),
    ["7"],
  );
  assert.match(unnamed.warning ?? "", /^2 reported deletions may be of people, but do not name the record/);
  status = 403;
  const refused = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(refused.records, []);
  assert.match(refused.warning ?? "", /deletions of people are not read/);
  status = 400;
  await assert.rejects(read.readDeletions(period, undefined, fetch));
});

test("an object without a list of deletions says that none are read", async (t) => {
  const { read, fetch } = await open(t, { paging: { none: true } }, () => ({ body: { data: [] } }));
  const period = { objectName: "people", since: new Date(0), until: new Date() };
  const { records, warning } = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(records, []);
  assert.match(warning ?? "", /deletions of people are not read/);
});

test("a further list that has other records, too, gives its own only", async (t) => {
  const { scan } = await open(
    t,
    { paging: { none: true }, furtherLists: [{ path: "/all", where: { at: "parent.id" } }] },
    (_, path) => ({
      body: { data: [{ id: 1, parent: null }, ...(path === "/all" ? [{ id: 2, parent: { id: 1 } }] : [])] },
    }),
  );
  assert.deepEqual(await scan(), ["1", "2"]);
});

test("a further list is left out where the answer before says that it has nothing", async (t) => {
  const paging = { page: { to: "query.p", first: 1 } };
  const levels = { path: "/all", when: "levels=many" };
  const asked = async (said: string, further = levels): Promise<string[]> => {
    const { scan, requests } = await open(t, { paging, furtherLists: [further] }, (query) => ({
      body: { levels: said, data: query.get("p") === "1" ? [{ id: 1 }] : [] },
    }));
    await scan();
    return requests.map((path) => path.split("?")[0] ?? "");
  };
  assert.equal((await asked("one")).includes("/all"), false);
  assert.equal((await asked("many")).includes("/all"), true);
});

/** Bounds as the caller makes them: so long before the end of the last period. */
const OVERLAP_MS = 60_000;

test("deletions of a time in which their log was forbidden are read when it is allowed, for a week back", async (t) => {
  let status = 403;
  const { read, fetch, requests } = await open(
    t,
    {
      paging: { none: true },
      furtherLists: [
        { list: { path: "/log" }, deleted: true, mayBeForbidden: true },
        { list: { path: "/bin" }, deleted: true },
      ],
    },
    (_, path) => ({ status: path === "/log" ? status : 200, body: { data: [] } }),
  );
  const readAll = async (last: Date, until: Date) => {
    const period = { objectName: "people", since: new Date(last.getTime() - OVERLAP_MS), until };
    const first = await read.readDeletions(period, undefined, fetch);
    assert.ok(first.next);
    return read.readDeletions(period, first.next, fetch);
  };
  assert.equal(read.abilities.overlapMs, OVERLAP_MS);
  const [last, until] = [new Date("2026-02-01T12:00:00Z"), new Date("2026-02-03T12:00:00Z")];
  const forbidden = await readAll(last, until);
  assert.deepEqual([forbidden.next, forbidden.coveredUntil], [undefined, last]);
  const late = await readAll(last, new Date("2026-03-01T12:00:00Z"));
  assert.deepEqual(late.coveredUntil, new Date("2026-02-22T12:00:00Z"));
  status = 200;
  assert.equal((await readAll(last, until)).coveredUntil, undefined);
  assert.deepEqual(requests.slice(-2), ["/log", "/bin"]);
});

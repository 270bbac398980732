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

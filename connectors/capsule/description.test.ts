/** Capsule's deletions as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write } = CONNECTORS["capsule"] ?? {};
assert.ok(read && write);

/** Copies of https://developer.capsulecrm.com/v2/operations/Party, Opportunity and Case at https://withone.ai/knowledge/capsule, read on 2026-11-28. */
const GONE = [
  { id: 448354, deletedAt: "2015-07-14T11:26:19Z" },
  { id: 448371, deletedAt: "2015-08-03T10:23:20Z" },
];
const RESTRICTED = [{ id: 448427, type: "person", firstName: null, lastName: "Private", isRestricted: true }];

for (const [objectName, restricted] of [
  ["parties", "restrictedParties"],
  ["opportunities", "restrictedOpportunities"],
  ["kases", "restrictedKases"],
] as const)
  test(`deleted ${objectName} are reported with their time, restricted ones are not`, async () => {
    const { fetch, requests } = replay({
      status: 200,
      body: { [objectName]: GONE, [restricted]: RESTRICTED },
    });
    const period = {
      objectName,
      since: new Date("2015-07-01T00:00:00Z"),
      until: new Date("2015-09-01T00:00:00Z"),
    };
    const { records, next } = await read.readDeletions(period, undefined, fetch);
    assert.equal(next, undefined);
    assert.deepEqual(
      records.map(({ id, deletedTime }) => [id, deletedTime?.toISOString()]),
      [
        ["448354", "2015-07-14T11:26:19.000Z"],
        ["448371", "2015-08-03T10:23:20.000Z"],
      ],
    );
    // "Only entities that have been changed after this date": the bound itself is asked for, too.
    assert.deepEqual(
      requests.map(({ method, path }) => [method, path]),
      [["GET", `/v2/${objectName}/deleted?since=2015-06-30T23%3A59%3A59Z`]],
    );
  });

/** soil-dev/capsulemcp, NOTES-ON-CAPSULE-API.md, section 27, tried with an account: "whichever of the two is absent from the body is cleared to null". */
test("a new owner of a project leaves its team, and a new team its owner", async () => {
  const kase = { id: 5, name: "Move", owner: { id: 7, username: "ada" }, team: { id: 8, name: "Ink" } };
  for (const [fields, sent] of [
    [{ owner: { id: 9 } }, { owner: { id: 9 }, team: { id: 8 } }],
    [{ team: { id: 9 } }, { team: { id: 9 }, owner: { id: 7 } }],
  ]) {
    const { fetch, requests } = replay({ status: 200, body: { kase } });
    await write.write(orderWrite("kases", "update", { id: "5", fields: fields ?? {} }), fetch);
    assert.deepEqual(
      requests.map(({ method, body }) => [method, body]),
      [
        ["GET", undefined],
        ["PUT", { kase: sent }],
      ],
    );
  }
});

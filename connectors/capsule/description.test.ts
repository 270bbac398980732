/** Capsule's deletions as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["capsule"] ?? {};
assert.ok(read);

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

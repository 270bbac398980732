/** Merges of HubSpot records, told as deletions of the records that vanished. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openSandbox, buildSandboxAccount } from "../../connector-kit/testing/reading-fixture.ts";
import type { Checkpoint, DeletedRecord } from "../../connector-kit/read-connector.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { read } from "./read.ts";

const sandbox = await openSandbox();
after(() => sandbox.close());

async function deletions(fetch: ProviderFetch, since: Date, until: Date): Promise<DeletedRecord[]> {
  const found: DeletedRecord[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await read.readDeletions({ objectName: "contacts", since, until }, checkpoint, fetch);
    found.push(...page.records);
    checkpoint = page.next;
  } while (checkpoint);
  return found;
}

/*
 * What HubSpot does: github.com/HubSpot/hubspot-api-nodejs, issue 6 (the record that is left names the others in `hs_merged_object_ids`);
 * github.com/fivetran/dbt_hubspot, issues 134 and 172 (deals that were merged are not archived); HubSpot-public-api-spec-collection of
 * 2026-08-21, `propertiesWithHistory` of batch reads and `ValueWithTimestamp` of their answers.
 */
test("the loser of a merge is reported as a deletion at the time of the merge, and once only", async () => {
  const { fetch } = buildSandboxAccount(sandbox, sandbox.hubspot, {
    objectName: "contacts",
    names: { text: "firstname", other: "jobtitle", unknown: "nothing" },
  });
  const { account } = sandbox.hubspot;
  const start = new Date(sandbox.clock.now());
  const made = [1, 2, 3, 4].map((n) =>
    account.put("contacts", { values: { firstname: `c${n}` }, stamp: true }),
  );
  const [winner = "", early = "", late = "", archived = ""] = made;
  sandbox.clock.advance(60_000);
  account.merge("contacts", winner, [early]);
  const between = sandbox.clock.now() + 30_000;
  sandbox.clock.advance(60_000);
  account.merge("contacts", winner, [late]);
  account.archive("contacts", archived);
  const lateTime = new Date(sandbox.clock.now());
  sandbox.clock.advance(60_000);
  account.put("contacts", { id: winner, values: { jobtitle: "chief" }, stamp: true });
  const end = new Date(sandbox.clock.now());
  const first = await deletions(fetch, start, new Date(between));
  assert.deepEqual(
    first.map(({ id, raw }) => [id, raw.mergedInto]),
    [[early, winner]],
  );
  const second = await deletions(fetch, new Date(between), end);
  assert.deepEqual(second.map(({ id }) => id).toSorted(), [late, archived]);
  const reportedTime = second.find(({ id }) => id === late)?.deletedTime?.getTime() ?? 0;
  assert.ok(reportedTime > between && reportedTime <= lateTime.getTime());
  assert.deepEqual(await deletions(fetch, new Date(end.getTime() + 1), new Date(end.getTime() + 2)), []);
});

const since = new Date("2026-03-01T00:00:00Z");
const until = new Date("2026-03-02T00:00:00Z");
const empty: Reply = { status: 200, body: { results: [] } };

test("a record that came out of a merge with a new id names all of its predecessors", async () => {
  const properties = { hs_object_id: "33", hs_merged_object_ids: "11;22;33" };
  const at = "2026-03-01T10:00:00.000Z";
  const found = { id: "33", properties, createdAt: at, updatedAt: at, archived: false };
  const history = { hs_merged_object_ids: [{ value: "11;22", timestamp: at, sourceType: "MERGE_OBJECTS" }] };
  const provider = replay(
    empty,
    { status: 200, body: { total: 1, results: [found] } },
    { status: 200, body: { status: "COMPLETE", results: [{ ...found, propertiesWithHistory: history }] } },
  );
  const deleted = await deletions(provider.fetch, since, until);
  assert.deepEqual(
    deleted.map(({ id, deletedTime }) => [id, deletedTime]),
    [
      ["11", new Date(at)],
      ["22", new Date(at)],
    ],
  );
  assert.deepEqual(provider.requests[1]?.body, {
    filterGroups: [
      {
        filters: [
          { propertyName: "lastmodifieddate", operator: "GTE", value: String(since.getTime()) },
          { propertyName: "hs_merged_object_ids", operator: "HAS_PROPERTY" },
        ],
      },
    ],
    sorts: [{ propertyName: "hs_object_id", direction: "ASCENDING" }],
    properties: ["hs_merged_object_ids"],
    limit: 200,
  });
});

test("an object without merges or without search has no more deletions than its archived records", async () => {
  const message = "There was a problem with the request: property hs_merged_object_ids does not exist";
  for (const status of [400, 404]) {
    const provider = replay(empty, {
      status,
      body: { status: "error", message, category: "VALIDATION_ERROR" },
    });
    assert.deepEqual(await deletions(provider.fetch, since, until), []);
  }
  const down = replay(empty, { status: 503, body: { status: "error", message: "down" } });
  await assert.rejects(deletions(down.fetch, since, until), /down/);
  // Without HubSpot's own error it may come from something in between, and the period is not looked at again.
  await assert.rejects(deletions(replay(empty, { status: 404 }).fetch, since, until), { status: 404 });
});

/** Guide, "Retrieve a batch of records": with `propertiesWithHistory`, 50 records at most (read 2026-11-27). */
test("histories are asked of 50 records at a time, and a page that counts more than it has is followed by the next", async () => {
  const contact = (id: number) => ({ id: String(id), properties: { hs_merged_object_ids: "7" } });
  const listed = Array.from({ length: 60 }, (_, index) => contact(1_001 + index));
  const provider = replay(
    empty,
    { status: 200, body: { total: 61, results: listed } },
    { status: 200, body: { results: [] } },
    { status: 200, body: { results: [] } },
    { status: 200, body: { total: 1, results: [contact(1_061)] } },
    { status: 200, body: { results: [] } },
  );
  await deletions(provider.fetch, since, until);
  const sizes = provider.requests.flatMap(({ body }) => {
    const { inputs } = (body ?? {}) as { inputs?: unknown[] };
    return inputs ? [inputs.length] : [];
  });
  assert.deepEqual(sizes, [50, 10, 1]);
});

/** Places in lists that the provider refuses as if the key were bad, or breaks at again and again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildDyingCursors, open, people, PLAN, upTo, type Answer } from "./scan-fixture.ts";

test("a list whose cursors are always refused as unauthorized, while the key works, fails and says so; no customer has to connect", async (t) => {
  const cursor = { from: "next", to: "query.cursor" };
  const refusal: Answer = { status: 401, body: { error: "session expired" } };
  const never = await open(t, { paging: { cursor } }, buildDyingCursors(refusal, [2, 4, 6, 8, 10, 12]));
  await assert.rejects(never.scan(), {
    kind: "unreadable",
    message: /next page of the list as if the credentials were bad.*session expired/,
  });
});

test("a key that is withdrawn while a list is begun anew is told as such", async (t) => {
  let requests = 0;
  const { scan } = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, () => {
    requests += 1;
    return requests === 1 || requests === 3
      ? { body: { data: people(1, 2), next: `${requests}-0` } }
      : { status: 401, body: { error: "no" } };
  });
  await assert.rejects(scan(), { kind: "unauthorized" });
});

/** A cursor that breaks the provider for ever: 500 at each request, while the list can be read from its beginning. */
test("a place at which the provider breaks again and again is replaced, and an outage is waited for", async (t) => {
  const cursor = { from: "next", to: "query.cursor" };
  const broken: Answer = { status: 500, body: { error: "Internal Server Error" } };
  const { scan, read, fetch } = await open(t, { paging: { cursor } }, buildDyingCursors(broken, [2]));
  const first = await read.readPage(PLAN, undefined, fetch);
  for (const failures of [0, 1, 5])
    await assert.rejects(read.readPage({ ...PLAN, failures }, first.next, fetch), { kind: "unavailable" });
  const again = await read.readPage({ ...PLAN, failures: 6 }, first.next, fetch);
  assert.equal(again.restarted, true);
  assert.deepEqual(await scan(), upTo(6));
  // An outage: the beginning of the list breaks, too, and the place is kept.
  const outage = await open(t, { paging: { cursor } }, (query) =>
    query.get("cursor") === null && outage.requests.length === 1
      ? { body: { data: people(1, 2), next: "2-0" } }
      : broken,
  );
  const { next } = await outage.read.readPage(PLAN, undefined, outage.fetch);
  await assert.rejects(outage.read.readPage({ ...PLAN, failures: 9 }, next, outage.fetch), {
    kind: "unavailable",
  });
});

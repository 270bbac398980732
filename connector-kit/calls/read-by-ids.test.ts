/** What one request of records by id may have, as HubSpot and Salesforce limit it: 100 and 2,000 ids. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readByIds } from "./read-by-ids.ts";
import { ProviderError } from "./provider-error.ts";
import { replay } from "../testing/replay.ts";

const classify = ({ status }: { status: number }) =>
  status === 200 ? undefined : new ProviderError({ kind: "forbidden", message: "no", status });

const ask = (ids: string[], provider: ReturnType<typeof replay>) =>
  readByIds(
    {
      ids,
      limit: 2,
      request: (some) => ({ method: "POST", path: "/read", body: { ids: some }, repeatable: true }),
      classify,
    },
    provider.fetch,
  );

test("ids go in requests of the provider's limit, each id once, and the answers come in their order", async () => {
  const answers = [1, 2, 3].map((page) => ({ status: 200, body: { page } }));
  const provider = replay(...answers);
  const bodies = await ask(["a", "b", "a", "c", "b", "d", "e"], provider);
  assert.deepEqual(
    provider.requests.map(({ body }) => body),
    [{ ids: ["a", "b"] }, { ids: ["c", "d"] }, { ids: ["e"] }],
  );
  assert.deepEqual(bodies, [{ page: 1 }, { page: 2 }, { page: 3 }]);
});

test("no request is sent without ids: none for no ids, and none behind a full last one", async () => {
  const none = replay();
  assert.deepEqual(await ask([], none), []);
  assert.equal(none.requests.length, 0);
  const full = replay({ status: 200, body: {} }, { status: 200, body: {} });
  await ask(["a", "b", "c", "d"], full);
  assert.equal(full.requests.length, 2);
});

test("a refusal of one request is not taken for records that are gone", async () => {
  const provider = replay({ status: 200, body: {} }, { status: 403 }, { status: 200, body: {} });
  await assert.rejects(async () => ask(["a", "b", "c", "d", "e"], provider), { kind: "forbidden" });
  assert.equal(provider.requests.length, 2);
});

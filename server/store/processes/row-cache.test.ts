/** Row cache: what is served while rows change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { createLog } from "../../../ground/log.ts";
import { listenForChanges } from "../database/changes.ts";
import { cacheUntilChanged } from "./row-cache.ts";

test("a read that began before a change answers its callers and is not cached", async (t) => {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  const names = cacheUntilChanged<string>(changes, {
    max: 10,
    tables: ["projects"],
    listRowIds: () => ["p1"],
  });
  const { promise: slowly, resolve } = Promise.withResolvers<string>();
  const asked = names.get("p1", () => slowly);
  const change = JSON.stringify({ table: "projects", id: "p1" });
  await database.pool.query("select pg_notify('busbar_changes', $1)", [change]);
  await changes.caughtUp();
  resolve("before");
  assert.equal(await asked, "before");
  assert.equal(await names.get("p1", async () => "after"), "after");
  assert.equal(
    names.get("p1", async () => "again"),
    "after",
  );
});

test("projects that ask at the same time do not share a read: one of them may not see the row", async (t) => {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  const rows = cacheUntilChanged<string>(changes, { max: 10, tables: [], listRowIds: () => [] });
  const theirs = rows.get("c1", async () => undefined, "another project");
  const ours = rows.get("c1", async () => "row", "its project");
  assert.deepEqual(await Promise.all([theirs, ours]), [undefined, "row"]);
});

test("a change of another row does not keep a read from being cached", async (t) => {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  const names = cacheUntilChanged<{ id: string }>(changes, {
    max: 10,
    tables: ["projects"],
    listRowIds: ({ id }) => [id],
  });
  const slow = new Map(["p1", "p2"].map((id) => [id, Promise.withResolvers<{ id: string }>()] as const));
  const asked = [...slow].map(([id, { promise }]) => names.get(id, () => promise));
  const change = JSON.stringify({ table: "projects", id: "p1" });
  await database.pool.query("select pg_notify('busbar_changes', $1)", [change]);
  await changes.caughtUp();
  slow.forEach(({ resolve }, id) => resolve({ id }));
  const [, second] = await Promise.all(asked);
  const again = async () => ({ id: "read again" });
  assert.equal(names.get("p2", again), second);
  assert.equal((await names.get("p1", again))?.id, "read again");
});

test("a value is not read again as long as changes are heard, and is read again when they are not", async (t) => {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  let reads = 0;
  const names = cacheUntilChanged<number>(changes, {
    max: 10,
    tables: ["projects"],
    listRowIds: () => ["p1"],
  });
  const get = async () => names.get("p1", async () => (reads += 1));
  const laterMs = { by: 0 };
  const now = Date.now.bind(Date);
  t.mock.method(Date, "now", () => now() + laterMs.by);
  assert.equal(await get(), 1);
  laterMs.by += 11 * 60_000;
  await changes.caughtUp();
  assert.equal(await get(), 1);
  laterMs.by += 7_000;
  assert.equal(
    await get(),
    2,
    "no change could be heard for seven seconds: a key may have been switched off",
  );
});

test("a value that was made from all rows of a table is forgotten with a change of any of them", async (t) => {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  let reads = 0;
  const options = { max: 10, tables: ["projects", "groups"], listRowIds: () => ["projects"] };
  const names = cacheUntilChanged<number>(changes, options);
  const get = async () => names.get("all", async () => (reads += 1));
  const change = async (table: string) => {
    const payload = JSON.stringify({ table, id: "any" });
    await database.pool.query("select pg_notify('busbar_changes', $1)", [payload]);
    await changes.caughtUp();
  };
  await get();
  await change("groups");
  assert.equal(await get(), 1);
  await change("projects");
  assert.equal(await get(), 2);
});

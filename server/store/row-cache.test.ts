/** Row cache: what is served while rows change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../tests/harness/database.ts";
import { createLog } from "../ground/log.ts";
import { listenForChanges } from "./changes.ts";
import { cacheUntilChanged } from "./row-cache.ts";

test("a read that began before a change answers its callers and is not cached", async (t) => {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  const names = cacheUntilChanged<string>(changes, { most: 10, affected: ({ id }) => id });
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
  const rows = cacheUntilChanged<string>(changes, { most: 10, affected: ({ id }) => id });
  const theirs = rows.get("c1", async () => undefined, "another project");
  const ours = rows.get("c1", async () => "row", "its project");
  assert.deepEqual(await Promise.all([theirs, ours]), [undefined, "row"]);
});

test("a change of another row does not keep a read from being cached", async (t) => {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  const names = cacheUntilChanged<{ id: string }>(changes, {
    most: 10,
    affected:
      ({ id }) =>
      (row) =>
        row.id === id,
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

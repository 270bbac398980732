/** When a shard is taken for away. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { testShards } from "../../../tests/harness/shards.ts";

test("a shard is not away because one more connection cannot be opened", async (t) => {
  const main = await testShards(t, ["a"]);
  const a = main.shards[1];
  assert.ok(a);
  await sql`select 1`.execute(a.data);
  const control = new Client({ connectionString: a.dataUrl });
  await control.connect();
  const name = new URL(a.dataUrl ?? "").pathname.slice(1);
  const limit = (connections: number) =>
    control.query(`alter database "${name}" connection limit ${connections}`);
  try {
    await limit(0);
    const slow = Array.from({ length: 4 }, () => sql`select pg_sleep(0.2)`.execute(a.data));
    const ended = await Promise.allSettled(slow);
    assert.ok(
      ended.some(({ status }) => status === "fulfilled"),
      "the connection that is open is used",
    );
    assert.ok(ended.some(({ status }) => status === "rejected"));
    assert.equal(a.trouble, undefined);
    await sql`select 1`.execute(a.data);
  } finally {
    await limit(-1);
    await control.end();
  }
});

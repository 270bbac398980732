/** Remembered writes: what it costs to find out that nobody reads an account. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { reopenDatabase, testDatabase } from "../../../tests/harness/database.ts";
import { newId } from "../../../ground/ids.ts";
import { insertOwnWrites } from "./own-writes.ts";

test("writes to an unread account that end together ask once, and their values are not looked at again", async (t) => {
  const { data, pool } = await reopenDatabase(t, await testDatabase(t, { isDivided: false }));
  const connectionId = newId();
  let collected = 0;
  const insert = () =>
    insertOwnWrites(data, { connectionId, objectKey: "contacts" }, () => {
      collected += 1;
      const time = new Date();
      const write = { recordId: "1", type: "create" as const, since: time, until: time, changeTime: null };
      return [{ ...write, operationId: newId(), fields: { name: "hash" } }];
    });
  await Promise.all(Array.from({ length: 20 }, insert));
  await insert();
  assert.deepEqual({ collected, connections: pool.totalCount }, { collected: 1, connections: 1 });
  const { rows } = await pool.query("select count(*)::int from own_writes");
  assert.deepEqual(rows, [{ count: 0 }]);
});

/** Lines of calls of a customer who has moved, while the copies of places are late. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openCustomersInShards } from "../../../tests/harness/customers-in-shards.ts";
import { nowMs } from "../../../ground/clock.ts";
import { createLog } from "../../../ground/log.ts";
import { openUsageLog } from "../../proxy/usage-log.ts";
import { REPLICATION } from "../sides/replicate-shared.ts";
import { storeUsage } from "./store-usage.ts";

test("lines of a customer whose new shard does not know of the move yet are stored there, once", async (t) => {
  const { main, projectId, customers } = await openCustomersInShards(t);
  const moved = main.shards.find(({ shard }) => shard === "a");
  const installationId = customers[0]?.installationId ?? "";
  assert.ok(moved);
  await sql.raw(`alter subscription ${REPLICATION} disable`).execute(moved.data);
  await sql`update groups set shard = 'a' where id = (select group_id from installations where id = ${installationId})`.execute(
    main.control,
  );
  const use = { timeMs: nowMs(), projectId, installationId, method: "GET", status: 200 };
  const sizes = { durationMs: 1, bytesUp: 0, bytesDown: 0 };
  await storeUsage(main, [{ ...use, ...sizes, path: "/search" }]);
  const usage = openUsageLog({ database: main, log: createLog("silent") });
  usage.add({ ...use, ...sizes, shard: null, path: "/proxied" });
  await usage.close();
  const paths = [];
  for (const { shard, data } of main.shards) {
    const { rows } = await sql<{ path: string }>`select path from proxy_usage order by path`.execute(data);
    paths.push(...rows.map(({ path }) => `${shard} ${path}`));
  }
  assert.deepEqual(paths, ["a /proxied", "a /search"]);
  await storeUsage({ data: main.data, shards: [main] }, [{ ...use, ...sizes, path: "/unknown-shard" }]);
  const { rows } = await sql<{ path: string }>`select path from proxy_usage`.execute(main.data);
  assert.deepEqual(
    rows,
    [{ path: "/unknown-shard" }],
    "a process that does not know the shard keeps the line",
  );
});

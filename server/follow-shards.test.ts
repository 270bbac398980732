/** What goes wrong while a process opens the shards of the registry. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createShardScene, log, shardServices } from "../tests/harness/shards.ts";
import { until } from "../tests/harness/until.ts";
import { Sealer } from "../ground/seal.ts";
import { addShard } from "./commands/shards/add-shard.ts";
import { requireKeys } from "./credentials/stored/require-keys.ts";
import { followShards } from "./follow-shards.ts";
import type { ShardSet } from "./shard-services.ts";
import { openDatabase } from "./store/database/open-database.ts";
import { listShards, placeShardUrl } from "./store/shards/shard-registry.ts";

test("a shard whose work cannot begin is tried again, and one whose key is missing keeps no other from being opened", async (t) => {
  const { connectionString, pairs } = await createShardScene(t, ["a", "b"]);
  const main = await openDatabase({ connectionString, log, poolSize: 5 });
  const closers: (() => Promise<unknown>)[] = [() => main.close()];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const deps = shardServices(main);
  for (const pair of pairs) {
    await addShard(deps, { name: pair.name, url: pair.url, weight: 0 });
    const { rows } = await sql<{ slot: string }>`select slot from shards where name = ${pair.name}`.execute(
      main.control,
    );
    pair.slot = rows[0]?.slot ?? "";
  }
  const lost = new Sealer([{ id: "lost", secret: Buffer.alloc(32, 9) }]);
  const b = (await listShards(main.control)).find(({ name }) => name === "b");
  const sealed = lost.seal(pairs[1]?.url ?? "", placeShardUrl(b?.id ?? ""));
  await sql`update shards set url_sealed = ${sealed} where name = 'b'`.execute(main.control);
  await requireKeys({ queries: main.control, sealer: deps.sealer });

  let attempts = 0;
  const opened: string[] = [];
  const shards = {
    async add({ shard }: { shard: string }) {
      attempts += 1;
      if (attempts === 1) throw new Error("the work cannot begin");
      opened.push(shard);
    },
  } as unknown as ShardSet<unknown>;
  const changes = { subscribe: () => () => {} } as unknown as Parameters<typeof followShards>[0]["changes"];
  await followShards(
    { config: { databaseConnections: 2 }, database: main, changes, sealer: deps.sealer, shards, log },
    closers,
  );
  assert.deepEqual([attempts, opened, main.shards.length], [1, [], 1], "nobody uses it before");
  await until(() => opened.length > 0);
  assert.deepEqual(opened, ["a"]);
  assert.deepEqual(
    main.shards.map(({ shard }) => shard),
    ["main", "a"],
  );
});

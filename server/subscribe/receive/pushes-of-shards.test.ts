/** A push has events of customers in several shards: each gets its own once, also when a shard was away. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { buildCatalog } from "../../../connectors/catalog.ts";
import { createLog } from "../../../ground/log.ts";
import { newId } from "../../../ground/ids.ts";
import { openCustomersInShards } from "../../../tests/harness/customers-in-shards.ts";
import { waitForCopies } from "../../../tests/harness/wait-for-copies.ts";
import { getShard } from "../../store/shards/each-shard.ts";
import { insertPushes } from "../../store/subscriptions/received-pushes.ts";
import { syncSubscriptions } from "../../store/subscriptions/subscriptions.ts";
import { openTaking } from "./take-pushes.ts";

test("the events of a push are stored in the shards of their customers; one with customers in a shard that is away waits for it", async (t) => {
  const { main, projectId, customers } = await openCustomersInShards(t);
  for (const { shard, installationId } of customers) {
    const database = getShard(main, shard === "main" ? null : shard);
    await waitForCopies(database);
    const subscription = {
      id: newId(),
      objectName: "contacts",
      provider: "hubspot",
      accountRef: "41",
      objectKey: "0-1",
      source: "webhook" as const,
      isDisabled: false,
      destination: "changes",
    };
    await syncSubscriptions(database.data, { projectId, installationId }, [subscription]);
  }
  const push = (recordId: number) =>
    insertPushes(
      main.control,
      [
        {
          projectId,
          provider: "hubspot",
          installationId: null,
          body: Buffer.from(
            JSON.stringify([
              {
                portalId: 41,
                subscriptionType: "contact.deletion",
                objectId: recordId,
                occurredAt: 1_789_378_000_000,
              },
            ]),
          ),
        },
      ],
      { tells: false },
    );
  const listStored = async () => {
    const stored: Record<string, number[]> = {};
    for (const { shard, data } of main.shards) {
      const { rows } = await sql<{
        recordId: string;
      }>`select record_id from subscription_events order by id`.execute(data);
      stored[shard] = rows.map(({ recordId }) => Number(recordId));
    }
    return stored;
  };
  const database = { ...main, shards: [...main.shards] };
  const take = openTaking({ database, catalog: buildCatalog(), log: createLog("silent"), windowMs: 0 });
  await push(1);
  assert.deepEqual(await take(), { taken: 1, stored: 3 });
  assert.deepEqual(await listStored(), { main: [1], a: [1], b: [1] });

  const b = main.shards[2];
  assert.ok(b);
  // A connection that is refused, as by a server that is down.
  const away = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", address: "b" });
  const closed = b.data.withPlugin({
    transformQuery: () => {
      throw away;
    },
    transformResult: async ({ result }) => result,
  });
  database.shards[2] = { ...b, data: closed };
  await push(2);
  await take();
  await push(3);
  await take();
  assert.deepEqual(await listStored(), { main: [1, 2, 3], a: [1, 2, 3], b: [1] });
  database.shards[2] = b;
  await sql`update received_pushes set retry_time = now()`.execute(main.control);
  while ((await take()).taken > 0);
  assert.deepEqual(await listStored(), { main: [1, 2, 3], a: [1, 2, 3], b: [1, 2, 3] });
  const { rows } = await sql`select from received_pushes`.execute(main.control);
  assert.equal(rows.length, 0);
});

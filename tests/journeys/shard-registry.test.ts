/** Adding and removing a shard while several processes serve. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { createEmptyDatabase } from "../harness/database.ts";
import { addOnce, log, shardServices } from "../harness/shards.ts";
import { until } from "../harness/until.ts";
import { waitForCopies } from "../harness/wait-for-copies.ts";
import { addShard } from "../../server/commands/shards/add-shard.ts";
import { removeShard } from "../../server/commands/shards/remove-shard.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";

test("running processes open a new shard before it is active, serve its customers, and forget a removed one", async (t) => {
  const last: (() => Promise<void>)[] = [];
  const scope = { after: (callback: () => Promise<void>) => void last.push(callback) };
  const urls = { a: await createEmptyDatabase(scope), b: await createEmptyDatabase(scope) };
  const busbar = await openTestBusbar({ isDivided: false });
  const database = await openDatabase({ connectionString: busbar.connectionString, log, poolSize: 2 });
  last.unshift(
    () => addOnce(busbar.connectionString, urls).unpair(),
    () => database.close(),
    () => busbar.stop(),
  );
  t.after(async () => {
    for (const callback of last) await callback();
  });
  await busbar.sibling({ BUSBAR_ROLES: "worker" });
  const listKnown = async () => {
    const { rows } = await sql<{ shards: string[] }>`select shards from processes order by id`.execute(
      database.control,
    );
    return rows.map(({ shards }) => shards.toSorted().join());
  };
  for (const [name, url] of Object.entries(urls))
    await addShard(shardServices(database), { name, url, weight: 0 });
  assert.deepEqual(await listKnown(), ["a,b", "a,b"], "nobody waits for the next announcement");

  await busbar.inProject("POST", "/groups", { groupRef: "acme", groupName: "Acme" });
  await sql`update groups set shard = 'a'`.execute(database.control);
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: "acme",
  });
  await waitForCopies({ connectionString: busbar.connectionString, dataUrl: urls.a });
  const answer = await customer.write("companies", {
    type: "create",
    mode: "asynchronous",
    record: { name: "a" },
  });
  assert.equal(answer.status, 200, answer.text);
  const path = `/operations/${String(answer.body.operationId)}`;
  await until(async () => (await busbar.inProject("GET", path)).body.status === "success");
  const { rows } = await sql`select from operations`.execute(database.data);
  assert.equal(rows.length, 0, "nothing of it is in the main shard");

  assert.deepEqual(await removeShard(shardServices(database), "b"), { removed: true });
  await until(async () => (await listKnown()).join(" ") === "a a");
  assert.equal((await busbar.inProject("GET", "/operations")).status, 200);
});

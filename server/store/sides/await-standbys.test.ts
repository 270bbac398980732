/** Subscriptions that earlier versions made do not wait for synchronous standbys: a promoted one could lack copies for ever. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEmptyDatabase, createTestDatabase } from "../../../tests/harness/database.ts";
import { asReplicator, createEmptyPair } from "../../../tests/harness/empty-pair.ts";
import { REPLICATING_ROLE } from "../../../tests/harness/side-roles.ts";
import { addOnce, log, shardServices } from "../../../tests/harness/shards.ts";
import { checkCopies } from "../../commands/doctor/check-copies.ts";
import { addShard } from "../../commands/shards/add-shard.ts";
import { openClient } from "../database/prepare-database.ts";
import { openDatabase } from "../database/open-database.ts";
import { grantServing } from "../maintenance/grant-serving.ts";
import { renewReplication } from "../maintenance/renew-replication.ts";
import { openShard } from "../shards/open-shard.ts";
import { listShards } from "../shards/shard-registry.ts";

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = await openClient(url);
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows;
}

/** Leaves the subscription as earlier versions made it. */
const forgetStandbys = (url: string) =>
  ask(url, "alter subscription busbar_shared set (synchronous_commit = off)");

const readWait = async (url: string): Promise<unknown> =>
  (
    await ask(
      url,
      "select subsynccommit from pg_subscription join pg_database on pg_database.oid = subdbid where datname = current_database()",
    )
  )[0]?.["subsynccommit"];

test("two databases: a start mends it, a role that only serves leaves it to migrate, and the doctor names it", async (t) => {
  const pair = await createEmptyPair(t);
  const first = await openDatabase({ ...pair, log, poolSize: 2 });
  await grantServing(first.control, REPLICATING_ROLE.name);
  await grantServing(first.data, REPLICATING_ROLE.name);
  await first.close();
  await forgetStandbys(pair.dataUrl);
  await (await openDatabase({ ...pair, log, poolSize: 2 })).close();
  assert.equal(await readWait(pair.dataUrl), "on");

  await forgetStandbys(pair.dataUrl);
  const serving = await openDatabase({
    connectionString: asReplicator(pair.connectionString),
    dataUrl: asReplicator(pair.dataUrl),
    log,
    poolSize: 2,
  });
  await serving.close();
  assert.equal(await readWait(pair.dataUrl), "off");
  const listFaults = async () =>
    (await checkCopies(pair.connectionString, pair.dataUrl)).filter(
      ({ ok, check }) => !ok && check === "copies",
    );
  const [fault] = await listFaults();
  assert.match(JSON.stringify(fault), /do not wait for synchronous standbys.*busbar migrate/);
  await renewReplication(pair);
  assert.equal(await readWait(pair.dataUrl), "on");
  assert.deepEqual(await listFaults(), []);
});

test("a shard: a process that opens it mends it, and so does adding it again, which the doctor asks for", async (t) => {
  const urls: Record<string, string> = {};
  let connectionString = "";
  // A database with a slot cannot be dropped, and callbacks run in the order in which they are added.
  t.after(() => addOnce(connectionString, urls).unpair());
  const created = await createTestDatabase({ isDivided: false });
  t.after(created.drop);
  ({ connectionString } = created);
  const url = (urls["a"] = await createEmptyDatabase(t));
  const main = await openDatabase({ connectionString, log, poolSize: 2 });
  t.after(() => main.close());
  const deps = shardServices(main);
  await addShard(deps, { name: "a", url, weight: 0 });
  const slot = (await listShards(main.control))[0]?.slot ?? "";
  await forgetStandbys(url);
  const [fault] = (
    await checkCopies(connectionString, url, { slot, renewal: "busbar shards add a URL" })
  ).filter(({ ok, check }) => !ok && check === "copies");
  assert.match(JSON.stringify(fault), /do not wait for synchronous standbys.*busbar shards add a URL/);
  await addShard(deps, { name: "a", url, weight: 0 });
  assert.equal(await readWait(url), "on");

  await forgetStandbys(url);
  // Several processes may start at once.
  const opened = await Promise.all(
    [1, 2, 3].map(() => openShard(main, { name: "a", url, slot, log, poolSize: 1 })),
  );
  assert.deepEqual(
    opened.map(({ trouble }) => trouble),
    [undefined, undefined, undefined],
  );
  assert.equal(await readWait(url), "on");
});

/** What happens to the rows of customers in every shard: retention, erasing a customer, and deleting a project. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openCustomersInShards, type PlacedCustomer } from "../../../tests/harness/customers-in-shards.ts";
import { until } from "../../../tests/harness/until.ts";
import { waitForCopies } from "../../../tests/harness/wait-for-copies.ts";
import { readConfig } from "../../../ground/config.ts";
import { nowMs } from "../../../ground/clock.ts";
import { buildFirstId, newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { eraseGroup } from "../../api/customers/erasing.ts";
import { sweep } from "../../jobs/retention.ts";
import { listRetentionRules } from "../../retention-rules.ts";
import type { Database } from "../database/database.ts";
import { removeProject } from "../access/projects.ts";
import { endOperations, insertOperations } from "../operations/operations.ts";
import { getShard } from "./each-shard.ts";

const silent = createLog("silent");
const OLD = buildFirstId(nowMs() - 40 * 24 * 60 * 60_000).slice(0, 14);

interface Scene {
  main: Database;
  projectId: string;
  integrationId: string;
  customers: PlacedCustomer[];
}

const findDatabase = ({ main }: Scene, { shard }: PlacedCustomer): Database =>
  getShard(main, shard === "main" ? null : shard);

/** Inserts an ended operation and an event of the customer into its shard. */
async function insertHistory(scene: Scene, customer: PlacedCustomer, { isOld }: { isOld: boolean }) {
  const { data } = findDatabase(scene, customer);
  const { projectId, integrationId } = scene;
  const makeId = () => (isOld ? OLD + newId().slice(14) : newId());
  const id = makeId();
  const { installationId, groupRef } = customer;
  const about = { projectId, integrationId, installationId, configId: newId() };
  await waitForCopies(findDatabase(scene, customer));
  await insertOperations(data, [{ id, ...about, actionType: "write", objectName: "contacts", claimedBy: 1 }]);
  await endOperations(data, [{ id, status: "success", result: "", metadata: {}, log: [] }]);
  await sql`
    insert into events (id, project_id, type, data)
    values (${makeId()}, ${projectId}, 'connection.updated', ${JSON.stringify({ groupRef, installationId })})
  `.execute(data);
}

/** Counts operations and events in each shard. */
async function countRows({ main }: Scene): Promise<Record<string, number[]>> {
  const counts: Record<string, number[]> = {};
  for (const { shard, data } of main.shards) {
    const { rows } = await sql<{ operations: number; events: number }>`
      select (select count(*)::integer from operations) as operations, (select count(*)::integer from events) as events
    `.execute(data);
    counts[shard] = [rows[0]?.operations ?? -1, rows[0]?.events ?? -1];
  }
  return counts;
}

test("old rows go in every shard, also while one cannot be reached, and young ones stay", async (t) => {
  const scene = await openCustomersInShards(t);
  for (const customer of scene.customers) {
    await insertHistory(scene, customer, { isOld: true });
    await insertHistory(scene, customer, { isOld: false });
  }
  const clean = () =>
    sweep(silent, listRetentionRules({ database: scene.main, config: readConfig({}) }), () => false);
  const [, a] = scene.main.shards;
  assert.ok(a);
  await sql`alter table operations rename to gone`.execute(a.data);
  await clean();
  await sql`alter table gone rename to operations`.execute(a.data);
  assert.deepEqual(await countRows(scene), { main: [1, 1], a: [2, 1], b: [1, 1] });
  await clean();
  assert.deepEqual(await countRows(scene), { main: [1, 1], a: [1, 1], b: [1, 1] });
});

/** Counts lines of proxied calls in each shard. */
async function countLines({ main }: Scene): Promise<number[]> {
  const counts: number[] = [];
  for (const { data } of main.shards) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from proxy_usage`.execute(data);
    counts.push(rows[0]?.count ?? -1);
  }
  return counts;
}

test("lines of proxied calls of a deleted project go with the next round, those of other projects stay", async (t) => {
  const scene = await openCustomersInShards(t);
  const { main, projectId } = scene;
  const other = newId();
  await sql`insert into projects (id, org_id, name, app_name) select ${other}, org_id, 'other', 'other' from projects`.execute(
    main.control,
  );
  for (const { data } of main.shards)
    for (const project of [projectId, other])
      await sql`
        insert into proxy_usage (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down)
        select now(), ${project}, ${newId()}, 'GET', '/', 200, 1, 0, 0 from generate_series(1, 3)`.execute(
        data,
      );
  const clean = () =>
    sweep(silent, listRetentionRules({ database: main, config: readConfig({}) }), () => false);
  await clean();
  assert.deepEqual(await countLines(scene), [6, 6, 6]);
  await main.control.transaction().execute((queries) => removeProject(queries, projectId));
  await clean();
  assert.deepEqual(await countLines(scene), [3, 3, 3]);
});

test("a customer is erased where its rows are, and the others keep theirs; a deleted project leaves nothing in any shard", async (t) => {
  const scene = await openCustomersInShards(t);
  for (const customer of scene.customers) await insertHistory(scene, customer, { isOld: false });
  const { main, projectId } = scene;
  const { done, erased } = await eraseGroup(
    { database: main },
    { projectId, groupRef: "customer-a", withinMs: 10_000 },
  );
  assert.equal(done, true);
  assert.deepEqual([erased.operations, erased.installations], [1, 1]);
  const left = await countRows(scene);
  assert.deepEqual([left["main"]?.[0], left["a"], left["b"]], [1, [0, 0], [1, 1]]);
  const { rows } = await sql`select from groups where group_ref = 'customer-a'`.execute(main.control);
  assert.equal(rows.length, 0);
  await main.control.transaction().execute((queries) => removeProject(queries, projectId));
  // Copies go first, and then what belonged to them.
  await until(async () => {
    await main.outbox.carryOver().catch(() => {});
    return Object.values(await countRows(scene))
      .flat()
      .every((count) => count === 0);
  });
});

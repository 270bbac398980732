/** What begins at shared rows concerns the customers of its own shard only, whose copies every shard has. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openCustomersInShards, type PlacedCustomer } from "../../../tests/harness/customers-in-shards.ts";
import { until } from "../../../tests/harness/until.ts";
import { waitForCopies } from "../../../tests/harness/wait-for-copies.ts";
import { newId } from "../../../ground/ids.ts";
import { transactControl, type Database } from "../database/database.ts";
import { queueOutbox } from "../database/outbox.ts";
import type { DataQueries } from "../database/sides.ts";
import { queueSubscriptionSync, queueSyncs } from "../integrations/installation-syncs.ts";
import { listChangedHealth } from "../integrations/reported-health.ts";
import { startDueChecks } from "../integrations/schema-checks.ts";

/** Waits until the outbox is empty; on a busy machine copies may be late. */
const carryAllOver = ({ outbox, control }: Database) =>
  until(async () => {
    await outbox.carryOver().catch(() => {});
    return (await sql`select from outbox`.execute(control)).rows.length === 0;
  });

async function listIn(
  { data }: Pick<Database, "data">,
  table: "read_syncs" | "subscription_syncs" | "schema_looks",
) {
  const { rows } = await sql<{ id: string }>`
    select installation_id as id from ${sql.table(table)} order by 1`.execute(data);
  return rows.map(({ id }) => id);
}

test("a change of an integration, of a project or of a customer is queued in the shards of the customers, and only there", async (t) => {
  const { main, projectId, integrationId, customers } = await openCustomersInShards(t);
  const clear = async () => {
    for (const { data } of main.shards) await sql`delete from read_syncs`.execute(data);
    for (const { data } of main.shards) await sql`delete from subscription_syncs`.execute(data);
  };
  const expectEach = async (
    table: "read_syncs" | "subscription_syncs",
    wanted: (one: PlacedCustomer) => boolean,
  ) => {
    await carryAllOver(main);
    for (const shard of main.shards) {
      const own = customers.filter((one) => one.shard === shard.shard && wanted(one));
      const ids = own.map(({ installationId }) => installationId);
      assert.deepEqual(await listIn(shard, table), ids, shard.shard);
    }
  };
  await clear();
  await transactControl(main, (queries) => queueSyncs(queries, { projectId, integrationId }));
  await expectEach("read_syncs", () => true);
  await clear();
  await transactControl(main, (queries) => queueSubscriptionSync(queries, { projectId }));
  await expectEach("subscription_syncs", () => true);
  for (const { installationId, connectionId, shard } of customers) {
    await clear();
    await transactControl(main, (queries) => queueSyncs(queries, { projectId, installationId }));
    await expectEach("read_syncs", (one) => one.shard === shard);
    await clear();
    await transactControl(main, (queries) => queueSyncs(queries, { projectId, connectionId }));
    await expectEach("read_syncs", (one) => one.shard === shard);
  }
});

test("an event is stored once, in the shard of the customer that it names, and in the main one without a customer", async (t) => {
  const { main, projectId } = await openCustomersInShards(t);
  const listEvents = async ({ data }: { data: DataQueries }) =>
    (await sql<{ data: string }>`select data::text as data from events`.execute(data)).rows.map(
      (row) => row.data,
    );
  for (const { data } of main.shards) await sql`delete from events`.execute(data);
  const texts = ["customer-1", "customer-a", "customer-b", "nobody", undefined].map((groupRef) =>
    JSON.stringify({ ...(groupRef && { groupRef }) }),
  );
  await transactControl(main, (queries) =>
    queueOutbox(
      queries,
      texts.map((data) => ({
        projectId,
        kind: "event",
        content: { id: newId(), type: "connection.updated", data },
      })),
    ),
  );
  await carryAllOver(main);
  const [ofMain, ofA, ofB, ...others] = texts;
  const stored = await Promise.all(main.shards.map(listEvents));
  assert.deepEqual(
    stored.map((one) => one.toSorted()),
    [[ofMain, ...others].toSorted(), [ofA], [ofB]],
  );
});

test("while a shard is away, what is for others is carried over, and its own waits for it in order", async (t) => {
  const { main, projectId, customers } = await openCustomersInShards(t);
  const [, a, b] = main.shards;
  assert.ok(a && b);
  const [, ofA, ofB] = customers;
  assert.ok(ofA && ofB);
  await sql`delete from read_syncs`.execute(a.data);
  await sql`delete from read_syncs`.execute(b.data);
  // Nothing can be stored there, and nobody knows how long.
  await sql`alter table read_syncs rename to gone`.execute(b.data);
  const queue = ({ installationId }: PlacedCustomer) =>
    transactControl(main, (queries) => queueSyncs(queries, { projectId, installationId }));
  await queue(ofB);
  await queue(ofA);
  await until(async () => {
    await main.outbox.carryOver().catch(() => {});
    return (await listIn(a, "read_syncs")).length === 1;
  });
  const { rows } = await sql<{ shard: string }>`select distinct shard from outbox`.execute(main.control);
  assert.deepEqual(rows, [{ shard: "b" }]);
  await sql`alter table gone rename to read_syncs`.execute(b.data);
  await sql`update outbox set retry_time = null`.execute(main.control);
  await carryAllOver(main);
  assert.deepEqual(await listIn(b, "read_syncs"), [ofB.installationId]);
});

test("a tick of a schema watch is made in every shard, and the watch of health in its own: each for its own customers only", async (t) => {
  const { main, integrationId, customers } = await openCustomersInShards(t);
  await sql`insert into schema_watches (integration_id, schedule) values (${integrationId}, '* * * * *')`.execute(
    main.control,
  );
  await sql`update connections set status = 'bad_credentials'`.execute(main.control);
  for (const shard of main.shards) await waitForCopies(shard);
  assert.equal(await startDueChecks(main, { max: 10, spreadMs: 0, nextTick: () => new Date() }), 1);
  for (const shard of main.shards) {
    const own = customers
      .filter((one) => one.shard === shard.shard)
      .map(({ installationId }) => installationId);
    assert.deepEqual(await listIn(shard, "schema_looks"), own, shard.shard);
    const changed = await shard.data
      .transaction()
      .execute((queries) =>
        listChangedHealth(queries, { after: "00000000-0000-0000-0000-000000000000", standsMs: 0, max: 10 }),
      );
    assert.deepEqual(
      changed?.map(({ installationId }) => installationId),
      own,
    );
  }
});

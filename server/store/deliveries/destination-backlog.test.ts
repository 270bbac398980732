/** The backlog of a destination: counted wherever a message waits, and quickly however many do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openDeliveryParts } from "../../../tests/harness/deliveries/delivery-parts.ts";
import { until } from "../../../tests/harness/until.ts";
import { newId } from "../../../ground/ids.ts";
import { countBacklog } from "./destination-backlog.ts";
import { insertEvents } from "./events.ts";

test("a message counts from its commit until it is delivered, up to the limit", async (t) => {
  const answer = Promise.withResolvers<{ kind: "delivered" }>();
  t.after(() => answer.resolve({ kind: "delivered" }));
  const { database, destinationId, projectId, router, saved } = await openDeliveryParts(
    t,
    () => answer.promise,
  );
  const { queries } = database;
  const backlog = (max = 100) => countBacklog(queries, destinationId, { open: max, retries: max });
  const count = async (max?: number) => (await backlog(max)).open;
  assert.equal((await backlog()).failingMs, null);
  await queries
    .updateTable("destinations")
    .set({ failingSince: new Date(Date.now() - 60_000) })
    .execute();
  assert.ok(Number((await backlog()).failingMs) >= 50_000);
  assert.equal(await count(), 0);
  const message = () => ({ id: newId(), projectId, type: "read", data: "{}", destinationId });
  await insertEvents(queries, Array.from({ length: 9 }, message));
  assert.deepEqual([await count(), await count(5)], [9, 5]);
  await router.route();
  assert.equal(await count(), 9);
  // Four are sent, the others wait as rows.
  await until(() => saved.length === 5);
  assert.deepEqual([await count(), await count(5)], [9, 5]);
  answer.resolve({ kind: "delivered" });
  await until(() => saved.length === 9);
  assert.equal(await count(), 5);
  assert.deepEqual(await countBacklog(queries, newId(), { open: 100, retries: 100 }), {
    open: 0,
    retries: 0,
    failingMs: null,
  });
  await sql`update deliveries set due_time = now() + interval '1 hour' where state = 'waiting'`.execute(
    queries,
  );
  assert.deepEqual(await backlog(), { open: 0, retries: 5, failingMs: null });
  const counted = async () => (await countBacklog(queries, destinationId, { open: 2, retries: 4 })).retries;
  assert.equal(await counted(), 4);
  await queries.updateTable("destinations").set({ failingSince: new Date() }).execute();
  assert.equal(await counted(), 2, "of one that fails, not more than stop reading");
});

test("counting reads index entries of the destination only", async (t) => {
  const { database, destinationId } = await openDeliveryParts(t);
  const { queries } = database;
  await sql`
    insert into deliveries (destination_id, event_id, state, due_time)
    select gen_random_uuid(), gen_random_uuid(), 'waiting', now() from generate_series(1, 20000)
  `.execute(queries);
  await sql`
    insert into unrouted_events (event_id, destination_id)
    select gen_random_uuid(), gen_random_uuid() from generate_series(1, 20000)
  `.execute(queries);
  await sql`analyze deliveries, unrouted_events`.execute(queries);
  const { rows } = await sql<{ seen: string }>`
    select sum(seq_tup_read)::text as seen from pg_stat_user_tables where relname in ('deliveries', 'unrouted_events')
  `.execute(queries);
  await countBacklog(queries, destinationId, { open: 1_000, retries: 1_000 });
  await sql`select pg_stat_force_next_flush()`.execute(queries);
  const { rows: after } = await sql<{ seen: string }>`
    select sum(seq_tup_read)::text as seen from pg_stat_user_tables where relname in ('deliveries', 'unrouted_events')
  `.execute(queries);
  assert.equal(after[0]?.seen, rows[0]?.seen);
});

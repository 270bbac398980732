/** The last failure of a destination is found without reading its backlog. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openDeliveryParts } from "../../../tests/harness/deliveries/delivery-parts.ts";
import { transactData } from "../database/database.ts";
import { readLastFailures } from "./last-failures.ts";

test("the last failed attempt is found among failed ones only, however many deliveries wait untried, and the latest counts", async (t) => {
  const { database, destinationId } = await openDeliveryParts(t);
  const { queries } = database;
  await sql`
    insert into deliveries (destination_id, event_id, state, due_time)
    select ${destinationId}, lpad(to_hex(n), 32, '0')::uuid, 'waiting', now() from generate_series(100, 20100) as n
  `.execute(queries);
  // The older event was tried later, and its next attempt is far away. An attempt before a resend says nothing.
  await sql`
    insert into deliveries (destination_id, event_id, state, due_time, failures, attempts)
    select ${destinationId}, lpad(to_hex(n), 32, '0')::uuid, state, now() + wait::interval, failures,
      jsonb_build_array(jsonb_build_object('time', time, 'error', error, 'answer', 'a long page'))
    from (values
      (1, 'waiting', '10 hours', 7, '2026-05-01T12:00:02.000Z', 'refused: 503'),
      (2, 'waiting', '1 minute', 1, '2026-05-01T12:00:01.000Z', 'timeout'),
      (3, 'waiting', '0 minutes', 0, '2026-05-01T12:00:09.000Z', 'resent'),
      (4, 'failed', '0 minutes', 9, '2026-05-01T11:00:00.000Z', 'given up')
    ) as made (n, state, wait, failures, time, error)
  `.execute(queries);
  await sql`analyze deliveries`.execute(queries);
  await transactData(database, async (transaction) => {
    const seen = async () => {
      const { rows } = await sql<{ seen: number }>`
        select (seq_tup_read + idx_tup_fetch)::integer as seen from pg_stat_xact_user_tables where relname = 'deliveries'
      `.execute(transaction);
      return rows[0]?.seen ?? 0;
    };
    const before = await seen();
    const found = (await readLastFailures(transaction, [destinationId])).get(destinationId);
    assert.deepEqual(found?.attempt, { time: "2026-05-01T12:00:02.000Z", error: "refused: 503" });
    assert.ok(found?.nextAttemptTime);
    const read = (await seen()) - before;
    assert.ok(read < 100, `${read} rows were read`);
  });
});

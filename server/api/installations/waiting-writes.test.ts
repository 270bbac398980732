/** Writes that were accepted and wait for long make their customer unhealthy, whatever they wait for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { openTestBusbar } from "../../../tests/harness/busbar.ts";
import { createLog } from "../../../ground/log.ts";
import { buildFirstId, FIRST_ID } from "../../../ground/ids.ts";
import { nowMs } from "../../../ground/clock.ts";
import { transactData } from "../../store/database/database.ts";
import { openDatabase } from "../../store/database/open-database.ts";
import { explainFailedAttempt } from "../../store/operations/failed-attempt.ts";
import { listChangedHealth } from "../../store/integrations/reported-health.ts";
import { readQueueDepths } from "../../store/processes/queue-depths.ts";

interface Reason {
  type: string;
  name: string;
  detail: string;
  since: string;
}

test("an accepted write that waits for five minutes makes its customer unhealthy until it has ended", async (t) => {
  // Without a worker nothing changes what this test stores.
  const busbar = await openTestBusbar({ env: { BUSBAR_ROLES: "api,proxy" } });
  const { connectionString } = busbar;
  const sql = new Client({ connectionString: busbar.dataUrl ?? connectionString });
  await sql.connect();
  const { dataUrl } = busbar;
  const log = createLog("silent");
  const database = await openDatabase({ connectionString, log, ...(dataUrl !== undefined && { dataUrl }) });
  t.after(async () => {
    await sql.end();
    await database.close();
    await busbar.stop();
  });
  const acme = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });
  const write = { type: "create", mode: "asynchronous", record: { name: "Acme" } };
  const { operationId } = await acme.succeed("companies", write);

  const reasons = async (): Promise<Reason[]> => {
    const path = `/integrations/hubspot/installations/${acme.installationId}`;
    const { healthReasons } = (await busbar.inProject("GET", path)).body;
    return healthReasons.filter(({ type }: Reason) => type === "write");
  };
  const reported = () =>
    transactData(database, async (queries) => {
      const changed = await listChangedHealth(queries, { after: FIRST_ID, standsMs: 0, max: 10 });
      return changed?.flatMap(({ keys }) => keys) ?? [];
    });
  assert.deepEqual([await reasons(), await reported()], [[], []]);

  const acceptedMs = nowMs() - 6 * 60_000;
  const earlier = buildFirstId(acceptedMs);
  await sql.query(
    `insert into operations select (jsonb_populate_record(null::operations, to_jsonb(operations) || jsonb_build_object('id', $2::text))).*
     from operations where id = $1`,
    [operationId, earlier],
  );
  await sql.query("update writes set operation_id = $1, due_time = now() - interval '6 minutes'", [earlier]);
  const [waiting] = await reasons();
  assert.equal(waiting?.name, "hubspot");
  assert.match(waiting?.detail ?? "", new RegExp(`wait for their turn.*${earlier}`));
  assert.equal(Date.parse(waiting?.since ?? ""), acceptedMs);
  assert.deepEqual(await reported(), ["write hubspot"]);
  const { writesSeconds } = await readQueueDepths(database);
  assert.ok(writesSeconds >= 360 && writesSeconds < 1_000, `the metric says ${writesSeconds}`);

  // A long queue of which writes end is no fault.
  const before = buildFirstId(acceptedMs - 1000);
  await sql.query(
    `insert into operations select (jsonb_populate_record(null::operations, to_jsonb(operations)
       || jsonb_build_object('id', $2::text, 'status', 'success', 'update_time', now() - interval '1 minute'))).*
     from operations where id = $1`,
    [operationId, before],
  );
  assert.deepEqual([await reasons(), await reported()], [[], []]);
  await sql.query("update operations set update_time = now() - interval '6 minutes' where id = $1", [before]);
  assert.deepEqual(await reported(), ["write hubspot"]);

  // Failing for the first time a moment ago is no fault either, however long it waited for its turn.
  const logged =
    "update operations set log = jsonb_build_array(jsonb_build_object('time', now(), 'msg', $2::text)) where id = $1";
  await sql.query("update writes set attempts = 1, due_time = now() + interval '1 second'");
  await sql.query(logged, [earlier, explainFailedAttempt(1, new Date("2026-11-28T12:00:00Z"))]);
  assert.deepEqual([await reasons(), await reported()], [[], []]);
  await sql.query("update operations set log = '[]' where id = $1", [earlier]);

  // While it is tried once more, nobody knows more of it.
  const failed = "update writes set attempts = 3, due_time = now() + interval '8 minutes', claimed_by = $1";
  for (const claimedBy of [null, 1]) {
    await sql.query(failed, [claimedBy]);
    assert.match((await reasons())[0]?.detail ?? "", /provider has not taken the oldest one/);
    assert.deepEqual(await reported(), ["write hubspot"]);
  }
  const [unhealthy] = (await busbar.inProject("GET", "/groups?healthStatus=unhealthy")).body.results;
  assert.ok(unhealthy.healthReasons.some(({ type }: Reason) => type === "write"));

  // A retry of a write that was accepted a moment ago is nothing to report.
  await sql.query("update writes set operation_id = $1", [operationId]);
  assert.deepEqual([await reasons(), await reported()], [[], []]);
});

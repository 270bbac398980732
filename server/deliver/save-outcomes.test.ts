/** Saving outcomes: each result reaches the database, once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../tests/harness/database.ts";
import { bootstrap } from "../access/bootstrap.ts";
import { openEgress } from "../egress/open-egress.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import { Sealer } from "../../ground/seal.ts";
import type { Database } from "../store/database/database.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { insertDestination } from "../store/deliveries/destinations.ts";
import { openDestination, type OpenDestination } from "./destinations/channels.ts";
import { DestinationHealth } from "./destinations/destination-health.ts";
import { sealDestinationSecrets } from "./destinations/destination-secrets.ts";
import { OutcomeWriter } from "./save-outcomes.ts";
import { until } from "../../tests/harness/until.ts";
import { openDestinationNetwork } from "./destinations/destination-network.ts";

test("a delivery with two results at once does not keep the others from being saved", async (t) => {
  const database = await testDatabase(t);
  const destinationId = newId();
  const twice = newId();
  let saved = 0;
  const outcomes = new OutcomeWriter({
    data: database.data,
    log: createLog("silent"),
    workerId: () => 1,
    judge: async () => {},
    onSaved: (results) => void (saved += results.length),
  });
  for (const eventId of [newId(), twice, newId(), twice, newId()]) {
    outcomes.add({ kind: "released", destinationId, eventId });
  }
  await outcomes.close();
  assert.equal(saved, 5);
  const { rowCount } = await database.pool.query("select 1 from deliveries where state = 'waiting'");
  assert.equal(rowCount, 4);
});

test("while the health of a destination cannot be stored, the result itself is not saved again", async (t) => {
  const database = await testDatabase(t);
  const away = await openDatabase({ ...database, log: createLog("silent"), poolSize: 1 });
  await sql`select 1`.execute(away.queries);
  await away.close();
  const log = createLog("silent");
  let refusals = 0;
  log.warn = () => void (refusals += 1);
  const health = new DestinationHealth({
    database: away,
    unsynced: database,
    log,
    disableAfterSeconds: 60,
  });
  const outcomes = new OutcomeWriter({
    data: database.data,
    log,
    workerId: () => 1,
    judge: (attempts) => health.judge(attempts),
    onSaved: () => {},
  });
  const destination = await failingDestination(database);
  const attempt = { time: new Date().toISOString(), durationMs: 1, error: "no" };
  outcomes.add({
    kind: "attempted",
    destinationId: destination.row.id,
    eventId: newId(),
    state: "waiting",
    retryInMs: 0,
    attempt,
    outcome: { kind: "failed", error: "no" },
    destination,
  });
  await until(() => refusals === 1);
  await database.pool.query("update deliveries set state = 'sending', claimed_by = 1");
  await until(() => refusals >= 2);
  const { rows } = await database.pool.query("select state, failures from deliveries");
  assert.deepEqual(rows, [{ state: "sending", failures: 1 }]);
  await outcomes.close();
});

/** A webhook, which is disabled when it only fails. */
async function failingDestination({ queries }: Database): Promise<OpenDestination> {
  const { projectId } = await queries
    .transaction()
    .execute((queries) => bootstrap(queries, { org: "o", project: "p" }));
  const sealer = new Sealer([{ id: "k", secret: Buffer.alloc(32) }]);
  const place = { id: newId(), projectId };
  const row = await insertDestination(queries, {
    ...place,
    name: "failing",
    type: "webhook",
    metadata: { url: "https://example.com" },
    secretsSealed: sealDestinationSecrets(sealer, place, { secrets: {}, signingKeys: [] }),
  });
  const network = openDestinationNetwork({
    egress: openEgress([]),
    dataDir: "/nonexistent",
    timeoutMs: 1_000,
  });
  return openDestination({ sealer, network }, row);
}

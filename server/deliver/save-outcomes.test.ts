/** Ends of deliveries reach the database whatever company they come in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../tests/harness/database.ts";
import { bootstrap } from "../access/bootstrap.ts";
import { openEgress } from "../egress/open-egress.ts";
import { createLog } from "../ground/log.ts";
import { newId } from "../ground/ids.ts";
import { Sealer } from "../ground/seal.ts";
import { openDatabase, type Database } from "../store/database.ts";
import { insertDestination } from "../store/destinations.ts";
import { openDestination, type OpenDestination } from "./channels.ts";
import { sealDestinationSecrets } from "./destination-secrets.ts";
import { OutcomeWriter } from "./save-outcomes.ts";
import { until } from "../../tests/harness/until.ts";
import { openDestinationNetwork } from "./destination-network.ts";

test("a delivery that two attempts end at once does not keep the others from being noted", async (t) => {
  const database = await testDatabase(t);
  const destinationId = newId();
  const twice = newId();
  let noted = 0;
  const notes = new OutcomeWriter({
    database,
    relaxed: database.queries,
    log: createLog("silent"),
    workerId: () => 1,
    disableAfterSeconds: 60,
    onNoted: (ended) => void (noted += ended.length),
  });
  for (const eventId of [newId(), twice, newId(), twice, newId()]) {
    notes.add({ finished: { destinationId, eventId, state: "delivered", delayMs: 0 } });
  }
  await notes.close();
  assert.equal(noted, 5);
  const { rowCount } = await database.pool.query("select 1 from deliveries where state = 'delivered'");
  assert.equal(rowCount, 4);
});

test("while what an end says of its destination cannot be written, the end itself is not noted again", async (t) => {
  const database = await testDatabase(t);
  const away = await openDatabase({ ...database, log: createLog("silent"), poolSize: 1 });
  await sql`select 1`.execute(away.queries);
  await away.close();
  const log = createLog("silent");
  let refusals = 0;
  log.warn = () => void (refusals += 1);
  const notes = new OutcomeWriter({
    database: away,
    relaxed: database.queries,
    log,
    workerId: () => 1,
    disableAfterSeconds: 60,
    onNoted: () => {},
  });
  const destination = await failingDestination(database);
  const attempt = { time: new Date().toISOString(), durationMs: 1, error: "no" };
  const finished = {
    destinationId: destination.row.id,
    eventId: newId(),
    state: "waiting",
    delayMs: 0,
  } as const;
  notes.add({
    finished: { ...finished, attempt },
    made: { outcome: { kind: "failed", error: "no" }, destination },
  });
  await until(() => refusals === 1);
  await database.pool.query("update deliveries set state = 'sending', claimed_by = 1");
  await until(() => refusals >= 2);
  const { rows } = await database.pool.query("select state, failures from deliveries");
  assert.deepEqual(rows, [{ state: "sending", failures: 1 }]);
  await notes.close();
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
  const world = openDestinationNetwork({ egress: openEgress([]), dataDir: "/nonexistent", timeoutMs: 1_000 });
  return openDestination({ sealer, world }, row);
}

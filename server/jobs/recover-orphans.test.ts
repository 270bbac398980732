/** Process identities: who is alive, and what is recovered from the dead. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_LOCKS, testDatabase } from "../../tests/harness/database.ts";
import { until } from "../../tests/harness/until.ts";
import { createLog } from "../../ground/log.ts";
import { claimProcessIdentity } from "./process-identity.ts";
import { recoverOrphans } from "./recover-orphans.ts";

const log = createLog("silent");

test("a process that is gone is dead, one that lost its connection for a moment is not", async (t) => {
  const { connectionString, pool } = await testDatabase(t);
  const [mine, gone, cut] = await Promise.all(
    [1, 2, 3].map(() => claimProcessIdentity(connectionString, log)),
  );
  assert.ok(mine && gone && cut);
  t.after(async () => void (await Promise.all([mine.close(), cut.close()])));
  assert.deepEqual(await mine.findDead([mine.id, gone.id, cut.id]), []);
  await gone.close();
  const { rowCount } = await pool.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = $1::int::oid and classid = 735561
       and ${OWN_LOCKS}`,
    [cut.id],
  );
  assert.equal(rowCount, 1);
  assert.deepEqual(await mine.findDead([mine.id, gone.id, cut.id]), [gone.id]);
});

test("what a dead process had claimed is recovered, once it is dead and never from the living", async (t) => {
  const { connectionString } = await testDatabase(t);
  const [mine, other] = await Promise.all([1, 2].map(() => claimProcessIdentity(connectionString, log)));
  assert.ok(mine && other);
  const recovered: number[] = [];
  let rounds = 0;
  const stop = recoverOrphans({
    log,
    identity: mine,
    listClaimers: async () => {
      rounds += 1;
      if (rounds === 1) throw new Error("the database went away");
      return recovered.includes(other.id) ? [mine.id] : [mine.id, other.id];
    },
    recover: async (id) => void recovered.push(id),
  });
  t.after(async () => {
    stop();
    await mine.close();
  });
  await until(() => rounds >= 3);
  assert.deepEqual(recovered, []);
  await other.close();
  await until(() => recovered.length > 0);
  const after = rounds;
  await until(() => rounds > after);
  assert.deepEqual(recovered, [other.id]);
});

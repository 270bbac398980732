/** Baselines beside a schema watch that ends on the control side: none is left, whichever of the two is first. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { openSides, type Scope } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import type { DataQueries } from "../database/sides.ts";
import { listSchemaBaselines, saveSchemaBaseline } from "./schema-baselines.ts";
import { claimSchemaCheck, followDeployedWatch, startDueChecks } from "./schema-checks.ts";

/** A check that has begun, in a database whose sides are two commits. */
async function openCheck(t: Scope) {
  const { database, projectId, integrationId, install } = await openInstallations(t, {});
  const sides = await openSides(t, database);
  const { id: installationId } = await install("one");
  const follow = (content: object) =>
    // Not `transactControl`: the process ends between the two commits.
    sides.control
      .transaction()
      .execute((queries) => followDeployedWatch(queries, { projectId, integrationId, content }));
  await follow({ watchSchema: {} });
  await startDueChecks(sides, { max: 1, spreadMs: 0, nextTick: () => new Date(Date.now() + 60_000) });
  assert.ok(await claimSchemaCheck(sides.data, { leaseMs: 60_000, full: [] }));
  const save = (queries: DataQueries, objectName: string) =>
    saveSchemaBaseline(queries, {
      installationId,
      objectName,
      account: "a",
      fields: {},
      comparedVersion: undefined,
      message: undefined,
    });
  const listNames = async () => [...(await listSchemaBaselines(sides.data, installationId)).keys()];
  return { sides, watcher: database.dataPool ?? database.pool, endWatch: () => follow({}), save, listNames };
}

test("a check that saves between the two commits of an ended watch leaves nothing, and later ones save nothing", async (t) => {
  const { sides, endWatch, save, listNames } = await openCheck(t);
  await endWatch();
  await save(sides.data, "between");
  assert.deepEqual(await listNames(), ["between"]);
  await sides.outbox.carryOver();
  assert.deepEqual(await listNames(), []);
  await save(sides.data, "after");
  assert.deepEqual(await listNames(), []);
});

test("a watch that ends waits for a check that is saving, and forgets what it saved", async (t) => {
  const { sides, watcher, endWatch, save, listNames } = await openCheck(t);
  await endWatch();
  const [saved, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const saving = sides.data.transaction().execute(async (queries) => {
    await save(queries, "under way");
    saved.resolve();
    await ending.promise;
  });
  await saved.promise;
  const carrying = sides.outbox.carryOver();
  await until(async () => {
    const { rows } = await watcher.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  });
  ending.resolve();
  await Promise.all([saving, carrying]);
  assert.deepEqual(await listNames(), []);
});

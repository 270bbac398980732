/** Installations in memory, while rows that they rest on change. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../tests/harness/database.ts";
import {
  deploy,
  GROUP_REF,
  INTEGRATION,
  MANIFEST,
  stockDatabase,
} from "../../tests/harness/proxy/stock-database.ts";
import { createLog } from "../../ground/log.ts";
import { listenForChanges } from "../store/changes.ts";
import { updateProject } from "../store/projects.ts";
import { openInstallationCache } from "./installation-cache.ts";

async function open(t: TestContext) {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  const { queries } = database;
  const stock = await stockDatabase(queries);
  const cache = openInstallationCache({ database, changes });
  const find = () => cache.ofGroup(stock.projectId, INTEGRATION, GROUP_REF);
  return { ...stock, queries, changes, cache, find };
}

test("a connection's new token forgets no installation of another connection", async (t) => {
  const on = await open(t);
  const other = await stockDatabase(on.queries, { projectName: "other" });
  const before = [
    await on.find(),
    await on.cache.fields(on.installationId),
    await on.cache.fields(other.installationId),
  ];
  await sql`update connections set update_time = now() where id = ${on.connectionId}`.execute(on.queries);
  await on.changes.caughtUp();
  const after = await on.find();
  assert.equal(after?.installation, before[0] && "installation" in before[0] && before[0].installation);
  assert.equal(await on.cache.fields(other.installationId), before[2]);
  assert.notEqual(
    await on.cache.fields(on.installationId),
    before[1],
    "its own may tell of another consumer",
  );
});

test("a new configuration, a new revision and a project's setting are seen as soon as they are committed", async (t) => {
  const on = await open(t);
  await on.find();
  await sql`
    insert into configs (id, project_id, installation_id, revision_id, content, created_by)
    select gen_random_uuid(), project_id, installation_id, revision_id, '{"provider":"acme","write":{}}', created_by from configs
  `.execute(on.queries);
  await on.changes.caughtUp();
  assert.deepEqual((await on.find())?.installation.config.content.write, {});
  await deploy(on.queries, on.projectId, { ...MANIFEST, displayName: "Acme" });
  await on.changes.caughtUp();
  assert.equal((await on.find())?.integration.latestRevision.content.displayName, "Acme");
  await updateProject(on.queries, on.projectId, { dropUnmappedFields: true });
  await on.changes.caughtUp();
  assert.equal((await on.find())?.dropUnmapped, true);
});

test("an installation that was deleted is gone at once", async (t) => {
  const on = await open(t);
  await on.find();
  await on.cache.fields(on.installationId);
  await sql`delete from installations where id = ${on.installationId}`.execute(on.queries);
  await on.changes.caughtUp();
  assert.equal(await on.find(), undefined);
  assert.equal(await on.cache.fields(on.installationId), undefined);
});

test("events of an installation have the new name of its group and consumer as soon as it is committed", async (t) => {
  const on = await open(t);
  await on.cache.fields(on.installationId);
  await sql`update groups set group_name = 'Renamed'`.execute(on.queries);
  await sql`update consumers set consumer_name = 'Grace'`.execute(on.queries);
  await on.changes.caughtUp();
  const fields = await on.cache.fields(on.installationId);
  assert.deepEqual([fields?.groupName, fields?.consumerName], ["Renamed", "Grace"]);
});

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
import { listenForChanges } from "../store/database/changes.ts";
import { updateProject } from "../store/access/projects.ts";
import { openInstallationCache } from "./installation-cache.ts";

async function open(t: TestContext) {
  const database = await testDatabase(t);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  t.after(() => changes.close());
  const { queries } = database;
  const stock = await stockDatabase(queries);
  const cache = openInstallationCache({ database, changes });
  const find = () => cache.findOfGroup(stock.projectId, INTEGRATION, GROUP_REF);
  return { ...stock, queries, changes, cache, find };
}

test("a connection's new token forgets no installation of another connection", async (t) => {
  const busbar = await open(t);
  const other = await stockDatabase(busbar.queries, { projectName: "other" });
  const before = [
    await busbar.find(),
    await busbar.cache.findFields(busbar.installationId),
    await busbar.cache.findFields(other.installationId),
  ];
  await sql`update connections set update_time = now() where id = ${busbar.connectionId}`.execute(
    busbar.queries,
  );
  await busbar.changes.caughtUp();
  const after = await busbar.find();
  assert.equal(after?.installation, before[0] && "installation" in before[0] && before[0].installation);
  assert.equal(await busbar.cache.findFields(other.installationId), before[2]);
  assert.notEqual(
    await busbar.cache.findFields(busbar.installationId),
    before[1],
    "its own may tell of another consumer",
  );
});

test("a new configuration, a new revision and a project's setting are seen as soon as they are committed", async (t) => {
  const busbar = await open(t);
  await busbar.find();
  await sql`
    insert into configs (id, project_id, installation_id, revision_id, content, created_by)
    select gen_random_uuid(), project_id, installation_id, revision_id, '{"provider":"acme","write":{}}', created_by from configs
  `.execute(busbar.queries);
  await busbar.changes.caughtUp();
  assert.deepEqual((await busbar.find())?.installation.config.content.write, {});
  await deploy(busbar.queries, busbar.projectId, { ...MANIFEST, displayName: "Acme" });
  await busbar.changes.caughtUp();
  assert.equal((await busbar.find())?.integration.latestRevision.content.displayName, "Acme");
  await updateProject(busbar.queries, busbar.projectId, { dropUnmappedFields: true });
  await busbar.changes.caughtUp();
  assert.equal((await busbar.find())?.dropUnmapped, true);
});

test("an installation that was deleted is gone at once", async (t) => {
  const busbar = await open(t);
  await busbar.find();
  await busbar.cache.findFields(busbar.installationId);
  await sql`delete from installations where id = ${busbar.installationId}`.execute(busbar.queries);
  await busbar.changes.caughtUp();
  assert.equal(await busbar.find(), undefined);
  assert.equal(await busbar.cache.findFields(busbar.installationId), undefined);
});

test("events of an installation have the new name of its group and consumer as soon as it is committed", async (t) => {
  const busbar = await open(t);
  await busbar.cache.findFields(busbar.installationId);
  await sql`update groups set group_name = 'Renamed'`.execute(busbar.queries);
  await sql`update consumers set consumer_name = 'Grace'`.execute(busbar.queries);
  await busbar.changes.caughtUp();
  const fields = await busbar.cache.findFields(busbar.installationId);
  assert.deepEqual([fields?.groupName, fields?.consumerName], ["Renamed", "Grace"]);
});

/** What `busbar doctor --server` says about two databases, and what `busbar migrate` mends. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "pg";
import { createTestDatabase } from "../../tests/harness/database.ts";
import { asReplicator } from "../../tests/harness/empty-pair.ts";
import { until } from "../../tests/harness/until.ts";
import { stopCopies } from "../../tests/harness/wait-for-copies.ts";
import { readConfig } from "../../ground/config.ts";
import { newId } from "../../ground/ids.ts";
import { createLog } from "../../ground/log.ts";
import { onBothSides } from "../store/database/prepare-database.ts";
import { readPublishedSlot } from "../store/sides/replicate-shared.ts";
import { runDoctor } from "./doctor/doctor-command.ts";
import { runMigrateCommand } from "./migrate-command.ts";

async function insertProject(control: Client, name: string): Promise<string> {
  const id = newId();
  await control.query("insert into organizations (id, label, default_team_id) values ($1, 'o', $1)", [id]);
  await control.query("insert into projects (id, org_id, name, app_name) values ($1, $1, $2, 'p')", [
    id,
    name,
  ]);
  return id;
}

const listProjects = async (client: Client): Promise<unknown[]> =>
  (await client.query<{ name: string }>("select name from projects order by name")).rows.map(
    ({ name }) => name,
  );

test("a slot that a failover has lost is told, and migrating makes it and the copies again", async (t) => {
  const { connectionString, dataUrl = "", drop } = await createTestDatabase({ isDivided: true });
  t.after(drop);
  const config = readConfig({
    DATABASE_URL: connectionString,
    BUSBAR_DATA_DATABASE_URL: dataUrl,
    BUSBAR_REPLICATION_URL: asReplicator(connectionString),
    BUSBAR_DATA_DIR: join(tmpdir(), "busbar-of-no-start"),
    BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
  });
  const examine = async () => {
    const findings = await runDoctor(() => config);
    return Object.fromEntries(findings.map(({ check, detail }) => [check, detail]));
  };
  const untilComplete = () => until(async () => (await examine())["copies"] === "complete");
  const deps = { config, log: createLog("silent") };
  await onBothSides({ connectionString, dataUrl }, async ({ control, data }) => {
    const [kept, gone] = [await insertProject(control, "kept"), await insertProject(control, "gone")];
    assert.equal(await runMigrateCommand(deps, undefined), "Both databases are migrated.");
    await untilComplete();
    const found = await examine();
    assert.match(found["replication slot"] ?? "", /^keeps \d+ MB of log on the control server$/);
    assert.equal(found["data database: migrations"], "all done");
    assert.deepEqual(await listProjects(data), ["gone", "kept"]);
    for (const projectId of [kept, gone])
      await data.query("insert into events (id, project_id, type, data) values ($1, $2, 'read', '{}')", [
        newId(),
        projectId,
      ]);

    await stopCopies(dataUrl);
    assert.equal((await examine())["copies"], "replication is disabled");
    const slot = await readPublishedSlot(control);
    // Who sends from it may still be ending.
    await until(() =>
      control.query("select pg_drop_replication_slot($1)", [slot]).then(
        () => true,
        () => false,
      ),
    );
    await control.query("update projects set name = 'renamed' where id = $1", [kept]);
    await control.query("delete from projects where id = $1", [gone]);
    await insertProject(control, "new");
    assert.match((await examine())["replication slot"] ?? "", /has none, as after a failover/);

    assert.match(await runMigrateCommand(deps, undefined), /the copies are made again/);
    assert.deepEqual(await listProjects(data), ["new", "renamed"]);
    const { rows } = await data.query("select project_id as id from events");
    assert.deepEqual(rows, [{ id: kept }], "what belonged to the removed copy is gone");
    await insertProject(control, "later");
    await untilComplete();
    assert.deepEqual(await listProjects(data), ["later", "new", "renamed"]);
  });
});

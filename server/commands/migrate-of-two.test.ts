/** What `busbar doctor --server` says about two databases, and what `busbar migrate` mends. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Client } from "pg";
import { createTestDatabase } from "../../tests/harness/database.ts";
import { asReplicator } from "../../tests/harness/empty-pair.ts";
import { until } from "../../tests/harness/until.ts";
import { resumeCopies, stopCopies } from "../../tests/harness/wait-for-copies.ts";
import { readConfig } from "../../ground/config.ts";
import { newId } from "../../ground/ids.ts";
import { createLog } from "../../ground/log.ts";
import { openClient } from "../store/database/prepare-database.ts";
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

/** Opens a pair with what the commands need. */
async function openScene(t: TestContext) {
  const { connectionString, dataUrl = "", drop } = await createTestDatabase({ isDivided: true });
  const opened: Client[] = [];
  const connect = async (url = connectionString) => {
    const client = await openClient(url);
    opened.push(client);
    return client;
  };
  const [control, data] = [await connect(), await connect(dataUrl)];
  t.after(async () => {
    for (const client of opened) await client.end();
    await drop();
  });
  const readWith = (replicationUrl: string | undefined) =>
    readConfig({
      DATABASE_URL: connectionString,
      BUSBAR_DATA_DATABASE_URL: dataUrl,
      BUSBAR_REPLICATION_URL: replicationUrl,
      BUSBAR_DATA_DIR: join(tmpdir(), "busbar-of-no-start"),
      BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    });
  const replicationUrl = asReplicator(connectionString);
  const examine = async () => {
    const findings = await runDoctor(() => readWith(replicationUrl));
    return Object.fromEntries(findings.map(({ check, detail }) => [check, detail]));
  };
  return {
    control,
    data,
    connect,
    dataUrl,
    examine,
    untilComplete: () => until(async () => (await examine())["copies"] === "complete"),
    /** Drops the slot of replication that has been stopped. */
    async dropSlot() {
      const slot = await readPublishedSlot(control);
      // Who sends from it may still be ending.
      await until(() =>
        control.query("select pg_drop_replication_slot($1)", [slot]).then(
          () => true,
          () => false,
        ),
      );
    },
    migrate: (options: { replicationUrl: string | undefined } = { replicationUrl }) =>
      runMigrateCommand({ config: readWith(options.replicationUrl), log: createLog("silent") }, undefined),
  };
}

test("a slot that a failover has lost is told, and migrating makes it and the copies again", async (t) => {
  const { control, data, dataUrl, examine, untilComplete, dropSlot, migrate } = await openScene(t);
  const [kept, gone] = [await insertProject(control, "kept"), await insertProject(control, "gone")];
  assert.equal(await migrate(), "Both databases are migrated.");
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
  await dropSlot();
  await control.query("update projects set name = 'renamed' where id = $1", [kept]);
  await control.query("delete from projects where id = $1", [gone]);
  await insertProject(control, "new");
  assert.match((await examine())["replication slot"] ?? "", /has none, as after a failover/);

  assert.match(await migrate(), /the copies are made again/);
  assert.deepEqual(await listProjects(data), ["new", "renamed"]);
  const { rows } = await data.query("select project_id as id from events");
  assert.deepEqual(rows, [{ id: kept }], "what belonged to the removed copy is gone");
  await insertProject(control, "later");
  await untilComplete();
  assert.deepEqual(await listProjects(data), ["later", "new", "renamed"]);
});

test("copies that were not made again to the end are made again next time, with all changes since", async (t) => {
  const { control, data, dataUrl, untilComplete, dropSlot, migrate } = await openScene(t);
  await insertProject(control, "first");
  await untilComplete();
  // As after a failover, where nobody has stopped replication.
  await stopCopies(dataUrl);
  await dropSlot();
  await resumeCopies(dataUrl);
  await insertProject(control, "between");
  await data.query("alter table projects add constraint broken check (name <> 'between')");
  await assert.rejects(migrate(), { constraint: "broken" });
  await data.query("alter table projects drop constraint broken");
  await insertProject(control, "later");
  assert.match(await migrate(), /the copies are made again/);
  await untilComplete();
  assert.deepEqual(await listProjects(data), ["between", "first", "later"]);
});

test("who changes the control database while copies are made again holds nothing up, and is copied once", async (t) => {
  const { control, data, dataUrl, connect, untilComplete, dropSlot, migrate } = await openScene(t);
  const [early, late] = [await connect(), await connect()];
  await stopCopies(dataUrl);
  await dropSlot();
  // It has changed something, so the slot waits for it, and then it needs a shared table.
  await early.query("begin; set local lock_timeout = '5s'");
  await early.query("insert into outbox (project_id, kind, content) values ($1, 'event', '{}')", [newId()]);
  // It has changed nothing yet, so the slot does not wait for it.
  await late.query("begin; lock table projects in row exclusive mode");
  const migrating = migrate();
  migrating.catch(() => {});
  await until(async () => {
    const { rows } = await control.query(
      `select from pg_stat_activity where datname = current_database() and state = 'active'
         and query like 'select pg_create_logical_replication_slot(%'`,
    );
    return rows.length > 0;
  });
  await insertProject(early, "early");
  await early.query("commit");
  await until(async () => {
    const { rows } = await control.query(
      "select from pg_replication_slots where database = current_database() and confirmed_flush_lsn is not null",
    );
    return rows.length > 0;
  });
  await insertProject(late, "late");
  await late.query("commit");
  assert.match(await migrating, /the copies are made again/);
  await insertProject(control, "since");
  await untilComplete();
  assert.deepEqual(await listProjects(data), ["early", "late", "since"]);
});

test("migrating keeps the address of replication unless another one is named, which must lead there", async (t) => {
  const { control, data, dataUrl, untilComplete, migrate } = await openScene(t);
  // Without a password, the server of the data database could not use that of DATABASE_URL.
  assert.equal(await migrate({ replicationUrl: undefined }), "Both databases are migrated.");
  await assert.rejects(migrate({ replicationUrl: asReplicator(dataUrl) }), {
    name: "StartError",
    message: /BUSBAR_REPLICATION_URL does not lead to the database of DATABASE_URL/,
  });
  await insertProject(control, "later");
  await untilComplete();
  assert.deepEqual(await listProjects(data), ["later"]);
});

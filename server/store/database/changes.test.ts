import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { testDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { createLog } from "../../../ground/log.ts";
import { leaveOutTables, listenForChanges } from "./changes.ts";

test("after catching up, every change that was committed before has been reported", async (scope) => {
  const database = await testDatabase(scope);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  scope.after(() => changes.close());
  const heard: (string | undefined)[] = [];
  changes.subscribe((change) => heard.push(change?.id));
  for (let round = 0; round < 50; round++) {
    const id = `id-${round}`;
    const payload = JSON.stringify({ table: "projects", id });
    await database.pool.query("select pg_notify('busbar_changes', $1)", [payload]);
    await changes.caughtUp();
    assert.equal(heard.at(-1), id);
  }
  assert.equal(heard.length, 50);
});

test("what is left out wakes nobody; other changes and missed ones are told", async (scope) => {
  const database = await testDatabase(scope);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  scope.after(() => changes.close());
  const heard: (string | undefined)[] = [];
  const left = leaveOutTables(changes, ["writes"]);
  left.subscribe((change) => heard.push(change?.table));
  for (const table of ["writes", "projects"])
    await database.pool.query("select pg_notify('busbar_changes', $1)", [JSON.stringify({ table, id: "" })]);
  await left.caughtUp();
  assert.deepEqual(heard, ["projects"]);
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'busbar changes' and datname = current_database()",
  );
  await until(() => heard.at(-1) === undefined && left.connected);
  assert.ok(left.heardMs > 0);
});

test("many may catch up at once", async (scope) => {
  const database = await testDatabase(scope);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  scope.after(() => changes.close());
  const heard = new Set<string | undefined>();
  changes.subscribe((change) => heard.add(change?.id));
  const one = async (id: string) => {
    const payload = JSON.stringify({ table: "projects", id });
    await database.pool.query("select pg_notify('busbar_changes', $1)", [payload]);
    await changes.caughtUp();
    assert.ok(heard.has(id));
  };
  await Promise.all(Array.from({ length: 200 }, (_, index) => one(`id-${index}`)));
});

test("without a connection to listen on, catching up does not wait", async (scope) => {
  const database = await testDatabase(scope);
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  await changes.close();
  const caughtUp = changes.caughtUp().then(() => "at once");
  assert.equal(await Promise.race([caughtUp, wait(900, "late", { ref: false })]), "at once");
});

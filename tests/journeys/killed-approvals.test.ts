/** An approved act happens once or ends as failed, also when the process that carries it out is killed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { runBusbar } from "../harness/child-busbar.ts";
import { until } from "../harness/until.ts";
import { openScene, type Scene } from "./agent-scene.ts";

describe("an approved act while the process that carries it out is killed", () => {
  let scene: Scene;
  let dataDir: string;
  after(async () => {
    await scene.busbar.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  before(async () => {
    scene = await openScene({ BUSBAR_ROLES: "api" });
    dataDir = await mkdtemp(join(tmpdir(), "busbar-worker-"));
    await writeFile(join(dataDir, "catalog.json"), JSON.stringify(scene.busbar.sandbox.catalog()));
  });
  const startWorker = () =>
    runBusbar(["start"], {
      DATABASE_URL: scene.busbar.connectionString,
      BUSBAR_DATA_DIR: dataDir,
      BUSBAR_CATALOG: join(dataDir, "catalog.json"),
      BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
      BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
      BUSBAR_ROLES: "worker",
      BUSBAR_HEALTH_PORT: "0",
      BUSBAR_DASHBOARD: "false",
    });
  const requests = (method: string, text: string) =>
    scene.busbar.sandbox
      .requests({ provider: "hubspot" })
      .filter((one) => one.method === method && JSON.stringify(one).includes(text));

  for (const [when, method, status] of [
    ["before it was sent, is sent once by another", "POST", "executed"],
    ["while it is sent, is not sent again, and its operation says so", "PATCH", "failed"],
  ] as const) {
    test(when, async () => {
      const { busbar, ask, create, decide, ended, get, contacts } = scene;
      const recordId = await create(`kill-${status}@example.com`);
      const id = await ask("update_record", { id: recordId, record: { givenName: `Killed ${status}` } });
      busbar.sandbox.clearRequests();
      // Reading the record as it is goes by a POST of ids, writing by a PATCH.
      const before = requests(method, recordId).length;
      busbar.sandbox.addFault({ provider: "hubspot", method, path: "/crm/v3/objects/contacts", hang: true });
      assert.equal((await decide(id)).status, 200);
      const killed = startWorker();
      const isHanging = () => busbar.sandbox.faults().some(({ hits }) => hits === 1) || undefined;
      await until(isHanging);
      assert.equal((await get(id)).status, "approved");
      killed.child.kill("SIGKILL");
      await killed.exited;
      busbar.sandbox.clearFaults();
      const next = startWorker();
      const done = await ended(id);
      next.child.kill("SIGTERM");
      if (next.child.exitCode === null) await once(next.child, "exit");
      assert.equal(done.status, status, JSON.stringify(done));
      const operation = (await busbar.inProject("GET", `/operations/${done.operationId}`)).body;
      assert.equal(
        operation.status,
        status === "executed" ? "success" : "failure",
        JSON.stringify(operation),
      );
      assert.equal(requests("PATCH", `Killed ${status}`).length, 1);
      assert.equal(contacts(`Killed ${status}`).length, status === "executed" ? 1 : 0);
      assert.ok(requests(method, recordId).length > before);
    });
  }
});

test("an approved act that breaks off between the commits of the two sides is not sent, ends as failed, and counts", async (t) => {
  const scene = await openScene({}, { hasTwoSides: true });
  t.after(() => scene.busbar.stop());
  const { busbar, ask, create, decide, ended } = scene;
  const recordId = await create("between@example.com");
  const id = await ask("update_record", { id: recordId, record: { givenName: "Between" } });
  busbar.sandbox.clearRequests();
  const [watcher, blocking] = [1, 2].map(() => new Client({ connectionString: busbar.connectionString }));
  assert.ok(watcher && blocking);
  await Promise.all([watcher.connect(), blocking.connect()]);
  // The act is marked as sent on the control side; the beginning of its operation waits on the data side.
  await blocking.query("begin; lock table operations in share row exclusive mode");
  assert.equal((await decide(id)).status, 200);
  await until(async () => {
    const { rows } = await watcher.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query ~ 'insert into operations'`,
    );
    return rows.length > 0;
  });
  const marked = await watcher.query("select sent, status from approvals where id = $1", [id]);
  assert.deepEqual(marked.rows, [{ sent: true, status: "approved" }]);
  await blocking.end();
  const { status, reason, operationId } = await ended(id);
  assert.equal(status, "failed");
  assert.match(reason, /There is no operation: Busbar stopped before it began to send the act/);
  const left = await watcher.query(
    `select (select count(*)::integer from operations where id = $1) as operations,
      (select count(*)::integer from agent_acts where id = $1) as acts`,
    [operationId],
  );
  await watcher.end();
  assert.deepEqual(left.rows, [{ operations: 0, acts: 1 }]);
  const sent = busbar.sandbox
    .requests({ provider: "hubspot" })
    .filter(({ method, ...one }) => method === "PATCH" && JSON.stringify(one).includes("Between"));
  assert.deepEqual(sent, []);
});

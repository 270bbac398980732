/** Processes whose machines' clocks differ by an hour work together: all that is stored and signed has the database's time. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { openTestBusbar } from "../harness/busbar.ts";
import { runBusbar } from "../harness/child-busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { drawRoute } from "../harness/deliveries/routes.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

const HOUR_MS = 3_600_000;
/** Far more than the test takes, and less than the difference. */
const NEAR_MS = HOUR_MS / 2;

for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
  test(`writes, scheduled reads, deliveries and signatures of a worker whose clock is ${aheadMs > 0 ? "ahead" : "behind"}`, async (t) => {
    const sink = await openSink();
    const busbar = await openTestBusbar({ env: { BUSBAR_ROLES: "api,proxy", BUSBAR_MINUTE_MS: "200" } });
    const dataDir = await mkdtemp(join(tmpdir(), "busbar-skewed-"));
    const database = new Client(busbar.connectionString);
    await database.connect();
    const catalog = join(dataDir, "catalog.json");
    await writeFile(catalog, JSON.stringify(busbar.sandbox.catalog()));
    const setClock = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${aheadMs};`;
    const worker = runBusbar(
      ["start"],
      {
        DATABASE_URL: busbar.connectionString,
        BUSBAR_DATA_DIR: dataDir,
        BUSBAR_CATALOG: catalog,
        BUSBAR_EGRESS_ALLOW: "127.0.0.1,localhost",
        BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
        BUSBAR_ROLES: "worker",
        BUSBAR_HEALTH_PORT: "0",
        BUSBAR_DASHBOARD: "false",
        BUSBAR_MINUTE_MS: "200",
      },
      { nodeFlags: ["--import", setClock] },
    );
    t.after(async () => {
      worker.child.kill("SIGTERM");
      await worker.exited;
      await database.end();
      await busbar.stop();
      await sink.close();
      await rm(dataDir, { recursive: true });
    });
    const { name } = await drawRoute(busbar, `${sink.url}/hook`, ["write.async.done"]);
    const customer = await connectCustomer(busbar, {
      provider: "hubspot",
      integration: "crm",
      manifest: `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read: { objects: [{ objectName: contacts, destination: ${name}, schedule: "*/10 * * * *", requiredFields: [{ fieldName: email }] }] }
    write: { objects: [{ objectName: contacts }] }
`,
      content: { read: { objects: { contacts: {} } }, write: { objects: { contacts: {} } } },
    });
    const record = { email: "skewed@example.com" };
    const { operationId } = await customer.succeed("contacts", {
      type: "create",
      mode: "asynchronous",
      record,
    });
    const arrived = (...texts: string[]) =>
      until(() => sink.received.find(({ body }) => texts.every((text) => body.includes(text))));
    const received = [
      await arrived('"write.async.done"', operationId),
      await arrived('"action":"read"', record.email),
    ];
    for (const { headers } of received) {
      const signedMs = Number(headers["webhook-timestamp"]) * 1_000;
      assert.ok(Math.abs(signedMs - Date.now()) < NEAR_MS, new Date(signedMs).toISOString());
    }
    const operation = (await busbar.inProject("GET", `/operations/${operationId}`)).body;
    assert.equal(operation.status, "success");
    // What is stored is neither ahead nor behind.
    const { rows } = await database.query<{ what: string; time: Date }>(
      `select 'next tick' as what, next_tick as time from read_objects union all select 'cursor', cursor_time from read_objects
       union all select 'end of operation', update_time from operations where id = $1`,
      [operationId],
    );
    assert.ok(rows.length >= 3, JSON.stringify(rows));
    for (const { what, time } of rows)
      assert.ok(Math.abs(time.getTime() - Date.now()) < NEAR_MS, `${what}: ${time.toISOString()}`);
    // Reading goes on at its ticks.
    const cursor = async () =>
      (
        await database.query<{ time: Date }>("select cursor_time as time from read_objects")
      ).rows[0]?.time.getTime() ?? 0;
    const before = await cursor();
    await until(async () => (await cursor()) > before);
    assert.match(worker.output(), /the clock of this machine differs from the database's/);
  });
}

/** A disk that is full: every surface says so, nothing is green, and it ends without a restart. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { runCli } from "../harness/command-line.ts";
import { runBusbar, startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { createTestDatabase } from "../harness/database.ts";
import { explainNoSmallDisk, openSmallDisk, type SmallDisk } from "../harness/small-disk.ts";
import { until } from "../harness/until.ts";

const ENV = {
  BUSBAR_DASHBOARD: "false",
  BUSBAR_METRICS: "true",
  BUSBAR_WEBHOOK_RETRY_SECONDS: "1",
  BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
};

describe("a full disk", { skip: explainNoSmallDisk() }, () => {
  let disk: SmallDisk;
  let busbar: ChildBusbar;
  before(async () => {
    disk = await openSmallDisk();
  });
  after(async () => {
    await disk.close();
  });

  const ask = async (path: string) => {
    const answer = await fetch(busbar.origin + path);
    return { status: answer.status, text: await answer.text() };
  };
  const createTopics = async (): Promise<{ status: number; detail: string }> => {
    for (let index = 0; ; index += 1) {
      const { status, body } = await busbar.inProject("POST", "/topics", {
        name: `topic-${Date.now()}-${index}`,
      });
      if (status !== 201) return { status, detail: body.detail };
    }
  };
  const doctor = async (): Promise<string> => {
    const env = { BUSBAR_URL: busbar.origin, BUSBAR_API_KEY: busbar.file.apiKey, BUSBAR_PROJECT: "default" };
    return (await runCli(["doctor"], { env })).stdout;
  };

  test("of the embedded PostgreSQL is said by readiness, refusals, doctor and metrics, until there is space again", async () => {
    busbar = await startChildBusbar(disk.folder, ENV);
    assert.equal((await ask("/readyz")).status, 200);
    disk.fill();
    const refused = await createTopics();
    assert.equal(refused.status, 503);
    assert.match(refused.detail, /^The disk of the database is full\. Nothing was stored/);
    const ready = await ask("/readyz");
    assert.equal(ready.status, 503, ready.text);
    assert.match(ready.text, /disk of the database is full/);
    assert.equal((await ask("/readyz?for=proxy")).status, 200, "known callers are proxied");
    assert.match((await ask("/metrics")).text, /^busbar_database_up 0$/m);
    assert.match(await doctor(), /✗ .*ready.*: The disk of the database is full/);
    assert.equal((await busbar.inProject("GET", "/topics")).status, 200, "reading goes on");
    await disk.free();
    await until(async () => (await ask("/readyz")).status === 200);
    assert.equal((await busbar.inProject("POST", "/topics", { name: "afterwards" })).status, 201);
    assert.match(await doctor(), /✓ .*ready/);
    busbar.signal("SIGTERM");
    await busbar.exited;
  });

  test("of the data folder alone is said by uploads and by destinations that write there", async (t) => {
    const { connectionString, drop } = await createTestDatabase();
    t.after(drop);
    busbar = await startChildBusbar(disk.folder, { ...ENV, DATABASE_URL: connectionString });
    const made = await busbar.inProject("POST", "/destinations", {
      name: "lines",
      type: "log",
      metadata: { file: "a" },
    });
    assert.equal(made.status, 201);
    disk.fill();
    const tested = await busbar.inProject("POST", "/destinations/lines:test");
    assert.match(tested.text, /cannot write the line: the disk of the data folder is full/);
    const { body } = await busbar.call("GET", "/v1/generate-upload-url");
    const upload = await fetch(body.url, { method: "PUT", body: Buffer.alloc(1_000_000) });
    assert.equal(upload.status, 503);
    assert.match(await upload.text(), /The disk of the data folder is full\. Nothing was stored/);
    await disk.free();
    const again = await busbar.inProject("POST", "/destinations/lines:test");
    assert.doesNotMatch(again.text, /cannot write/);
    busbar.signal("SIGTERM");
    await busbar.exited;
  });

  test("keeps Busbar from starting, with the reason", async () => {
    disk.fill();
    const { exited } = runBusbar(["start"], { ...ENV, BUSBAR_DATA_DIR: disk.folder, BUSBAR_PORT: "0" });
    const { code, stdout, stderr } = await exited;
    assert.equal(code, 1);
    assert.match(`${stdout}${stderr}`, /The disk of BUSBAR_DATA_DIR is full/);
  });
});

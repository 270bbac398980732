/** Busbar as a process: what was acknowledged outlives stops and kills, and a stop finishes what is under way. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import type { Answer } from "../harness/busbar.ts";
import { endChildBusbar, startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";

describe("a Busbar that is stopped and started again", () => {
  let sandbox: Sandbox;
  let dataDir = "";
  let env: Record<string, string> = {};
  let busbar: ChildBusbar | undefined;
  /** Acknowledged so far, in the order of the acknowledgements. */
  const operations: string[] = [];
  let count = 0;

  before(async () => {
    sandbox = await startSandbox();
    dataDir = await mkdtemp(join(tmpdir(), "busbar-restart-"));
    const catalog = join(dataDir, "catalog.json");
    await writeFile(catalog, JSON.stringify(sandbox.catalog()));
    env = { BUSBAR_CATALOG: catalog, BUSBAR_EGRESS_ALLOW: "127.0.0.1" };
  });
  after(async () => {
    await endChildBusbar(busbar, dataDir);
    await sandbox.close();
  });

  const running = (): ChildBusbar => {
    assert.ok(busbar);
    return busbar;
  };

  async function read(path: string): Promise<Answer["body"]> {
    const { status, text, body } = await running().inProject("GET", path);
    assert.equal(status, 200, text);
    return body;
  }

  async function write(): Promise<Answer["body"]> {
    const record = { email: `restart-${++count}@example.com` };
    const { status, text, body } = await running().write("hubspot", "contacts", {
      groupRef: "acme",
      type: "create",
      record,
    });
    assert.equal(status, 200, text);
    operations.push(body.operationId);
    return body;
  }

  /** Everything that was acknowledged is there, and the credentials still open the account. */
  async function assertComplete(): Promise<void> {
    for (const id of operations) {
      const operation = await read(`/operations/${id}`);
      assert.equal(operation.status, "success");
      assert.ok((await read(`/operations/${id}/logs`)).length > 0);
    }
    const [integration] = await read("/integrations");
    assert.equal(integration.name, "hubspot");
    const [installation] = await read("/integrations/hubspot/installations?groupRef=acme");
    assert.equal(installation.config.content.marker, "kept");
    assert.equal((await write()).result.success, true);
  }

  test("the first start makes a key, in a file that only its owner reads, and is ready", async () => {
    busbar = await startChildBusbar(dataDir, env);
    const { mode } = await stat(join(dataDir, "bootstrap.json"));
    assert.equal(mode & 0o777, 0o600);
    assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
    assert.equal((await stat(join(dataDir, "encryption-keys"))).mode & 0o777, 0o600);
    const ready = await fetch(`${busbar.origin}/readyz`);
    assert.equal(ready.status, 200, await ready.text());
    const { file } = busbar;
    assert.ok(file.apiKey.length >= 32 && file.projectId && file.urls.proxy.startsWith("http://127.0.0.1:"));

    await connectCustomer(
      { ...busbar, sandbox },
      {
        provider: "hubspot",
        objects: ["contacts"],
        content: { marker: "kept" },
      },
    );
    await assertComplete();
  });

  test("SIGTERM finishes a request that is under way, then ends with 0", async () => {
    sandbox.addFault({ provider: "hubspot", delayMs: 700 });
    sandbox.clearRequests();
    const slow = write();
    await until(() => sandbox.requests({ provider: "hubspot" }).length > 0);
    running().signal("SIGTERM");
    assert.equal((await slow).result.success, true);
    const answered = performance.now();
    const { code, stderr } = await running().exited;
    assert.ok(performance.now() - answered < 30_000, "the stop waited although nothing was under way");
    assert.equal(code, 0, stderr);
    await assert.rejects(fetch(`${running().origin}/healthz`));
  });

  test("the next start has the same key on new ports, and everything that was acknowledged", async () => {
    const { file: before } = running();
    busbar = await startChildBusbar(dataDir, env);
    const { file } = busbar;
    assert.equal(file.apiKey, before.apiKey);
    assert.equal(file.projectId, before.projectId);
    assert.notEqual(file.urls.base, before.urls.base);
    assert.equal((await stat(join(dataDir, "bootstrap.json"))).mode & 0o777, 0o600);
    await assertComplete();
  });

  test("a second Busbar on the same folder stops with one line, and the first goes on", async () => {
    await assert.rejects(startChildBusbar(dataDir, env), (error: unknown) => {
      assert.ok(error instanceof Error);
      const said = error.message.replace("Busbar ended: ", "").trim().split("\n");
      const last = said.at(-1) ?? "";
      assert.match(last, /^busbar: .*(in use|another Busbar)/);
      return true;
    });
    await assertComplete();
  });

  for (const how of ["the process", "its whole group"]) {
    test(`kill -9 of ${how} under writes loses nothing that was acknowledged`, async () => {
      const stopped = { now: false };
      const writers = Array.from({ length: 4 }, async () => {
        while (!stopped.now) await write().catch(() => (stopped.now = true));
      });
      const known = operations.length;
      await until(() => operations.length > known + 20);
      if (how === "the process") running().signal("SIGKILL");
      else running().signalGroup("SIGKILL");
      await running().exited;
      stopped.now = true;
      await Promise.all(writers);
      busbar = await startChildBusbar(dataDir, env);
      await assertComplete();
    });
  }

  test("no secret lies in the log or in plain sight in the data folder", async () => {
    running().signal("SIGTERM");
    const { stdout, stderr, code } = await running().exited;
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    assert.ok(!stdout.includes(running().file.apiKey));
    for (const line of stdout.trim().split("\n")) JSON.parse(line);
    const keys = await readFile(join(dataDir, "encryption-keys"), "utf8");
    assert.match(keys, /^k1:[A-Za-z0-9+/]{43}=\n$/);
  });
});

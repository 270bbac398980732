/** Busbar as a process: what was acknowledged outlives stops and kills, and a stop finishes what is under way. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import type { Answer } from "../harness/busbar.ts";
import { endChildBusbar, startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    write: { objects: [{ objectName: contacts }] }
    proxy: { enabled: true }
`;

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

  async function call(method: string, path: string, body?: object): Promise<Answer["body"]> {
    const { origin, file } = running();
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { "x-api-key": file.apiKey, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }
  const inProject = (method: string, path: string, body?: object) =>
    call(method, `/v1/projects/default${path}`, body);

  async function write(): Promise<Answer["body"]> {
    const answer = await call("POST", "/write/v1/projects/default/integrations/crm/objects/contacts", {
      groupRef: "acme",
      type: "create",
      record: { email: `restart-${++count}@example.com` },
    });
    operations.push(answer.operationId);
    return answer;
  }

  /** Everything that was acknowledged is there, and the credentials still open the account. */
  async function assertComplete(): Promise<void> {
    for (const id of operations) {
      const operation = await inProject("GET", `/operations/${id}`);
      assert.equal(operation.status, "success");
      assert.ok((await inProject("GET", `/operations/${id}/logs`)).length > 0);
    }
    const [integration] = await inProject("GET", "/integrations");
    assert.equal(integration.name, "crm");
    const [installation] = await inProject("GET", "/integrations/crm/installations?groupRef=acme");
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

    await inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    const tokens = sandbox.hubspot.mintToken();
    await inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef: "acme",
      consumerRef: "admin",
      oauth2AuthorizationCode: { accessToken: { token: tokens.accessToken } },
    });
    const config = { content: { marker: "kept" } };
    await inProject("POST", "/integrations/crm/installations", { groupRef: "acme", config });
    await assertComplete();
  });

  test("SIGTERM finishes a request that is under way, then ends with 0", async () => {
    sandbox.addFault({ provider: "hubspot", delayMs: 700 });
    sandbox.clearRequests();
    const slow = write();
    await until(async () => (sandbox.requests({ provider: "hubspot" }).length > 0 ? true : undefined));
    running().signal("SIGTERM");
    assert.equal((await slow).result.success, true);
    const answered = performance.now();
    const { code, stderr } = await running().exited;
    assert.ok(performance.now() - answered < 5_000, "the stop waited although nothing was under way");
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
      await until(async () => (operations.length > known + 20 ? true : undefined));
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

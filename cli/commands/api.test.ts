/** `api`, `whoami` and `doctor` against a real server: what they reach, what they say, and how they end. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { runCli, type Surroundings } from "../../tests/harness/command-line.ts";
import { until } from "../../tests/harness/until.ts";

describe("looking at a server from outside", () => {
  let server: TestBusbar;
  let home = "";
  before(async () => {
    server = await openTestBusbar({ env: { BUSBAR_WEBHOOK_RETRY_SECONDS: "60" } });
    home = await mkdtemp(join(tmpdir(), "busbar-outside-"));
  });
  after(async () => {
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });
  const origin = () => new URL(server.server.urls.base).origin;
  const busbar = (line: string, more: Surroundings = {}) =>
    runCli(line.split(" "), {
      ...more,
      env: {
        HOME: home,
        BUSBAR_URL: origin(),
        BUSBAR_API_KEY: server.apiKey,
        BUSBAR_PROXY_URL: server.server.urls.proxy,
        ...more.env,
      },
    });

  test("api prints the answer as it came, and its status to stderr and in the exit code", async () => {
    const made = await busbar("api POST /v1/projects/{project}/topics -f name=made");
    assert.deepEqual([made.code, JSON.parse(made.stdout).name], [0, "made"], made.stderr);
    assert.match(made.stderr, /^201 Created$/m);
    const query = "api get v1/projects/{projectIdOrName}/connections -f provider=hubspot";
    assert.deepEqual(JSON.parse((await busbar(query)).stdout), []);
    const stdin = '{"name": "other"}';
    const changed = await busbar(
      `api PATCH /v1/projects/default/topics/${JSON.parse(made.stdout).id} --body -`,
      { stdin },
    );
    assert.equal(JSON.parse(changed.stdout).name, "other", changed.stdout);
    const missing = await busbar("api GET /v1/projects/default/topics/nothing");
    assert.deepEqual([missing.code, JSON.parse(missing.stdout).status], [1, 404]);
    assert.match(missing.stderr, /^404 Not Found$/m);
    assert.equal((await busbar("api POST /v1/projects -f x")).code, 2);
    assert.equal((await busbar("api FETCH /v1/projects")).code, 2);
  });

  test("api sends the key to the server and to no other, whatever stands in the path", async () => {
    let calls = 0;
    const other = createServer((_, response) => {
      calls += 1;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    for (const path of [`//${host}/v1`, `/\\${host}/v1`, `///${host}`]) {
      assert.equal((await busbar(`api GET ${path}`)).code, 2, path);
    }
    assert.equal((await busbar(`api GET http://${host}/v1`)).code, 1);
    assert.equal(calls, 0);
    other.close();
  });

  test("whoami names server, project, key and where they come from, and never the key itself", async () => {
    const { stdout, code } = await busbar("whoami --json");
    const me = JSON.parse(stdout);
    assert.equal(code, 0);
    assert.deepEqual([me.server, me.project.name, me.key.scopes], [origin(), "default", ["full"]]);
    assert.match(me.apiVersion, /^\d+\.\d+\.\d+$/);
    assert.ok(me.key.id && me.key.label);
    assert.deepEqual(me.settings, { server: "BUSBAR_URL", key: "BUSBAR_API_KEY" });
    assert.ok(!stdout.includes(server.apiKey));
    await busbar(`login ${origin()} --key-stdin`, { stdin: server.apiKey });
    const stored = await busbar("whoami --json", {
      env: { BUSBAR_URL: undefined, BUSBAR_API_KEY: undefined },
    });
    const file = join(home, ".config/busbar/profiles.json");
    assert.deepEqual(JSON.parse(stored.stdout).settings, { server: file, key: file });
    const { body } = await server.inProject("POST", "/api-keys", { label: "page", scopes: ["frontend"] });
    const frontend = await busbar("whoami --json", { env: { BUSBAR_API_KEY: body.key } });
    assert.deepEqual(JSON.parse(frontend.stdout).key.scopes, ["frontend"]);
  });

  /** Asks again while the database of a busy machine does not answer in time, which doctor reports. */
  const findings = (more: Surroundings = {}) =>
    until(async () => {
      const { code, stdout } = await busbar("doctor --json", more);
      const all: { check: string; ok: boolean; detail: string; cure?: string }[] = JSON.parse(stdout);
      const wrong = all.filter(({ ok }) => !ok);
      return !wrong.some(({ detail }) => /database does not answer/.test(detail)) && { code, all, wrong };
    });

  test("doctor finds nothing wrong with a server in order", async () => {
    const { code, all, wrong } = await findings();
    assert.deepEqual([code, wrong], [0, []]);
    assert.deepEqual(
      all.map(({ check }) => check),
      "server clock ready key project proxy destinations connections installations".split(" "),
    );
  });

  test("validate warns of an object that is nearly spelt like a standard one, without a server", async () => {
    const stdin = `specVersion: 1.0.0
integrations:
  - name: typos
    provider: hubspot
    write: { objects: [{ objectName: contcats }, { objectName: cars }] }
`;
    const { stdout } = await busbar("validate - --json", { stdin });
    const reported = JSON.parse(stdout).map(({ rule, line, remedy }: Record<string, string>) => [
      rule,
      line,
      remedy,
    ]);
    assert.deepEqual(reported, [
      [
        "unknown-object",
        5,
        'Did you mean "contacts"? Ignore this if the accounts have an object of this name.',
      ],
    ]);
  });

  test("doctor tells apart: no server, a proxy in its place, a load balancer without a ready process, a wrong key", async () => {
    const nowhere = await findings({ env: { BUSBAR_URL: "http://127.0.0.1:1" } });
    assert.deepEqual([nowhere.code, nowhere.wrong[0]?.check], [3, "server"]);
    const proxy = await findings({ env: { BUSBAR_URL: server.server.urls.proxy } });
    assert.match(proxy.wrong[0]?.detail ?? "", /is the proxy of a Busbar/);
    const balancer = createServer((_request, response) => response.writeHead(503).end("none is ready"));
    await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
    const { port } = balancer.address() as AddressInfo;
    const away = await findings({ env: { BUSBAR_URL: `http://127.0.0.1:${port}` } });
    balancer.close();
    assert.match(away.wrong[0]?.detail ?? "", /HTTP 503: no process of Busbar behind it is ready/);
    const key = await findings({ env: { BUSBAR_API_KEY: "bb_wrong" } });
    assert.deepEqual([key.code, key.wrong.map(({ check }) => check)], [1, ["key"]]);
    assert.equal(key.wrong[0]?.cure, "The key comes from BUSBAR_API_KEY: put a valid one there.");
    // Only a key that is accepted may ask for the address of the proxy.
    const unasked = await findings({ env: { BUSBAR_API_KEY: "bb_wrong", BUSBAR_PROXY_URL: undefined } });
    assert.deepEqual(
      unasked.wrong.map(({ check }) => check),
      ["key"],
    );
    const other = await busbar("list topics", { env: { BUSBAR_API_KEY: "bb_wrong" } });
    assert.match(other.stderr, /→ The key comes from BUSBAR_API_KEY: put a valid one there\./);
    assert.match((await busbar("list topics -k bb_wrong")).stderr, /→ The key comes from --key: /);
    const asked = await findings({ env: { BUSBAR_PROXY_URL: undefined } });
    const found = asked.all.find(({ check }) => check === "proxy");
    assert.deepEqual([found?.ok, found?.detail], [true, `${server.server.urls.proxy} answers`]);
    const noProxy = await findings({ env: { BUSBAR_PROXY_URL: "http://127.0.0.1:1" } });
    assert.deepEqual([noProxy.code, noProxy.wrong.map(({ check }) => check)], [1, ["proxy"]]);
  });

  test("doctor lists all that it can check while the server refuses a part, as on a full disk", async (t) => {
    const detail = "The disk of the database is full. Nothing was stored.";
    const refuses = new Set(["/connections"]);
    const partly = createServer(({ url = "", headers }, response) => {
      if ([...refuses].some((path) => url.includes(path))) {
        const body = JSON.stringify({ title: "Temporarily unavailable", status: 503, detail });
        response.writeHead(503, { "content-type": "application/problem+json" }).end(body);
        return;
      }
      const forwarded = Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          ["host", "connection"].includes(name) ? [] : [[name, String(value)]],
        ),
      );
      void fetch(origin() + url, { headers: forwarded }).then(async (answer) =>
        response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text()),
      );
    });
    await new Promise<void>((resolve) => partly.listen(0, "127.0.0.1", resolve));
    t.after(() => partly.close());
    const env = { BUSBAR_URL: `http://127.0.0.1:${(partly.address() as AddressInfo).port}` };
    const { code, stdout } = await busbar("doctor", { env });
    assert.equal(code, 1, stdout);
    for (const line of [/✓ .*project/, /✓ .*destinations/, /✗ .*connections.*disk of the database is full/])
      assert.match(stdout, line);
    assert.match(stdout, /✓ .*installations/);
    refuses.add("/v1/projects");
    const none = await busbar("doctor", { env });
    assert.match(none.stdout, /✓ .*server.*[^]*✗ .*project.*disk of the database is full/);
    assert.match(none.stdout, /→ .*Check the server's log and its database/);
  });

  test("doctor finds a failing destination, refused credentials and their installation, each with a cure", async () => {
    const customer = await connectCustomer(server, {
      provider: "hubspot",
      objects: ["contacts"],
      groupRef: "broken",
    });
    await busbar("create destination hook --webhook http://127.0.0.1:9/nothing");
    await busbar("create topic writes");
    await busbar("create event-route write.async.done writes");
    await busbar("create destination-route writes hook");
    await customer.write("contacts", {
      type: "create",
      mode: "asynchronous",
      record: { email: "a@b.example" },
    });
    await until(async () => (await findings()).wrong.length > 0);
    server.sandbox.hubspot.revokeTokens();
    await until(async () => {
      await customer.proxied("/crm/v3/objects/contacts");
      return (await findings()).wrong.length >= 3;
    });
    const { code, wrong } = await findings();
    assert.equal(code, 1);
    assert.deepEqual(
      wrong.map(({ check, cure }) => [check.split(" ")[0], /busbar (\w+)/.exec(cure ?? "")?.[1]]),
      [
        ["destination", "test"],
        ["connection", "connect"],
        ["installations", "doctor"],
      ],
    );
    assert.match(wrong[2]?.detail ?? "", /^1 of 1 is unhealthy for what is named above$/);
    const { stdout } = await busbar("doctor");
    assert.match(stdout, /^✗ destination hook: is failing since .*\n {4}→ Look with: busbar test/m);
    // The delivery waits for a retry: --failed would leave it out.
    assert.match(stdout, /Then: busbar resend --destination hook --undelivered$/m);
  });
});

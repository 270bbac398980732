/** What an operator is told by `busbar doctor --server`, before the first start and beside a running Busbar. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddressInfo, Server } from "node:net";
import { after, describe, test } from "node:test";
import { Client } from "pg";
import type { Finding } from "../../../cli/doctor/finding.ts";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { runBusbar } from "../../../tests/harness/child-busbar.ts";
import { startOtlpReceiver } from "../../../tests/harness/otlp-receiver.ts";
import { SELF_SIGNED } from "../../../tests/harness/self-signed.ts";
import { readConfig } from "../../../ground/config.ts";
import { runDoctor } from "./doctor-command.ts";

const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER_KEYS = `other:${Buffer.alloc(32, 8).toString("base64")}`;

const busbar = await shareTestBusbar();

const made = await busbar.inProject("POST", "/connections:generate", {
  provider: "openAI",
  groupRef: "acme",
  consumerRef: "ada",
  apiKey: "a-key",
});
assert.equal(made.status, 201, made.text);

describe("busbar doctor --server", () => {
  const servers: Server[] = [];
  after(async () => {
    for (const server of servers) server.close();
  });

  async function listening(server: Server): Promise<number> {
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }
  const environment = (more: Record<string, string>): Record<string, string> => ({
    DATABASE_URL: busbar.connectionString,
    BUSBAR_ENCRYPTION_KEYS: KEYS,
    BUSBAR_DATA_DIR: join(tmpdir(), "busbar-of-no-start"),
    BUSBAR_PORT: "0",
    BUSBAR_PROXY_PORT: "0",
    ...more,
  });
  const examine = (more: Record<string, string> = {}): Promise<Finding[]> =>
    runDoctor(() => readConfig(environment(more)));
  /** Without those of the tests' PostgreSQL, which gives up safety for speed and is shared by many tests. */
  const listFaults = (findings: Finding[]): Finding[] =>
    findings.filter(({ ok, check }) => !ok && !/^database (settings|connections)$/.test(check));
  const only = (findings: Finding[], check: string): Finding => {
    const faults = listFaults(findings);
    assert.deepEqual(
      faults.map((fault) => fault.check),
      [check],
      JSON.stringify(faults),
    );
    assert.ok(faults[0]?.cure);
    return faults[0];
  };

  test("a Busbar in order has no fault: its ports, addresses, database, keys and collector are found so", async () => {
    const collector = await startOtlpReceiver();
    const { base, proxy } = busbar.server.urls;
    const { port, origin } = new URL(base);
    const findings = await examine({
      BUSBAR_PORT: port,
      BUSBAR_PROXY_PORT: new URL(proxy).port,
      BUSBAR_PUBLIC_URL: origin,
      BUSBAR_PROXY_PUBLIC_URL: proxy,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    await collector.close();
    assert.deepEqual(listFaults(findings), []);
    const readDetail = (check: string) => findings.find((finding) => finding.check === check)?.detail ?? "";
    assert.match(readDetail("database"), /^PostgreSQL \d+\.\d+, connected as \w+, not encrypted, [\d.]+ MB$/);
    assert.match(readDetail("database settings"), /^synchronous_commit is off: /);
    assert.equal(readDetail("encryption keys"), "1 value can be decrypted");
    assert.equal(readDetail(`port ${port}`), "a Busbar serves it");
    assert.equal(readDetail("public address"), `${origin} leads to Busbar`);
    assert.equal(readDetail("migrations"), "all done");
    assert.equal(findings.filter(({ check }) => check === "collector").length, 2);
  });

  test("a key that is missing is named", async () => {
    const fault = only(await examine({ BUSBAR_ENCRYPTION_KEYS: OTHER_KEYS }), "encryption keys");
    assert.match(fault.detail, /^the key "test", with which a value is encrypted, is missing$/);
  });

  test("a database that cannot be used is one fault, and what does not depend on it is still checked", async () => {
    const findings = await examine({ DATABASE_URL: "postgres://nobody:secret-password@127.0.0.1:1/none" });
    only(findings, "database");
    assert.ok(!JSON.stringify(findings).includes("secret-password"));
    assert.ok(findings.some(({ check }) => check === "disk"));
  });

  test("a port that another program has, a collector that is away and an address that is not Busbar's are faults", async () => {
    const port = await listening(createHttpServer((_request, response) => response.end("something else")));
    const other = `http://127.0.0.1:${port}`;
    only(await examine({ BUSBAR_PORT: String(port) }), `port ${port}`);
    only(await examine({ BUSBAR_HEALTH_PORT: String(port) }), `port ${port}`);
    only(await examine({ BUSBAR_PUBLIC_URL: other }), "public address");
    const faults = listFaults(await examine({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }));
    assert.deepEqual(
      faults.map(({ check }) => check),
      ["collector", "collector"],
    );
  });

  test("a data folder that cannot be created is a fault before the first start", async () => {
    // Root could create a folder in any other.
    const folder = join(import.meta.filename, "data");
    assert.match(only(await examine({ BUSBAR_DATA_DIR: folder }), "data folder").detail, /cannot be created/);
  });

  test("a load balancer that finds no process ready is told from an address of another server", async () => {
    const port = await listening(createHttpServer((_request, response) => response.writeHead(503).end()));
    const fault = only(await examine({ BUSBAR_PUBLIC_URL: `http://127.0.0.1:${port}` }), "public address");
    assert.match(fault.detail, /finds no process ready/);
  });

  test("a role that was not granted the tables is told how to get them", async () => {
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    await client.query("revoke select on migrations from current_user");
    const findings = await examine();
    await client.query("grant select on migrations to current_user");
    await client.end();
    const fault = only(findings, "migrations");
    assert.match(fault.detail, /^\w+ may not read Busbar's tables$/);
    assert.match(fault.cure ?? "", /migrate --grant \w+/);
  });

  test("a change that waits in the outbox for long is told with its age, and one of a moment ago is no fault", async () => {
    const client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    // It cannot be carried over before its retry_time, so the running Busbar leaves it there.
    const insert = `insert into outbox (project_id, kind, content, create_time, retry_time)
      values (gen_random_uuid(), 'event', '{}', now() - $1::interval, now() + interval '1 day')`;
    await client.query(insert, ["10 seconds"]);
    const early = await examine();
    await client.query(insert, ["30 minutes"]);
    const late = await examine();
    await client.query("delete from outbox");
    await client.end();
    assert.deepEqual(listFaults(early), []);
    assert.equal(early.find(({ check }) => check === "outbox")?.detail, "1 change waits");
    const fault = only(late, "outbox");
    assert.match(fault.detail, /^2 changes wait, the oldest for 30 minutes: /);
    assert.match(fault.cure ?? "", /role worker/);
  });

  test("a certificate that clients would refuse is a fault", async () => {
    const port = await listening(createHttpsServer(SELF_SIGNED, (_request, response) => response.end()));
    const fault = only(await examine({ BUSBAR_PUBLIC_URL: `https://127.0.0.1:${port}` }), "public address");
    assert.match(fault.detail, /self.signed certificate/);
    assert.match(fault.cure ?? "", /NODE_EXTRA_CA_CERTS/);
  });

  test("a configuration with which Busbar does not start is the fault itself", async () => {
    const fault = only(await examine({ BUSBAR_PORT: "http" }), "configuration");
    assert.match(fault.detail, /^BUSBAR_PORT must be a whole number/);
  });

  test("the command prints JSON and ends with 1 if there is a fault", async () => {
    const { exited } = runBusbar(
      ["doctor", "--server", "--json"],
      environment({ BUSBAR_ENCRYPTION_KEYS: OTHER_KEYS, BUSBAR_DASHBOARD: "false" }),
    );
    const { code, stdout } = await exited;
    assert.equal(code, 1);
    only(JSON.parse(stdout) as Finding[], "encryption keys");
  });
});

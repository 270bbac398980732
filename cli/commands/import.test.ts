/** `busbar import` from one Busbar to another; both have the API that Ampersand publishes. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { runCli } from "../../tests/harness/command-line.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    write: { objects: [{ objectName: contacts }] }
    proxy: { enabled: true }
`;

const APP = { provider: "hubspot", clientId: "client", clientSecret: "secret", scopes: ["oauth"] };

describe("importing a project", () => {
  let old: TestBusbar;
  let server: TestBusbar;
  let cwd = "";
  before(async () => {
    old = await openTestBusbar();
    // The same CRM, in which the customers' tokens are valid.
    server = await openTestBusbar({ providers: old.sandbox.catalog().providers });
    cwd = await mkdtemp(join(tmpdir(), "busbar-import-"));
    await writeFile(join(cwd, "key.txt"), `${old.apiKey}\n`);
    await old.inProject("POST", "/provider-apps", APP);
    for (const groupRef of ["acme", "globex"])
      await connectCustomer(old, {
        provider: "hubspot",
        manifest: MANIFEST,
        integration: "crm",
        groupRef,
        content: { proxy: { enabled: true } },
      });
    const stripe = { provider: "stripe", groupRef: "acme", consumerRef: "ada", apiKey: "sk_old" };
    await old.inProject("POST", "/connections:generate", stripe);
  });
  after(async () => {
    await Promise.all([old?.stop(), server?.stop()]);
    await rm(cwd, { recursive: true, force: true });
  });

  const origin = (busbar: TestBusbar) => new URL(busbar.server.urls.base).origin;
  async function run(...more: string[]) {
    const from = ["--from", origin(old), "--from-key", "@key.txt", "--from-project", "default"];
    const env = { HOME: cwd, BUSBAR_URL: origin(server), BUSBAR_API_KEY: server.apiKey };
    const { code, stdout, stderr } = await runCli(["import", ...from, "--json", ...more], { cwd, env });
    const rows: Record<string, string>[] = stdout ? JSON.parse(stdout) : [];
    return {
      code,
      stdout,
      stderr,
      outcomes: rows
        .map(({ kind, group, name, outcome }) => `${kind} ${group} ${name}: ${outcome}`)
        .toSorted(),
    };
  }
  const LINES = [
    "connection acme hubspot",
    "connection acme stripe",
    "connection globex hubspot",
    "installation acme crm",
    "installation globex crm",
  ];

  test("without the integration, connections are copied and installations refused with the reason", async () => {
    const dry = await run("--dry-run");
    assert.ok(dry.outcomes.includes("connection acme stripe: would be copied"), dry.stderr);
    assert.equal(dry.code, 1);
    assert.equal((await server.inProject("GET", "/connections")).body.length, 0);
    assert.match(dry.outcomes.at(-1) ?? "", /^installation globex crm: not copied: .*crm/);
  });

  test("tokens are not copied without the OAuth client that refreshes them", async () => {
    const hubspot = async () => (await run("--dry-run", "--group", "globex")).outcomes[0] ?? "";
    assert.match(
      await hubspot(),
      /not copied: there is no provider app of hubspot here.*: create one with the client id client$/,
    );
    const { body } = await server.inProject("POST", "/provider-apps", { ...APP, clientId: "other" });
    assert.match(await hubspot(), /not copied: .* has the client id other: .* client$/);
    assert.equal((await server.inProject("DELETE", `/provider-apps/${body.id}`)).status, 204);
  });

  test("one customer can be copied alone", async () => {
    const { outcomes } = await run("--dry-run", "--group", "globex");
    assert.deepEqual(
      outcomes.map((outcome) => outcome.split(":")[0]),
      ["connection globex hubspot", "installation globex crm"],
    );
  });

  test("customers go on writing with their tokens, without connecting again", async () => {
    await server.inProject("POST", "/provider-apps", APP);
    await server.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    const { code, outcomes, stderr, stdout } = await run();
    assert.deepEqual(
      outcomes,
      LINES.map((line) => `${line}: copied`),
      stderr,
    );
    assert.equal(code, 0);
    assert.ok(!`${stdout}${stderr}`.includes("sk_old"));
    const record = { email: "moved@example.com" };
    const written = await server.write("crm", "contacts", { groupRef: "globex", type: "create", record });
    assert.equal(written.status, 200, written.text);
    const [connection] = (await server.inProject("GET", "/connections?groupRef=acme&provider=stripe")).body;
    const shown = await server.inProject("GET", `/connections/${connection.id}?includeCreds=true`);
    assert.equal(shown.body.apiKey, "sk_old");
  });

  test("a second time changes nothing", async () => {
    assert.deepEqual(
      (await run()).outcomes,
      LINES.map((line) => `${line}: here already`),
    );
  });
});

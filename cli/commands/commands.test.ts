/** The commands against a real server and without a terminal, as scripts use them. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { runCli, type Surroundings } from "../../tests/harness/command-line.ts";
import { until } from "../../tests/harness/until.ts";
import { findSignatureFault } from "../listen/verify-signature.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read: { objects: [{ objectName: companies, destination: my-app, schedule: "0 * * * *" }] }
    write: { objects: [{ objectName: contacts }] }
    proxy: { enabled: true }
`;

const HOMEMADE = {
  authType: "apiKey",
  baseURL: "https://api.example.com",
  apiKeyOpts: { attachmentType: "header", header: { name: "X-Key" } },
  support: { read: true, write: true, proxy: true },
};

describe("commands without a terminal", () => {
  let server: TestBusbar;
  let cwd = "";
  let installationId = "";
  before(async () => {
    server = await openTestBusbar({ providers: { homemade: HOMEMADE } });
    cwd = await mkdtemp(join(tmpdir(), "busbar-commands-"));
    await writeFile(join(cwd, "amp.yaml"), MANIFEST);
    const customer = {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "crm",
      groupRef: "acme",
    } as const;
    ({ installationId } = await connectCustomer(server, customer));
  });
  after(async () => {
    await server?.stop();
    await rm(cwd, { recursive: true, force: true });
  });

  const env = () => ({ AMP_API_URL: new URL(server.server.urls.base).origin, AMP_API_KEY: server.apiKey });
  const busbar = (args: string[], more: Surroundings = {}) =>
    runCli(args, { cwd, ...more, env: { ...env(), ...more.env } });
  /** Runs a command that must succeed, and returns its JSON. */
  async function json(...args: string[]) {
    const { code, stdout, stderr } = await busbar([...args, "--json"]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }
  const writeArgs = (...fields: string[]) => [
    ..."write crm contacts --group acme".split(" "),
    ...fields.flatMap((field) => ["--set", field]),
  ];

  test("tables contain every row with its id, and the spelling of Ampersand's command line works too", async () => {
    const { code, stdout } = await busbar(["list", "installations", "--integration", "crm"]);
    assert.equal(code, 0);
    assert.match(stdout, /^GROUP +INTEGRATION +PROVIDER .* ID\n/);
    assert.match(stdout, new RegExp(`^acme +crm +hubspot +healthy .* ${installationId}$`, "m"));
    assert.equal((await busbar(["list:installations", "crm"])).stdout, stdout);
    assert.equal((await busbar(["ls", "installations", "--group", "nobody"])).stdout, "");
  });

  test("every resource that can be listed is listed, as a table and as JSON", async () => {
    const ofInstallation = ["operations", "subscriptions", "subscription-events"];
    const of = new Map(ofInstallation.map((name) => [name, ["--installation", installationId]]));
    of.set("deliveries", ["--destination", "hook"]).set("revisions", ["--integration", "crm"]);
    await busbar(["create", "destination", "hook", "--webhook", "http://127.0.0.1:9/x"]);
    const names = /Resources: (.*)/.exec((await busbar(["list", "--help"])).stdout)?.[1]?.split(", ") ?? [];
    assert.ok(names.length > 10);
    for (const name of names) {
      assert.ok(Array.isArray(await json("list", name, ...(of.get(name) ?? []))), name);
      const { code, stderr } = await busbar(["list", name, ...(of.get(name) ?? [])]);
      assert.equal(code, 0, `${name}: ${stderr}`);
    }
    assert.equal((await busbar(["delete", "destination", "hook", "--yes"])).code, 0);
  });

  test("get prints all members of one resource, below the project or not", async () => {
    assert.equal((await json("get", "installation", installationId)).id, installationId);
    assert.equal((await json("get", "integration", "crm")).name, "crm");
    assert.match((await busbar(["get", "project", "default"])).stdout, /^id: .*\nname: default$/m);
    const missing = await busbar(["get", "installation", "nothing"]);
    assert.equal(missing.code, 1);
  });

  test("a name that is empty or consists of dots is refused, so that no command reaches the parent resource", async () => {
    for (const name of ["..", ".", ""]) {
      const { code, stderr } = await busbar(["delete", "integration", name, "--yes"]);
      assert.deepEqual([code, /neither a name nor an id/.test(stderr)], [2, true], name);
    }
    assert.equal((await json("get", "project", "default")).name, "default");
    const slash = await busbar(["delete", "integration", "../connections", "--yes"]);
    assert.match(slash.stderr, /no integration `\.\.\/connections`/);
  });

  test("a filter that the list does not support is refused", async () => {
    const { code, stderr } = await busbar(["list", "projects", "--group", "acme"]);
    assert.equal(code, 2);
    assert.match(stderr, /--group is not a filter for projects/);
  });

  test("a destination, a topic with its routes, a provider app and a key are made, changed and deleted", async () => {
    const url = "http://127.0.0.1:9/a";
    const destination = await json("create", "destination", "made", "--webhook", url);
    assert.equal((await json("get", "destination", "made")).secrets, undefined);
    const { secrets } = await json("get", "destination", "made", "--include-secrets");
    assert.match(secrets.webhookSigningKey, /^whsec_/);
    const topic = await json("create", "topic", "made");
    await json("create", "event-route", "write.async.done", "made");
    const route = await json("create", "destination-route", "made", "made");
    assert.deepEqual([route.topicId, route.destinationId], [topic.id, destination.id]);
    const changed = await json(
      "update",
      "destination",
      "made",
      "--webhook",
      "http://127.0.0.1:9/b",
      "--name",
      "renamed",
    );
    assert.deepEqual([changed.name, changed.metadata.url], ["renamed", "http://127.0.0.1:9/b"]);
    const app = await busbar(
      [
        "create",
        "provider-app",
        "hubspot",
        "--client-id",
        "c",
        "--client-secret",
        "-",
        "--scope",
        "oauth",
        "--json",
      ],
      {
        stdin: "hidden-secret\n",
      },
    );
    assert.equal(app.code, 0, app.stderr);
    assert.doesNotMatch(app.stdout + app.stderr, /hidden-secret/);
    const key = await json("create", "api-key", "ci", "--scope", "frontend");
    assert.match(key.key, /^bb_/);
    assert.equal((await json("update", "api-key", key.id, "--active", "false")).active, false);
    const inPath = await busbar(["delete", "api-key", key.key]);
    assert.equal(inPath.code, 2, "a key in a URL is refused");
    assert.ok(!inPath.stderr.includes(key.key));
    for (const [what, id] of [
      ["api-key", key.id],
      ["provider-app", "hubspot"],
      ["topic", "made"],
      ["destination", "renamed"],
    ]) {
      assert.deepEqual((await busbar(["delete", what, id, "--yes"])).stdout, `deleted ${what} ${id}\n`);
    }
    assert.deepEqual(await json("list", "event-routes"), []);
  });

  test("a secret is not taken from the command line, where other users could read it", async () => {
    const { code, stderr } = await busbar(
      "create provider-app hubspot --client-id c --client-secret s3cret".split(" "),
    );
    assert.equal(code, 2);
    assert.doesNotMatch(stderr, /s3cret/);
  });

  test("deploy prints the changes, and stops reading removed objects only with --destructive", async () => {
    const more = "contacts }, { objectName: deals }";
    const stdin = MANIFEST.replace(/ {4}read.*\n/, "").replace("contacts }", more);
    const dry = await busbar(["deploy", "-", "--dry-run"], { stdin });
    assert.match(
      dry.stdout,
      /^changed +crm +hubspot +1 installation\n +- read\n +\+ write\.objects\.deals\n/m,
    );
    assert.match(dry.stderr, /nothing was deployed/);
    const kept = await busbar(["deploy", "-"], { stdin });
    assert.equal(kept.code, 0, kept.stderr);
    assert.match(kept.stdout, /^updated +crm .*\n +- read\n +\+ write\.objects\.deals\n/m);
    assert.match(
      kept.stderr,
      /crm: the manifest no longer reads companies \(1 installation\)\nthese objects are kept; --destructive removes them/,
    );
    const refused = await busbar(["deploy", "."]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /`deals` can no longer be written \(1 installation\).*--destructive/);
    await busbar(["deploy", ".", "--destructive"]);
    const stopped = await busbar(["deploy", "-", "--destructive"], { stdin });
    assert.equal(stopped.code, 0);
    assert.doesNotMatch(stopped.stderr, /no longer reads/);
    assert.match((await busbar(["deploy:integration", "-"], { stdin })).stdout, /^unchanged +crm/m);
    assert.equal((await busbar(["deploy", ".", "--destructive"])).code, 0);
  });

  test("a missing path, a folder without a manifest, a binary file and a too long file have different errors", async () => {
    const tell = async (path: string, stdin = "") => (await busbar(["validate", path], { stdin })).stderr;
    assert.match(await tell("nowhere"), /no file or folder nowhere/);
    await writeFile(join(cwd, "binary"), Buffer.from([0xff, 0xfe, 0]));
    assert.match(await tell("binary"), /binary is not UTF-8/);
    assert.match(await tell("-", "x".repeat(1024 * 1024 + 1)), /more than 1048576 bytes/);
    assert.match(await tell("/"), /no amp\.yaml or amp\.yml/);
  });

  test("validate --online also checks against the server's custom providers, destinations and provider apps", async () => {
    const stdin = MANIFEST.replace("provider: hubspot", "provider: homemade");
    const offline = await busbar(["validate", "-"], { stdin });
    assert.deepEqual([offline.code, /no provider "homemade"/.test(offline.stdout)], [1, true]);
    const rules = async (...args: string[]) =>
      (await json("validate", ".", ...args)).map(({ rule }: { rule: string }) => rule);
    assert.deepEqual(await rules(), ["destination-exists"]);
    const online = await busbar(["validate", "-", "--online", "--json"], { stdin });
    assert.deepEqual(
      JSON.parse(online.stdout).map(({ rule }: { rule: string }) => rule),
      ["not-built-yet", "destination-not-found", "not-built-yet"],
    );
  });

  test("a write prints record and operation; a batch prints the result of each record and fails if one failed", async () => {
    const one = await busbar(writeArgs("email=one@write.example"));
    assert.match(one.stdout, /^created record \d+\n$/);
    assert.match(one.stderr, /^operation [0-9a-f-]{36}$/m);
    const data = JSON.stringify([{ email: "two@write.example" }, { email: "no address" }]);
    const batch = await busbar([...writeArgs(), "--data", "-"], { stdin: data });
    assert.equal(batch.code, 1);
    assert.match(batch.stdout, /^0 +created +\d+ *\n1 +failed +\S.*$/m);
  });

  test("a repeated write with an idempotency key writes once; a dry run writes nothing", async () => {
    const args = [...writeArgs("email=once@write.example"), "--idempotency-key", "k-1"];
    const [first, second] = [await json(...args), await json(...args)];
    assert.deepEqual(second, first);
    const dry = await json(...writeArgs("email=never@write.example"), "--dry-run");
    assert.equal(dry.requests[0].method, "POST");
    const found = await json(
      "proxy",
      "POST",
      "/crm/v3/objects/contacts/search",
      ...proxied(),
      "-d",
      search("never@write.example"),
    );
    assert.equal(found.total, 0);
  });

  const proxied = () => ["--integration", "crm", "-g", "acme", "--proxy-url", server.server.urls.proxy];
  const search = (email: string) =>
    JSON.stringify({
      filterGroups: [{ filters: [{ propertyName: "email", operator: "EQ", value: email }] }],
    });

  test("with --wait, the exit code shows how an asynchronous write ended", async () => {
    const done = await json(...writeArgs("email=later@write.example"), "--async", "--wait");
    assert.equal(done.status, "success");
    const failed = await busbar([...writeArgs("email=no address"), "--async", "--wait", "--json"]);
    assert.equal(failed.code, 1);
    assert.equal(JSON.parse(failed.stdout).status, "failure");
    const failures = await json(
      "operations",
      "--integration",
      "crm",
      "--group",
      "acme",
      "--status",
      "failure",
    );
    assert.ok(failures.length > 0);
    assert.ok(failures.every(({ status }: { status: string }) => status === "failure"));
    assert.equal((await json("operations", "--installation", installationId, "--limit", "2")).length, 2);
    const logs = await busbar(["logs", failures[0].id, "--follow"]);
    assert.match(logs.stdout, /^\S+Z {2}\w+ +\S/);
  });

  test("the proxy's answer is printed unchanged; a refusal of the provider or of Busbar has exit code 1", async () => {
    const path = "/crm/v3/objects/contacts?limit=1";
    const plain = await busbar(["proxy", "GET", path, ...proxied()]);
    const toldByServer = await busbar(["proxy", "GET", path, "--integration", "crm", "-g", "acme"]);
    for (const { stdout, stderr } of [plain, toldByServer])
      assert.equal(JSON.parse(stdout).results.length, 1, stderr);
    const whole = await busbar(["proxy", "get", path, ...proxied(), "-i", "-H", "X-Own: 1"]);
    assert.match(whole.stdout, /^HTTP\/1\.1 200 OK\n(date: .*\n)?content-type: /i);
    const theirs = await busbar(["proxy", "GET", "/crm/v3/objects/nope", ...proxied()]);
    assert.deepEqual([theirs.code, JSON.parse(theirs.stdout).status], [1, "error"]);
    const ours = await busbar([
      "proxy",
      "GET",
      path,
      "--installation",
      "nothing",
      "--proxy-url",
      server.server.urls.proxy,
    ]);
    assert.deepEqual([ours.code, ours.stdout], [1, ""]);
    assert.match(ours.stderr, /error: .*\n(.*\n)* {2}requestId /);
  });

  test("refusals are printed with title, detail, place, remedy and request id; with --json as the server sent them", async () => {
    const words = await busbar([
      "write",
      "crm",
      "contacts",
      "--request",
      '{"groupRef":"acme","type":"replace","record":{}}',
    ]);
    assert.equal(words.code, 1);
    assert.match(
      words.stderr,
      /error: Invalid request\n {2}type: must be .*\n {2}body type \(given: "replace"\)\n/,
    );
    assert.match(words.stderr, /requestId \S+/);
    const problem = await busbar(["get", "integration", "nothing", "--json"]);
    assert.equal(problem.stdout, "");
    assert.equal(JSON.parse(problem.stderr).status, 404);
    const key = await busbar(["list", "projects", "--key", "bb_wrong"]);
    assert.match(key.stderr, /error: .*\n(.*\n)* {2}→ The key comes from --key: put a valid one there/);
  });

  test("login reads the key from stdin, checks it at the server, and stores one key per address", async () => {
    const home = await mkdtemp(join(tmpdir(), "busbar-login-"));
    const own = { HOME: home, AMP_API_URL: undefined, AMP_API_KEY: undefined };
    const address = env().AMP_API_URL;
    const login = (stdin: string) => busbar(["login", address, "--key-stdin"], { stdin, env: own });
    assert.match((await login("\n")).stderr, /The API key is empty/);
    assert.equal((await login("bb_wrong\n")).code, 1);
    await assert.rejects(readFile(join(home, ".config/busbar/profiles.json")));
    assert.equal((await login(`${server.apiKey}\n`)).code, 0);
    const listed = await busbar(["list", "integrations"], { env: own });
    assert.match(listed.stdout, /^crm /m);
    assert.equal(listed.stderr, "");
    const verbose = await busbar(["list", "integrations", "--verbose"], { env: own });
    assert.match(verbose.stderr, /^using http.* \(logged in\)$/m);
    const profiles = await busbar(["profiles"], { env: own });
    assert.match(profiles.stdout, /^\* +http.* +default$/m);
    assert.ok(!(verbose.stderr + profiles.stdout).includes(server.apiKey));
    assert.equal((await busbar(["logout", "https://other.example"], { env: own })).code, 1);
    assert.equal((await busbar(["logout"], { env: own })).code, 0);
    assert.equal((await busbar(["list", "integrations"], { env: own })).code, 2);
    await rm(home, { recursive: true });
  });

  test("listen prints verified events as JSON lines, forwards them with signatures of the key that it prints, and deletes its destination", async () => {
    const handed: { headers: IncomingHttpHeaders; text: string }[] = [];
    const app = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      handed.push({ headers: request.headers, text: Buffer.concat(chunks).toString() });
      response.writeHead(202).end();
    });
    await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
    const to = `http://127.0.0.1:${(app.address() as AddressInfo).port}/hook`;
    let said = "";
    const args = ["listen", "--json", "--count", "1", "--events", "write.async.done", "--forward-to", to];
    const listening = busbar(args, { onOutput: (text) => (said += text) });
    await until(() => said.includes("listening at"));
    await json(...writeArgs("email=event@write.example"), "--async");
    const { code, stdout, stderr } = await listening;
    assert.equal(code, 0, stderr);
    const line = JSON.parse(stdout);
    assert.equal(line.body.notificationType, "write.async.done");
    const { headers, text } = handed[0] ?? { headers: {}, text: "" };
    assert.deepEqual(JSON.parse(text), line.body);
    assert.deepEqual([headers["webhook-id"], headers["x-api-key"]], [line.id, undefined]);
    const [, key = ""] = /signed with (\S+)/.exec(stderr) ?? [];
    assert.equal(findSignatureFault(headers, Buffer.from(text), key), undefined);
    assert.deepEqual(await json("list", "destinations"), []);
    app.close();
  });

  test("delete:installation takes integration and installation, like Ampersand's command line", async () => {
    const { connectionId, installationId } = await connectCustomer(server, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "crm",
      groupRef: "leaver",
    });
    assert.equal((await busbar(["delete:installation", "crm", installationId])).code, 0);
    const left = await json("list", "installations", "--group", "leaver");
    assert.deepEqual(left, []);
    assert.equal((await busbar(["get", "connection", connectionId])).code, 1);
  });

  test("listen names the setting that lets the server send to its address, and deletes its destination", async () => {
    const refused = await busbar(["listen", "--public-url", "http://10.1.2.3/hook"]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /→ Start the server with BUSBAR_EGRESS_ALLOW=10\.1\.2\.3 /);
    const unreachable = await busbar(["listen", "--public-url", "http://127.0.0.1:9/"]);
    assert.equal(unreachable.code, 1);
    assert.match(unreachable.stderr, /The server cannot reach http:\/\/127\.0\.0\.1:9\//);
    assert.deepEqual(await json("list", "destinations"), []);
  });
});

/** A builder at a terminal, from login to the first record: what is typed, asked, shown, hidden and explained. */
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { BUSBAR } from "../harness/child-busbar.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openPseudoTerminal, whyNoTerminal, type PseudoTerminal } from "../harness/pseudo-terminal.ts";

const BROKEN = `specVersion: 1.0.0
integrations:
  - name: hubspot
    provider: hubspott
    write:
      objects:
        - objectNam: contacts
    proxy:
      enabled: yes
`;

const WITH_READ = `specVersion: 1.0.0
integrations:
  - name: hubspot
    provider: hubspot
    read:
      objects:
        - objectName: companies
          destination: my-app
          schedule: "0 * * * *"
    write:
      objects:
        - objectName: contacts
`;

describe("a builder at a terminal", { skip: whyNoTerminal() ?? false }, () => {
  let busbar: TestBusbar;
  let home = "";
  let work = "";
  let terminal: PseudoTerminal;
  before(async () => {
    busbar = await openTestBusbar();
    home = await mkdtemp(join(tmpdir(), "busbar-terminal-"));
    work = join(home, "work");
    await mkdir(work);
    const bin = join(home, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "busbar"), `#!/bin/sh\nexec "${process.execPath}" "${BUSBAR}" "$@"\n`);
    await chmod(join(bin, "busbar"), 0o755);
    terminal = await openPseudoTerminal({
      cwd: work,
      env: { HOME: home, PATH: `${bin}:${process.env["PATH"]}` },
    });
  });
  after(async () => {
    await terminal?.close();
    await busbar?.stop();
    await rm(home, { recursive: true, force: true });
  });

  const enter = (text: string) => terminal.press(`${text}\r`);
  const exitCode = async () => {
    await terminal.see(/ready> $/);
    enter("echo code=$?");
    return Number((await terminal.see(/code=(\d+)\n/))[1]);
  };

  test("logs in; the key is hidden while it is typed, and kept where only its owner can read it", async () => {
    enter("busbar login");
    await terminal.see(/Address of the Busbar \[.*\]: /);
    const { origin } = new URL(busbar.server.urls.base);
    enter(`${origin}`);
    await terminal.see(/API key \(not shown\): /);
    enter(busbar.apiKey);
    await terminal.see(/logged in to http.*, project default/);
    assert.equal(await exitCode(), 0);
    assert.ok(terminal.transcript().includes(origin), "what is not secret is shown while it is typed");
    assert.ok(!terminal.transcript().includes(busbar.apiKey));
    assert.ok(!terminal.transcript().includes(busbar.apiKey.slice(3, 12)));
    const path = join(home, ".config/busbar/profiles.json");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.ok((await readFile(path, "utf8")).includes(busbar.apiKey));
  });

  test("leaves the terminal as it was when a hidden answer is broken off", async () => {
    enter(`busbar login ${new URL(busbar.server.urls.base).origin}`);
    await terminal.see(/API key \(not shown\): /);
    terminal.press("bb_half\u0003");
    assert.equal(await exitCode(), 1);
    enter("stty -a");
    await terminal.see(/ icanon .* echo /s);
    assert.ok(!terminal.transcript().includes("bb_half"));
  });

  test("starts a manifest by answering questions, and never loses one that is there", async () => {
    enter("busbar init");
    await terminal.see(/Provider .*: /);
    enter("hubspott");
    await terminal.see(/Did you mean "hubspot"\?/);
    enter("hubspot");
    await terminal.see(/Objects to write.*: /);
    enter("contacts");
    await terminal.see(/wrote amp\.yaml/);
    const written = await readFile(join(work, "amp.yaml"), "utf8");
    enter("busbar init --provider salesforce --object Account");
    await terminal.see(/error: amp\.yaml exists already/);
    assert.equal(await exitCode(), 1);
    assert.equal(await readFile(join(work, "amp.yaml"), "utf8"), written);
    enter("busbar validate");
    await terminal.see(/amp\.yaml: no errors/);
  });

  test("has a broken manifest explained line by line, and deploys nothing of it", async () => {
    await writeFile(join(work, "broken.yaml"), BROKEN);
    for (const command of ["validate", "deploy"]) {
      enter(`busbar ${command} broken.yaml`);
      await terminal.see(
        /broken\.yaml:4:15: error: There is no provider "hubspott"\. \[provider-not-supported\]\n/,
      );
      await terminal.see(/ 4 \| {5}provider: hubspott\n {3}\| {15}\^{8}\n {3}= Did you mean "hubspot"\?\n/);
      await terminal.see(/broken\.yaml:7:11: error: .*\n 7 \| {9}- objectNam: contacts\n {3}\| {11}\^{9}\n/);
      await terminal.see(/broken\.yaml:9:16: error: .*\n 9 \| {7}enabled: yes\n {3}\| {16}\^{3}\n/);
      await terminal.see(/\d errors.* in broken\.yaml/);
      assert.equal(await exitCode(), 1);
    }
    // oxlint-disable-next-line no-control-regex
    assert.match(terminal.transcript(), /\u001B\[31m\u001B\[1merror/);
    assert.deepEqual((await busbar.inProject("GET", "/integrations")).body, []);
  });

  test("deploys, writes into a customer's account, and looks up what became of it", async () => {
    enter("busbar deploy .");
    await terminal.see(/created +hubspot/);
    assert.equal(await exitCode(), 0);
    await installCustomer(busbar);

    enter("busbar write hubspot contacts --group acme --set email=ada@lovelace.example");
    const [, recordId] = await terminal.see(/created record (\d+)/);
    enter("busbar operations --integration hubspot --group acme");
    await terminal.see(/INTEGRATION +GROUP +ACTION +OBJECT +STATUS/);
    await terminal.see(/hubspot +acme +write +contacts +success +\d+ (s|min) ago/);
    // oxlint-disable-next-line no-control-regex
    assert.match(terminal.transcript(), /\u001B\[32msuccess/);
    enter("stty cols 80; busbar operations --integration hubspot --group acme; stty cols 0");
    const [heading] = await terminal.see(/INTEG.*GROUP.*ID\n/);
    const [row] = await terminal.see(/hubspot +acme +contacts +success +\d+ (?:s|min) ago +[0-9a-f-]{36}\n/);
    assert.ok(Math.max(heading.length, row.length) <= 81, heading + row);

    enter("busbar write hubspot contacts --group acme --set email=not-an-address");
    await terminal.see(/error: Rejected by the provider\n/);
    await terminal.see(/operation [0-9a-f-]{36}\n +requestId [0-9a-f-]{36}/);
    assert.equal(await exitCode(), 1);

    enter("busbar write hubspot contacts --group acme --set email=later@lovelace.example --async");
    const [, operation] = await terminal.see(/accepted operation ([0-9a-f-]{36})/);
    enter(`busbar operations ${operation} --watch`);
    await terminal.see(/status: success/);
    enter(`busbar logs ${operation} --follow`);
    await terminal.see(/info +create 1 contacts record/);
    enter(`busbar write hubspot contacts --group acme --type delete --id ${recordId}`);
    await terminal.see(/error: /);
    assert.equal(await exitCode(), 1);
  });

  test("is asked before customers' objects are no longer read", async () => {
    await writeFile(join(work, "read.yaml"), WITH_READ);
    enter("busbar deploy read.yaml");
    await terminal.see(/updated +hubspot.*\n( +.*\n)* +\+ read\n/);
    enter("busbar deploy amp.yaml");
    await terminal.see(/hubspot: the manifest no longer reads companies \(1 installation\)/);
    await terminal.see(/\(k\)eep reading them, \(s\)top reading them, or \(c\)ancel\? \[k\/s\/c\]: /);
    enter("c");
    await terminal.see(/error: Cancelled; nothing was deployed/);
    assert.equal(await exitCode(), 1);
    const { body } = await busbar.inProject("GET", "/integrations/hubspot");
    assert.ok(body.latestRevision.content.read);
    enter("busbar deploy amp.yaml");
    await terminal.see(/ancel\? \[k\/s\/c\]: /);
    enter("s");
    await terminal.see(/updated +hubspot.*\n( +.*\n)* +- read\n/);
    assert.equal(await exitCode(), 0);
  });

  test("listens for events, and Ctrl-C leaves nothing behind", async () => {
    enter("busbar listen --events write.async.done");
    await terminal.see(/listening at http:\/\/127\.0\.0\.1:\d+\/ as busbar-listen-[0-9a-f]+/);
    const record = { email: "heard@lovelace.example" };
    const request = { groupRef: "acme", type: "create", mode: "asynchronous", record };
    await busbar.write("hubspot", "contacts", request);
    await terminal.see(/write\.async\.done +verified/);
    terminal.press("\u0003");
    await terminal.see(/removed busbar-listen-/);
    assert.equal(await exitCode(), 0);
    for (const path of ["/destinations", "/topics", "/notification-event-topic-routes"]) {
      assert.deepEqual((await busbar.inProject("GET", path)).body, []);
    }
  });

  test("logs out, and nothing is left to read", async () => {
    enter("busbar logout");
    await terminal.see(/forgot http/);
    await assert.rejects(stat(join(home, ".config/busbar/profiles.json")));
    enter("busbar list integrations");
    await terminal.see(/error: The address of the Busbar is missing/);
    assert.equal(await exitCode(), 2);
  });
});

async function installCustomer(busbar: TestBusbar): Promise<void> {
  const tokens = busbar.sandbox.hubspot.mintToken();
  const connection = await busbar.inProject("POST", "/connections:generate", {
    provider: "hubspot",
    groupRef: "acme",
    consumerRef: "ada",
    oauth2AuthorizationCode: {
      accessToken: { token: tokens.accessToken },
      refreshToken: { token: tokens.refreshToken },
    },
  });
  assert.equal(connection.status, 201, connection.text);
  const config = { content: { provider: "hubspot" } };
  const installed = await busbar.inProject("POST", "/integrations/hubspot/installations", {
    groupRef: "acme",
    config,
  });
  assert.equal(installed.status, 201, installed.text);
}

/** Runs every example of `--help` against a real server, in an order in which each finds what it needs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openAgent } from "../tests/harness/agent-client.ts";
import { connectCustomer } from "../tests/harness/connect-customer.ts";
import { openConsentBrowser } from "../tests/harness/consent.ts";
import { openTestBusbar, type TestBusbar } from "../tests/harness/busbar.ts";
import { runCli } from "../tests/harness/command-line.ts";
import { until } from "../tests/harness/until.ts";
import { EXAMPLES } from "./examples.ts";
import { createProgram } from "./program.ts";
import { openTerminal } from "./terminal.ts";

const QUILL = `authType: none
baseURL: https://api.quill.example
connector:
  defaults: { list: { path: "/{path}" }, records: pens, paging: { none: true } }
  objects: { pens: { modes: [read] } }
  errors: { message: [error] }
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-26, invented" }
`;
const QUILL_OPENAPI = JSON.stringify({
  openapi: "3.0.0",
  info: { title: "Quill", version: "1" },
  paths: { "/pens": { get: { responses: { 200: { description: "the pens" } } } } },
});

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: hubspot
    provider: hubspot
    write: { objects: [{ objectName: contacts }] }
    proxy: { enabled: true }
  - name: people
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: my-app
          schedule: "0 * * * *"
          requiredFields: [{ fieldName: email }, { mapToName: notes }]
    subscribe:
      objects:
        - objectName: contacts
          destination: my-app
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
`;

/** Values in the output of examples that later examples need. */
const MADE = {
  INSTALLATION: /^installation: (.*)$/m,
  RECORD: /^created record (\d+)$/m,
  OPERATION: /^operation (.*)$/m,
};

/** Earlier examples create what later ones name. */
const STORY = [
  ..."login, profiles, whoami, doctor, create provider-app, create provider, init, validate, deploy".split(
    ", ",
  ),
  ..."create destination, create topic, create event-route, create destination-route".split(", "),
  ..."connect, install, create api-key, list, get, write, read, pause, unpause, search, proxy, operations, logs, cancel operation, trace, find, export, import, check connection, check provider, agents policy, agents approvals, agents approve, agents reject, agents tools, agents call, subscribe hubspot-config, events follow, api, collection, listen, resend, completion".split(
    ", ",
  ),
  ..."update destination, update provider-app, update api-key, retention, rotate destination, test destination, uninstall, delete, logout".split(
    ", ",
  ),
];

const program = await createProgram(openTerminal(), []);
const called = (parent = program, words: string[] = []): string[] =>
  parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== "help")
    .flatMap((command) => {
      const path = [...words, command.name()];
      return command.commands.length > 0 ? called(command, path) : [path.join(" ")];
    });

test("every command has examples, and its help shows them", async () => {
  assert.deepEqual(Object.keys(EXAMPLES).toSorted(), called().toSorted());
  assert.deepEqual(STORY.toSorted(), called().toSorted());
  for (const [path, examples] of Object.entries(EXAMPLES)) {
    const { stdout } = await runCli([...path.split(" "), "--help"]);
    for (const example of examples) assert.ok(stdout.includes(`  ${example}\n`), example);
  }
});

test("a wrong use names the command whose help tells more", async () => {
  assert.match((await runCli(["deploy"])).stderr, /Run `busbar deploy --help` for usage\./);
  assert.match((await runCli(["create", "topic"])).stderr, /Run `busbar create topic --help` for usage\./);
  assert.match((await runCli(["depoy"])).stderr, /Did you mean deploy\?.*\nRun `busbar --help`/s);
});

describe("the examples", () => {
  let server: TestBusbar;
  let cwd = "";
  const values: Record<string, string> = {};
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  // An environment of Nango without connections.
  const nango = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"connections": [], "data": []}');
  });
  const address = (listening: Server) => `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  before(async () => {
    server = await openTestBusbar();
    // The examples run faster than HubSpot's limit of searches allows.
    server.sandbox.hubspot.setLimits("off");
    for (const one of [receiver, nango]) await once(one.listen(0, "127.0.0.1"), "listening");
    cwd = await mkdtemp(join(tmpdir(), "busbar-examples-"));
    await connectCustomer(server, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "hubspot",
      groupRef: "initech",
    });
    const tokens = server.sandbox.hubspot.mintToken();
    await server.inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef: "globex",
      consumerRef: "hank",
      oauth2AuthorizationCode: { accessToken: { token: tokens.accessToken } },
    });
    const [connection] = (await server.inProject("GET", "/connections?groupRef=initech")).body;
    values["CONNECTION"] = connection.id;
    const setup = await server.inProject("GET", "/integrations/people/subscribe-setup");
    const made = await server.inProject("POST", "/api-keys", { label: "agent", scopes: ["write"] });
    const agent = await openAgent(server, { groupRef: "initech", credential: made.body.key });
    for (const name of ["APPROVAL", "OTHER_APPROVAL"]) {
      const record = { email: `${name.toLowerCase()}@initech.example` };
      const { content } = await agent.call("create_record", { object: "contacts", record });
      values[name] = content.approval.approvalId;
    }
    await agent.close();
    await writeFile(join(cwd, "webhooks-hsmeta.json"), JSON.stringify(setup.body.webhooksConfig));
    await writeFile(join(cwd, "secret.txt"), "s3cret\n");
    await writeFile(join(cwd, "key.txt"), server.apiKey);
    await writeFile(join(cwd, "quill.yaml"), QUILL);
    await writeFile(join(cwd, "quill-openapi.json"), QUILL_OPENAPI);
    const credentials = { provider: "stripe", groupRef: "initech", consumerRef: "bill", apiKey: "sk_x" };
    await writeFile(join(cwd, "connection.json"), JSON.stringify(credentials));
    await writeFile(join(cwd, "people.json"), '[{"email": "one@people.example"}]');
  });
  after(async () => {
    for (const one of [receiver, nango]) one.close();
    await server?.stop();
    await rm(cwd, { recursive: true, force: true });
  });

  /** Returns a delivery that is not being sent at this moment. */
  async function someDelivery(): Promise<string> {
    const delivered = async () =>
      (await server.inProject("GET", "/destinations/my-app/deliveries?status=delivered")).body.results;
    await until(async () => (await delivered()).length > 0);
    return (await delivered())[0].id;
  }

  /** Runs an example as a shell would, with quotes, variables and a file as stdin. */
  async function run(example: string) {
    const { origin } = new URL(server.server.urls.base);
    if (example.includes("$DELIVERY")) values["DELIVERY"] = await someDelivery();
    const [call = ""] = /busbar [^|)]*/.exec(example) ?? [];
    const line = call
      .replace("https://busbar.example.com", origin)
      .replace("https://nango.example.com", address(nango))
      .replace("https://app.example.com", address(receiver))
      .replaceAll(/\$([A-Z_]+)/g, (_, name: string) => values[name] ?? `no value for ${name}`);
    const [typed = "", file] = line.split(" < ");
    const words = [...typed.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ""));
    const [, ...args] = words;
    const enough = new AbortController();
    return runCli(args, {
      cwd,
      env: {
        HOME: cwd,
        BUSBAR_URL: origin,
        BUSBAR_API_KEY: server.apiKey,
        BUSBAR_PROXY_URL: server.server.urls.proxy,
      },
      ...(file !== undefined && { stdin: await readFile(join(cwd, file), "utf8") }),
      interrupted: enough.signal,
      onOutput: (text) => {
        if (text.includes("stop with Ctrl-C")) enough.abort();
        const [page] = /http\S+\/callbacks\/v1\/oauth\/begin\S+/.exec(text) ?? [];
        if (page) void openConsentBrowser().consent(page);
      },
    });
  }

  for (const path of STORY) {
    for (const example of EXAMPLES[path] ?? []) {
      test(`${example} runs`, async () => {
        const { code, stdout, stderr } = await run(example);
        assert.equal(code, 0, stdout + stderr);
        for (const [name, pattern] of Object.entries(MADE)) {
          const [, value] = pattern.exec(`${example}\n${stdout}${stderr}`) ?? [];
          if (value) values[name] ??= value;
        }
      });
    }
  }
});

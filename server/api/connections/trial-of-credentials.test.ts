/** Credentials are tried when they are stored: at a provider that a real HTTP server plays. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { runCli } from "../../../tests/harness/command-line.ts";
import { until } from "../../../tests/harness/until.ts";

const GOOD = "the-good-key";

describe("credentials that are stored", () => {
  let busbar: TestBusbar;
  let count = 0;
  const asked: string[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  after(async () => {
    await busbar.stop();
    server.close().closeAllConnections();
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    busbar = await openTestBusbar({ env: { BUSBAR_EGRESS_ALLOW: "127.0.0.1", BUSBAR_MINUTE_MS: "2000" } });
    const sources = { documentation: "https://docs.quill.example", checked: "2026-11-26, tests" };
    const connector = {
      defaults: { paging: { link: true } },
      objects: {
        // Below another one, so nothing to begin with.
        notes: { modes: ["read"], parent: { object: "people" }, list: { path: "/people/{parent}/notes" } },
        people: {
          modes: ["read", "create"],
          list: { path: "/people" },
          create: { method: "POST", path: "/people" },
        },
      },
      errors: { message: ["error"] },
      sources,
    };
    const common = { displayName: "Quill", authType: "apiKey", baseURL };
    const apiKeyOpts = { attachmentType: "header", header: { name: "X-Quill-Key" } };
    for (const [key, more] of [
      ["x-health", { authHealthCheck: { url: `${baseURL}/me` } }],
      ["x-read", { connector }],
      ["x-nothing", {}],
      [
        "x-words",
        {
          authHealthCheck: { url: `${baseURL}/me` },
          connector: { ...connector, errors: { message: ["failure.reason"] } },
        },
      ],
    ] as const) {
      const made = await busbar.inProject("PUT", `/providers/${key}`, { ...common, apiKeyOpts, ...more });
      assert.ok(made.status < 300, made.text);
    }
  });
  beforeEach(() => {
    asked.length = 0;
    answer = (request, response) => {
      const isGood = request.headers["x-quill-key"] === GOOD;
      const body = isGood ? [] : { error: "Bad token" };
      response
        .writeHead(isGood ? 200 : 401, { "content-type": "application/json" })
        .end(JSON.stringify(body));
    };
  });

  const generate = (provider: string, apiKey: string, groupRef = `g${(count += 1)}`) =>
    busbar.inProject("POST", "/connections:generate", { provider, groupRef, consumerRef: "ada", apiKey });
  const connections = async () => (await busbar.inProject("GET", "/connections")).body.length;

  for (const [provider, path] of [
    ["x-health", "GET /me"],
    ["x-read", "GET /people"],
  ] as const) {
    test(`are refused with the provider's words, and nothing is stored, when ${path} refuses them (${provider})`, async () => {
      const before = await connections();
      const refused = await generate(provider, "wrong");
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.body.type, /provider-refused$/);
      assert.match(refused.body.detail, /Quill refuses these credentials.*Bad token/);
      assert.doesNotMatch(refused.text, /"wrong"/);
      assert.equal(await connections(), before);
      assert.deepEqual(asked, [path]);
    });

    test(`are working and verified when ${path} accepts them (${provider})`, async () => {
      const { status, body } = await generate(provider, GOOD);
      assert.deepEqual([status, body.status, body.verified], [201, "working", true]);
    });

    test(`stay as they were when an update brings refused ones (${provider})`, async () => {
      const { id } = (await generate(provider, GOOD)).body;
      const update = { updateMask: ["apiKey"], connection: { apiKey: "wrong" } };
      const refused = await busbar.inProject("PATCH", `/connections/${id}`, update);
      assert.equal(refused.status, 422, refused.text);
      const kept = await busbar.inProject("GET", `/connections/${id}?includeCreds=true`);
      assert.deepEqual([kept.body.apiKey, kept.body.status, kept.body.verified], [GOOD, "working", true]);
    });
  }

  test("are refused with the words that only the provider's description finds", async () => {
    answer = (_, response) =>
      void response
        .writeHead(401, { "content-type": "application/json" })
        .end(JSON.stringify({ failure: { reason: "This key was withdrawn on Monday" } }));
    const refused = await generate("x-words", "wrong");
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.detail, /answered 401: This key was withdrawn on Monday/);
  });

  // The body and the status are those of Django REST framework (rest_framework/exceptions.py), without its header.
  test("are refused by JSON with 401 that the description does not know, and not by a page", async () => {
    const answerWith = (type: string, text: string) =>
      (answer = (_, response) => void response.writeHead(401, { "content-type": type }).end(text));
    answerWith("application/json", '{"detail":"Invalid token."}');
    const refused = await generate("x-read", "wrong");
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.detail, /Quill refuses these credentials.*Invalid token\./);
    answerWith("text/html", "<html><title>Sign in</title></html>");
    const stored = await generate("x-read", GOOD);
    assert.deepEqual([stored.status, stored.body.verified], [201, false]);
  });

  test("are stored as not verified while the provider is down, and are tried again until it tells", async () => {
    answer = (_, response) => void response.writeHead(503).end();
    const accepted = (await generate("x-health", GOOD)).body;
    const refused = (await generate("x-health", "wrong")).body;
    for (const { status, verified } of [accepted, refused])
      assert.deepEqual([status, verified], ["created", false]);
    answer = (request, response) =>
      void response.writeHead(request.headers["x-quill-key"] === GOOD ? 200 : 401).end();
    const readStatus = async (id: string) =>
      (await busbar.inProject("GET", `/connections/${id}`)).body.status;
    await until(async () => (await readStatus(accepted.id)) === "working");
    await until(async () => (await readStatus(refused.id)) === "bad_credentials");
    const shown = (await busbar.inProject("GET", `/connections/${accepted.id}`)).body;
    assert.equal(shown.verified, true);
  });

  test("that were refused are tried again, and work as soon as the provider accepts them, without a call", async () => {
    for (const provider of ["x-health", "x-read"]) {
      const { id } = (await generate(provider, GOOD)).body;
      const read = async () => (await busbar.inProject("GET", `/connections/${id}`)).body;
      answer = (_, response) => void response.writeHead(401).end();
      assert.equal((await busbar.inProject("POST", `/connections/${id}:check`, {})).status, 200);
      assert.equal((await read()).status, "bad_credentials");
      asked.length = 0;
      await until(() => asked.length > 1);
      assert.equal((await read()).status, "bad_credentials");
      answer = (_, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end("[]");
      await until(async () => (await read()).status === "working");
    }
  });

  test("that nothing can try are stored as not verified, and no call is made", async () => {
    const { status, body } = await generate("x-nothing", "any");
    assert.deepEqual([status, body.status, body.verified], [201, "created", false]);
    assert.deepEqual(asked, []);
  });

  test("that nobody has accepted yet are not called in order by the command line", async () => {
    await generate("x-nothing", "any", "unverified");
    const { origin } = new URL(busbar.server.urls.base);
    const env = { BUSBAR_URL: origin, BUSBAR_API_KEY: busbar.apiKey, BUSBAR_PROJECT: "default" };
    const listed = await runCli(["list", "connections", "--group", "unverified"], { env });
    assert.match(listed.stdout, /x-nothing.*unverified/);
    const doctor = await runCli(["doctor"], { env });
    assert.match(doctor.stdout, /connections: \d+ in order; of \d+ the provider has not accepted/);
  });

  test("that never worked are bad at the first refusal of a call, without patience", async () => {
    const groupRef = "first-call";
    const { id } = (await generate("x-nothing", "wrong", groupRef)).body;
    const sourceYaml = `specVersion: 1.0.0\nintegrations:\n  - name: plain\n    provider: x-nothing\n    proxy: {enabled: true}\n`;
    assert.equal((await busbar.inProject("PUT", "/integrations:batch", { sourceYaml })).status, 200);
    const config = { content: { proxy: { enabled: true } } };
    const installed = await busbar.inProject("POST", "/integrations/plain/installations", {
      groupRef,
      config,
    });
    assert.equal(installed.status, 201, installed.text);
    assert.equal((await busbar.proxied({ integration: "plain", groupRef }, "/people")).status, 401);
    await until(
      async () => (await busbar.inProject("GET", `/connections/${id}`)).body.status === "bad_credentials",
    );
  });

  test("doctor counts each connection once: in order, not verified yet, or refused, which was never verified either", async () => {
    const connections = (await busbar.inProject("GET", "/connections")).body as unknown[];
    const { origin } = new URL(busbar.server.urls.base);
    const env = { BUSBAR_URL: origin, BUSBAR_API_KEY: busbar.apiKey, BUSBAR_PROJECT: "default" };
    const { stdout } = await runCli(["doctor"], { env });
    const [, inOrder, unverified] =
      /connections: (\d+) in order; of (\d+) the provider has not accepted/.exec(stdout) ?? [];
    const refused = stdout.match(/✗ connection /g) ?? [];
    assert.ok(refused.length > 0, stdout);
    assert.equal(Number(inOrder) + Number(unverified) + refused.length, connections.length, stdout);
  });
});

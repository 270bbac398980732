/** The published TypeScript client, built as it is published, against a whole Busbar. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { generateKeyPairSync } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { checkQuickstart, runExpressExample } from "./example-express.ts";
import { checkNextQuickstart, runNextExample } from "./example-nextjs.ts";
import { checkAgentPage, runAgentExample } from "./example-agent.ts";
import { checkTwoWaySyncPage, runTwoWaySyncExample } from "./example-two-way-sync.ts";
import { testReactComponents } from "./react-components/suite.ts";
import { startMock } from "../../server/commands/mock-command.ts";
import { openTestBusbar, startTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { readGuideParts, splitImports, withAddresses } from "../harness/guide-programs.ts";
import { NO_CHROMIUM } from "../harness/chromium.ts";
import { connectCustomer } from "../harness/connect-customer.ts";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "../../clients/typescript");
const README_PROGRAM = join(FOLDER, "src/readme.ts");
const GUIDE_PROGRAM = join(FOLDER, "src/guide.ts");

// The client's types are generated, so the compiler of this tree does not know them; the README's program is checked with them below.
type Loose = any; // oxlint-disable-line typescript/no-explicit-any
let client: Loose;
let busbar: TestBusbar;

before(async () => {
  const npm = (...args: string[]) => run("npm", args, { cwd: FOLDER, shell: process.platform === "win32" });
  if (!existsSync(join(FOLDER, "node_modules"))) await npm("ci", "--no-audit", "--no-fund");
  await writeFile(README_PROGRAM, await readmeProgram());
  await writeFile(GUIDE_PROGRAM, await guideProgram());
  await npm("run", "build");
  client = await import(pathToFileURL(join(FOLDER, "dist/index.js")).href);
  busbar = await openTestBusbar();
  await connectCustomer(busbar, { provider: "hubspot", objects: ["contact"] });
});
after(async () => {
  await busbar?.stop();
  for (const file of [README_PROGRAM, GUIDE_PROGRAM]) await rm(file, { force: true });
});

/** Returns the README's blocks of TypeScript as one program. */
async function readmeProgram(): Promise<string> {
  const text = await readFile(join(FOLDER, "README.md"), "utf8");
  const blocks = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, block = ""]) => block);
  return blocks.join("\n").replace('"@busbar/client"', '"./index.js"');
}

/** Fails where a request that is sent without the client is refused. */
const REFUSALS_FAIL = `const sendRequest = fetch;
globalThis.fetch = async (...request) => {
  const response = await sendRequest(...request);
  if (typeof request[0] === "string" && !response.ok) throw new Error(await response.text());
  return response;
};
`;

/** Returns the guide's calls as one program, in which each page has names of its own. */
async function guideProgram(): Promise<string> {
  const { imports, parts } = splitImports(await readGuideParts("ts"));
  const [begin, ...pages] = parts;
  const texts = pages.map(({ page, text }) => `{\n${text}\nconsole.log("The end of ${page}");\n}\n`);
  return [imports, REFUSALS_FAIL, begin?.text, ...texts]
    .join("\n")
    .replaceAll('"@busbar/client"', '"./index.js"');
}

/** Starts a server whose answers the test decides, and returns a client of it and the requests it got. */
async function openScripted(
  t: TestContext,
  answer: (attempt: number) => [number, Record<string, string>?] | "cut",
) {
  const requests: { method: string; key: string | undefined; length: string | undefined }[] = [];
  const listener: RequestListener = (request, response) => {
    const { "idempotency-key": key, "content-length": length } = request.headers;
    requests.push({ method: request.method ?? "", key: key?.toString(), length });
    request.resume();
    const given = answer(requests.length);
    if (given === "cut") return void request.socket.destroy();
    response.writeHead(given[0], { "content-type": "application/json", ...given[1] }).end("{}");
  };
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = new client.Busbar({ url, apiKey: "k", project: "p", retryBaseMs: 1 });
  return { requests, api };
}

test("the client has one method for every operation of the API, by the name that the guide's table has", async () => {
  const { paths } = JSON.parse(await readFile(join(FOLDER, "../../openapi.json"), "utf8"));
  const requests = Object.entries<Record<string, Loose>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) =>
      operationId ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  const guide = await readFile(join(FOLDER, "../../docs/guide/clients.md"), "utf8");
  const rows = [...guide.matchAll(/^\| `(\w+ \S+)` \| `(\w+)` \|/gm)].map(([, request, name]) => ({
    request,
    name,
  }));
  assert.ok(requests.length > 100);
  assert.deepEqual(rows.map(({ request }) => request).toSorted(), requests.toSorted());
  const api = Object.getPrototypeOf(client.Busbar.prototype);
  const methods = Object.getOwnPropertyNames(api).filter((name) => name !== "constructor");
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), methods.toSorted());
});

test("the README's program writes, reads a refusal and lists, with types that fit", async () => {
  const env = {
    ...process.env,
    BUSBAR_URL: new URL(busbar.server.urls.base).origin,
    BUSBAR_API_KEY: busbar.apiKey,
  };
  const { stdout } = await run(process.execPath, ["dist/readme.js"], { cwd: FOLDER, env });
  assert.match(stdout, /success: true/);
  assert.match(stdout, /^404 /m);
  assert.match(stdout, /^[0-9a-f-]{36} success$/m);
});

test("the guide's calls in TypeScript do what their pages say, with types that fit", async (t) => {
  const fresh = await startTestBusbar(t);
  fresh.sandbox.hubspot.setLimits("off");
  const file = join(FOLDER, "dist/guide.js");
  await writeFile(file, withAddresses(await readFile(file, "utf8"), fresh));
  const env = {
    ...process.env,
    BUSBAR_URL: new URL(fresh.server.urls.base).origin,
    BUSBAR_API_KEY: fresh.apiKey,
    PROJECT: fresh.projectId,
  };
  const { stdout } = await run(process.execPath, [file], { cwd: join(FOLDER, "../.."), env });
  assert.match(stdout, /^The end of operating$/m);
  const titles = [...fresh.sandbox.hubspot.account.dump("contacts", false)].map(
    ({ values }) => (values as Record<string, string>)["jobtitle"],
  );
  assert.ok(titles.includes("Analyst"));
});

test("the packages are found by every way in which programs import them, each with its types", async (t) => {
  const app = await mkdtemp(join(tmpdir(), "busbar-imports-"));
  t.after(() => rm(app, { recursive: true, force: true }));
  await mkdir(join(app, "node_modules/@busbar"), { recursive: true });
  await symlink(FOLDER, join(app, "node_modules/@busbar/client"));
  const program = 'import { Busbar } from "@busbar/client";\nexport const url: Busbar = new Busbar(0);\n';
  await writeFile(join(app, "app.ts"), program);
  await writeFile(join(app, "package.json"), "{}");
  const root = join(FOLDER, "../..");
  // An application in CommonJS, as many in Express are, one in modules, and one for a bundler. Only older compilers know the first.
  for (const [folder, module, resolution] of [
    [FOLDER, "commonjs", "node10"],
    [root, "nodenext", "nodenext"],
    [root, "esnext", "bundler"],
  ] as const) {
    const compiler = join(folder, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022"];
    const how = ["--module", module, "--moduleResolution", resolution];
    const { stdout } = await run(process.execPath, [compiler, ...options, ...how, "app.ts"], {
      cwd: app,
    }).catch((error: Loose) => error);
    // The types are known if the mistake is the only one that is found.
    assert.match(stdout, /^app\.ts\(2,\d+\): error TS2345: [^\n]*\n?( +[^\n]*\n)*$/, `${module}: ${stdout}`);
  }
  const required = 'console.log(typeof require("@busbar/client").Busbar)';
  const { stdout } = await run(process.execPath, ["--input-type=commonjs", "-e", required], { cwd: app });
  assert.equal(stdout.trim(), "function");
  for (const folder of [FOLDER, join(FOLDER, "../react")]) {
    const { main, types, exports } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    assert.deepEqual({ types, default: main }, exports["."], folder);
  }
});

test("the client works against the mock as it does against a server", async (t) => {
  const mock = await startMock({ port: 0 });
  t.after(() => mock.close());
  const api = new client.Busbar({ url: mock.url, apiKey: "any", project: "default" });
  const writeRequest = { groupRef: "acme", type: "create", record: { email: "ada@example.com" } };
  const written = await api.writeRecords({ integrationId: "crm", objectName: "contacts", writeRequest });
  assert.equal(written.result.success, true);
  const found: string[] = [];
  for await (const group of client.rows((page: object) => api.listGroups(page))) found.push(group.groupRef);
  assert.deepEqual(found, ["globex"]);
  const missing = api.getOperation({ operationId: "x" }, { headers: { Prefer: "code=404" } });
  await assert.rejects(missing, { name: "BusbarError", status: 404 });
});

test("the quickstart for Express shows the example's code", checkQuickstart);

test("the example application for Express connects, keeps a copy and writes back", runExpressExample);

test("the page about the example agent shows its code", checkAgentPage);

test(
  "the example agent asks, and what a person approves is written, once; what is rejected is not",
  runAgentExample,
);

test("the page about the two-way sync shows the example's code", checkTwoWaySyncPage);

test(
  "the example application keeps a table and a CRM equal both ways, the later change wins, and nothing is written in a circle",
  runTwoWaySyncExample,
);

testReactComponents();

test("the quickstart for Next.js shows the example's code", checkNextQuickstart);

// After the components, which are built there.
test(
  "the example application for Next.js connects, maps, keeps a copy and writes back",
  { skip: NO_CHROMIUM },
  runNextExample,
);

test("a list longer than a page is returned whole, each row once", async () => {
  const api = new client.Busbar({
    url: new URL(busbar.server.urls.base).origin,
    apiKey: busbar.apiKey,
    project: "default",
  });
  for (let index = 0; index < 7; index += 1)
    await api.createGroup({ createGroupRequest: { groupRef: `g${index}`, groupName: "G" } });
  const names: string[] = [];
  for await (const { groupRef } of client.rows((page: object) => api.listGroups({ pageSize: 3, ...page })))
    names.push(groupRef);
  assert.deepEqual(names.toSorted(), ["acme", "g0", "g1", "g2", "g3", "g4", "g5", "g6"]);
});

test("a write is repeated with one key until its outcome is known; other posts are not", async (t) => {
  const script = (attempt: number): [number] | "cut" =>
    attempt === 1 ? "cut" : attempt === 2 ? [502] : [200];
  const writing = await openScripted(t, script);
  await writing.api.writeRecords({ integrationId: "i", objectName: "o", writeRequest: {} });
  assert.equal(writing.requests.length, 3);
  assert.equal(new Set(writing.requests.map(({ key }) => key)).size, 1);
  assert.match(writing.requests[0]?.key ?? "", /^[0-9a-f-]{36}$/);

  const creating = await openScripted(t, () => [502]);
  await assert.rejects(creating.api.createTopic({ createTopicRequest: { name: "t" } }), { status: 502 });
  // With its length, so no stream: browsers send streams by HTTP/2 only.
  assert.deepEqual(creating.requests, [{ method: "POST", key: undefined, length: "12" }]);
});

test("a call without an answer names its address and the reason, and the key with which a write can be repeated", async (t) => {
  const { requests, api } = await openScripted(t, () => "cut");
  const given = { integrationId: "i", objectName: "o", writeRequest: {} };
  const failure = await api.writeRecords(given).catch((error: Loose) => error);
  assert.ok(failure instanceof client.NoAnswerError, String(failure));
  assert.match(
    failure.message,
    /^POST http:\/\/127\.0\.0\.1:\d+\/write\/v1\/projects\/p\/integrations\/i\/objects\/o: no answer after 4 attempts \(.*(closed|reset|hang up).*\)$/,
  );
  assert.equal(failure.attempts, 4);
  assert.equal(failure.idempotencyKey, requests[0]?.key);
  // A free port of the machine, so that the platform's own words are in the message.
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, "close");
  const away = new client.Busbar({ url: `http://127.0.0.1:${port}`, apiKey: "k", project: "p", retries: 0 });
  await assert.rejects(away.listTopics(), {
    message: `GET http://127.0.0.1:${port}/v1/projects/p/topics: no answer (connect ECONNREFUSED 127.0.0.1:${port})`,
  });
  // A caller that ends its own request gets its own reason.
  const ended = new client.Busbar({ url: `http://127.0.0.1:${port}`, apiKey: "k", project: "p" });
  await assert.rejects(ended.listTopics(undefined, { signal: AbortSignal.abort(new Error("mine")) }), /mine/);
});

test("a refused request is repeated after the time that the answer names, unless that is too long", async (t) => {
  const refused = await openScripted(t, (attempt) => (attempt === 1 ? [429, { "retry-after": "0" }] : [200]));
  await refused.api.createTopic({ createTopicRequest: { name: "t" } });
  assert.equal(refused.requests.length, 2);
  // As Busbar itself proves that nothing was done: docs/guide/writing-records.md, "a 503 that says when to come back".
  const away = await openScripted(t, (attempt) => (attempt === 1 ? [503, { "retry-after": "0" }] : [200]));
  await away.api.createTopic({ createTopicRequest: { name: "t" } });
  assert.equal(away.requests.length, 2);
  const unclear = await openScripted(t, () => [503]);
  await assert.rejects(unclear.api.createTopic({ createTopicRequest: { name: "t" } }), { status: 503 });
  assert.equal(unclear.requests.length, 1);
  const long = await openScripted(t, () => [429, { "retry-after": "3600" }]);
  await assert.rejects(long.api.listTopics(), { status: 429 });
  assert.equal(long.requests.length, 1);
});

test("a message is read only with its destination's signature, as the published signer makes it", () => {
  const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
  const body = JSON.stringify({ action: "read", objectName: "contact", result: [] });
  const sign = (time: Date, key = secret) => ({
    "webhook-id": "m1",
    "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)),
    "webhook-signature": new Webhook(key).sign("m1", time, body),
  });
  const fresh = sign(new Date());
  assert.equal(client.readMessage(body, fresh, secret).objectName, "contact");
  assert.equal(client.readMessage(Buffer.from(body), new Headers(fresh), secret).action, "read");
  assert.throws(() => client.readMessage(`${body} `, fresh, secret));
  assert.throws(() => client.readMessage(body, sign(new Date(Date.now() - 600_000)), secret));
  assert.throws(() =>
    client.readMessage(body, sign(new Date(), `whsec_${Buffer.alloc(24, 2).toString("base64")}`), secret),
  );
});

test("a customer's token that the client signs is accepted for its own group only", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const made = await busbar.inProject("POST", "/jwt-keys", {
    label: "web",
    algorithm: "RS256",
    publicKeyPem,
  });
  const token = () =>
    client.signCustomerToken({
      privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      keyId: made.body.kid,
      groupRef: "acme",
      consumerRef: "ada",
    });
  const page = new client.Busbar({ url: new URL(busbar.server.urls.base).origin, token, project: "default" });
  const connections = await page.listConnections({ groupRef: "acme" });
  assert.equal(connections.length, 1);
  await assert.rejects(page.listConnections({ groupRef: "g1" }), { status: 403 });
});

test("a call without a project or another part of its path, and a client without or with two credentials, are refused with the remedy", async () => {
  const url = "http://127.0.0.1:9";
  await assert.rejects(new client.Busbar({ url, apiKey: "k" }).listTopics(), /needs projectIdOrName/);
  const api = new client.Busbar({ url, apiKey: "k", project: "p" });
  for (const given of [{}, { topicId: undefined }])
    await assert.rejects(api.getTopic(given), { name: "TypeError", message: "The call needs topicId" });
  assert.throws(() => new client.Busbar({ url }), /either apiKey or token/);
  // A program in JavaScript gives what is not in its environment.
  const missing = undefined as unknown as string;
  assert.throws(
    () => new client.Busbar({ url: missing, apiKey: "k" }),
    /Give `url`, the address of the Busbar/,
  );
  assert.throws(() => new client.Busbar({ url, apiKey: "k", token: "t" }), /either apiKey or token/);
});

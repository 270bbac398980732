/** The collections that `busbar collection` writes, read and run by Postman's runner and by Bruno's own parser. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { runCli } from "../harness/command-line.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { MANIFEST } from "./every-operation/examples-manifest.ts";

const FOLDER = join(import.meta.dirname, "collections");
const DESCRIPTION = join(import.meta.dirname, "../../openapi.json");

// The programs are installed when the test runs, so the compiler does not know them.
type Loose = any; // oxlint-disable-line typescript/no-explicit-any
let busbar: TestBusbar;
let cwd: string;
let readers: { newman: Loose; bruno: Loose };

before(async () => {
  if (!existsSync(join(FOLDER, "node_modules")))
    await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund"], { cwd: FOLDER });
  const load = createRequire(join(FOLDER, "package.json"));
  readers = { newman: load("newman"), bruno: load("@usebruno/lang") };
  busbar = await openTestBusbar();
  const content = { read: { objects: { contacts: { selectedFields: {}, selectedFieldMappings: {} } } } };
  await addWebhook(busbar, "hook", "http://127.0.0.1:9/");
  await connectCustomer(busbar, { provider: "hubspot", manifest: MANIFEST, integration: "crm", content });
  cwd = await mkdtemp(join(tmpdir(), "busbar-collections-"));
});
after(async () => {
  await busbar?.stop();
  if (cwd) await rm(cwd, { recursive: true, force: true });
});

const origin = () => new URL(busbar.server.urls.base).origin;
const runBusbar = (...args: string[]) =>
  runCli(args, { cwd, env: { HOME: cwd, BUSBAR_URL: origin(), BUSBAR_API_KEY: busbar.apiKey } });

/** What the path parameters stand for. The examples were recorded with the same manifest. */
const VALUES = () => ({
  apiKey: busbar.apiKey,
  integrationId: "crm",
  objectName: "contacts",
  groupRef: "acme",
});

/** Returns every operation of the description, as `POST /v1/orgs` by id. */
async function describedOperations(): Promise<Record<string, string>> {
  const { paths } = JSON.parse(await readFile(DESCRIPTION, "utf8"));
  return Object.fromEntries(
    Object.entries<Record<string, Loose>>(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} {{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, "{{$1}}")}`,
      ]),
    ),
  );
}

test("Postman's runner runs the collection against the server, with the examples as bodies", async () => {
  const { code, stdout, stderr } = await runBusbar("collection", "postman", "busbar.json");
  assert.equal(code, 0, stderr);
  const described = Object.values(await describedOperations());
  assert.match(stdout, new RegExp(`wrote busbar\\.json: ${described.length} requests`));
  const collection = JSON.parse(await readFile(join(cwd, "busbar.json"), "utf8"));
  const requests = collection.item.flatMap((folder: Loose) => folder.item);
  assert.deepEqual(
    requests
      .map(({ request }: Loose) => `${request.method} {{baseUrl}}/${request.url.path.join("/")}`)
      .toSorted(),
    described.toSorted(),
  );
  const done: Loose = await new Promise((resolve, reject) => {
    readers.newman.run(
      {
        collection,
        // Its saved answers are read, too.
        folder: ["List groups", "Get a group", "Write records", "Alive", "List API keys"],
        envVar: Object.entries(VALUES()).map(([key, value]) => ({ key, value })),
        reporters: [],
      },
      (error: unknown, summary: Loose) => (error ? reject(error) : resolve(summary)),
    );
  });
  assert.deepEqual(
    done.run.executions.map(({ item, response }: Loose) => `${response.code} ${item.name}`).toSorted(),
    ["200 Alive", "200 Get a group", "200 List API keys", "200 List groups", "200 Write records"],
  );
});

test("Bruno's parser reads every file of its collection as the request that is described", async () => {
  assert.equal((await runBusbar("collection", "bruno", "requests")).code, 0);
  const { bruToJsonV2, bruToEnvJsonV2, collectionBruToJson } = readers.bruno;
  const found: Record<string, string> = {};
  const requests: Record<string, Loose> = {};
  for await (const file of glob("requests/*/*.bru", { cwd })) {
    if (file.includes("environments") || file.endsWith("folder.bru")) continue;
    const request = bruToJsonV2(await readFile(join(cwd, file), "utf8"));
    const id = /([^/]+)\.bru$/.exec(file)?.[1] ?? "";
    requests[id] = request;
    found[id] = `${request.http.method.toUpperCase()} ${request.http.url.split("?")[0]}`;
  }
  assert.deepEqual(found, await describedOperations());
  const { auth } = collectionBruToJson(await readFile(join(cwd, "requests/collection.bru"), "utf8"));
  assert.deepEqual(auth.apikey, { key: "X-Api-Key", value: "{{apiKey}}", placement: "header" });
  const { variables } = bruToEnvJsonV2(await readFile(join(cwd, "requests/environments/Busbar.bru"), "utf8"));
  const key = variables.find(({ name }: Loose) => name === "apiKey");
  assert.deepEqual([key.secret, key.value ?? ""], [true, ""]);

  const values = Object.fromEntries(variables.map(({ name, value }: Loose) => [name, value]));
  const fill = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => ({ ...values, ...VALUES() })[name] ?? "");
  const [dryRun] = requests["writeRecords"].params;
  assert.deepEqual([dryRun.name, dryRun.enabled, dryRun.type], ["dryRun", false, "query"]);
  const { http, body } = requests["createGroup"];
  assert.equal(http.auth, "inherit");
  const answer = await fetch(fill(http.url), {
    method: http.method,
    headers: { [auth.apikey.key]: fill(auth.apikey.value), "content-type": "application/json" },
    body: body.json,
  });
  assert.equal(answer.status, 201, await answer.text());
  assert.equal(requests["getHealthz"].http.auth, "none");
});

test("no file of a collection holds the key, and none is overwritten without --force", async () => {
  for await (const file of glob("{busbar.json,requests/**/*.*}", { cwd }))
    assert.ok(!(await readFile(join(cwd, file), "utf8")).includes(busbar.apiKey), file);
  for (const [format, path] of [
    ["postman", "busbar.json"],
    ["bruno", "requests"],
  ] as const) {
    const again = await runBusbar("collection", format, path);
    assert.deepEqual([again.code, /exists already/.test(again.stderr)], [1, true]);
    assert.equal((await runBusbar("collection", format, path, "--force")).code, 0);
  }
  assert.equal((await runBusbar("collection", "insomnia")).code, 2);
});

/** Runs every command and statement of the pages that show recipes, in their order, against a whole Busbar. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { openTestBusbar, startTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { BUSBAR } from "../harness/child-busbar.ts";
import { createEmptyDatabase } from "../harness/database.ts";
import { readGuideParts, withAddresses } from "../harness/guide-programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const GUIDE = join(ROOT, "docs/guide");
let busbar: TestBusbar;
let folder: string;
/** An environment of Nango without connections. */
const nango = createServer((_, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end('{"connections": [], "data": []}');
});
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(204).end();
});

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "busbar-cookbook-"));
  for (const server of [nango, receiver]) await once(server.listen(0, "127.0.0.1"), "listening");
  busbar = await openTestBusbar();
  busbar.sandbox.hubspot.setLimits("off");
  await addWebhook(busbar, "people", address(receiver));
  await connectCustomer(busbar, {
    provider: "hubspot",
    manifest: await readFile(join(GUIDE, "examples/crm-people.amp.yaml"), "utf8"),
    integration: "people-hubspot",
    groupRef: "northwind",
    content: {
      read: {
        objects: { contacts: { objectName: "contacts", selectedFieldMappings: { notes: "jobtitle" } } },
      },
    },
  });
  await writeFile(join(folder, "key.txt"), busbar.apiKey);
  await writeFile(join(folder, "secret.txt"), "my-secret");
});
after(async () => {
  for (const server of [nango, receiver]) server.close();
  await busbar?.stop();
  await rm(folder, { recursive: true, force: true });
});

const address = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function readBlocks(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(GUIDE, `${page}.md`), "utf8");
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(
    ([, block = ""]) => block,
  );
}

/** Runs a block of a page as a shell does that ends at the first command that fails; `curl` fails if it is refused. */
async function runBlock(block: string, env: Record<string, string> = {}): Promise<string> {
  const { origin } = new URL(busbar.server.urls.base);
  const prelude = `set -e
busbar() { "${process.execPath}" "${BUSBAR}" "$@"; }
npm() { shift 4; busbar "$@"; }
curl() { if [ "$2" = -i ]; then command curl "$@"; else command curl --fail-with-body "$@"; fi; }\n`;
  const text = block
    .replaceAll("https://busbar.example.com", origin)
    .replaceAll("https://nango.example.com", address(nango));
  const { stdout } = await promisify(execFile)("bash", ["-c", prelude + text], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      API: origin,
      KEY: busbar.apiKey,
      BUSBAR_URL: origin,
      BUSBAR_API_KEY: busbar.apiKey,
      ...env,
    },
  }).catch((error: Error & { stdout?: string }) => {
    throw new Error(`${text}\n${error.message}\n${error.stdout}`);
  });
  return stdout;
}

test("the commands of the pages that continue the first do what their pages say", async (t) => {
  const fresh = await startTestBusbar(t);
  fresh.sandbox.hubspot.setLimits("off");
  const first = { apiKey: fresh.apiKey, projectId: fresh.projectId };
  await mkdir(join(folder, ".busbar"));
  await writeFile(join(folder, ".busbar/bootstrap.json"), JSON.stringify(first));
  await symlink(join(ROOT, "docs"), join(folder, "docs"));
  const [, ...parts] = await readGuideParts("sh");
  const texts = parts.map(({ page, text }) => `${text}\nprintf '\\nThe end of %s\\n' ${page}\n`);
  const printed = await runBlock(
    withAddresses(texts.join(""), fresh).replaceAll("http://127.0.0.1:3000", address(receiver)),
    {
      BUSBAR_URL: new URL(fresh.server.urls.base).origin,
      BUSBAR_API_KEY: fresh.apiKey,
    },
  );
  assert.match(printed, /^The end of operating$/m);
});

test("provider apps are created as the page about registering shows", async () => {
  const { body: apps } = await busbar.inProject("GET", "/provider-apps");
  for (const { id } of apps) await busbar.inProject("DELETE", `/provider-apps/${id}`);
  for (const block of await readBlocks("registering-apps", "sh")) await runBlock(block);
  const { body } = await busbar.inProject("GET", "/provider-apps");
  assert.deepEqual(body.map(({ provider }: { provider: string }) => provider).toSorted(), [
    "google",
    "hubspot",
    "microsoft",
    "salesforce",
  ]);
});

test("moving from others runs as its page shows, for a customer who is not here yet", async () => {
  const [trial = "", install = "", token = "", ...others]: string[] = await readBlocks(
    "moving-from-others",
    "sh",
  );
  assert.deepEqual(others, []);
  await runBlock(trial);
  assert.match(install, /^busbar install people --group acme\n$/);
  const { accessToken, refreshToken = "" } = busbar.sandbox.hubspot.mintToken();
  const moved = token.replace("northwind", "moved");
  const answer = JSON.parse(await runBlock(moved, { ACCESS: accessToken, REFRESH: refreshToken }));
  assert.equal(answer.group.groupRef, "moved");
});

test("the cookbook's statement keeps the newest version, in whatever order versions arrive", async (t) => {
  const [statement = "", ...others] = await readBlocks("cookbook", "sql");
  assert.deepEqual(others, []);
  const client = new Client({ connectionString: await createEmptyDatabase(t) });
  await client.connect();
  await client.query(
    "CREATE TABLE people (installation text, object text, id text, change_time text, read_time text, record jsonb, PRIMARY KEY (installation, object, id))",
  );
  const versions = [
    ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:05.000Z", '{"v": 1}'],
    ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:09.000Z", '{"v": 2}'],
    ["2026-01-02T00:00:00.000Z", "2026-01-02T00:00:01.000Z", null],
  ];
  for (const [index, order] of [versions, versions.toReversed()].entries()) {
    for (const version of order) await client.query(statement, ["i", "contacts", String(index), ...version]);
  }
  const { rows } = await client.query("SELECT change_time, record FROM people");
  await client.end();
  const newest = { change_time: "2026-01-02T00:00:00.000Z", record: null };
  assert.deepEqual(rows, [newest, newest]);
});

test("the cookbook's commands do what its page says, from the first to the last", async () => {
  for (const block of await readBlocks("cookbook", "sh")) await runBlock(block);
  const exported = await readFile(join(folder, "northwind.jsonl"), "utf8");
  assert.match(exported, /"notes":"company"/);
  assert.equal((await busbar.inProject("GET", "/groups/northwind")).status, 404);
});

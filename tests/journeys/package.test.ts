/**
 * The packed package without a checkout: unpacked beside its production dependencies alone, which are linked and not loaded.
 * `npm run try:package` installs it with npm.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { startInstalled } from "../../scripts/try-installs/installed-busbar.ts";
import { openClient } from "../harness/client.ts";
import { connectCustomer } from "../harness/connect-customer.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
let folder: string;
let sandbox: Sandbox;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "busbar-packed-"));
  await run(process.execPath, ["scripts/package.ts", "--out", join(folder, "made")], { cwd: ROOT });
  const [archive = ""] = (await readdir(join(folder, "made"))).filter((name) => name.endsWith(".tgz"));
  const installed = join(folder, "node_modules/busbar");
  await mkdir(installed, { recursive: true });
  await run("tar", ["xzf", join(folder, "made", archive), "--strip-components=1", "-C", installed]);
  await linkDependencies(installed);
  sandbox = await startSandbox({ port: 0 });
  await writeFile(join(folder, "catalog.json"), JSON.stringify(sandbox.catalog()));
});
after(async () => {
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** Links what the package's own lock file lists; a module that it does not list is not found. */
async function linkDependencies(installed: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(installed, "npm-shrinkwrap.json"), "utf8"));
  const there = Object.keys(lock.packages).filter((path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path));
  for (const path of there) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(ROOT, path), join(folder, path));
  }
  assert.ok(!there.includes("node_modules/typescript"));
}

test("the package reads a record with its production dependencies alone, serves its pages, and stops", async () => {
  const program = join(folder, "node_modules/busbar/server/busbar.mjs");
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const shown = await run(process.execPath, [program, "--version"], { cwd: folder });
  assert.equal(shown.stdout.trim(), version);
  const busbar = await startInstalled(folder, [process.execPath, program, "start"]);
  let stopped;
  try {
    const { bootstrap } = busbar;
    const client = openClient({ ...bootstrap, urls: () => bootstrap.urls });
    const customer = await connectCustomer(
      { ...client, sandbox },
      { provider: "hubspot", objects: ["companies"] },
    );
    await customer.succeed("companies", { type: "create", record: { name: "Northwind" } });
    const read = await customer.proxied("/crm/v3/objects/companies");
    assert.equal(read.status, 200, read.text);
    assert.match(read.text, /"Northwind"/);
    const origin = new URL(bootstrap.urls.base).origin;
    for (const path of ["/", "/docs", "/docs/guide", "/openapi.json", "/readyz"]) {
      const answer = await fetch(`${origin}${path}`, { headers: { accept: "text/html" } });
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      if (path === "/") assert.match(text, /\/assets\//);
    }
  } finally {
    stopped = await busbar.stop();
  }
  assert.equal(stopped.code, 0, stopped.output.slice(-2_000));
});

test("packages that the package loads on demand have the names that the code asks for", async () => {
  const server = join(folder, "node_modules/busbar/server");
  const files = await readdir(server);
  for (const [file, name] of Object.entries({
    amqplib: "connect",
    "client-kinesis": "KinesisClient",
    "client-redshift-data": "RedshiftDataClient",
    "client-s3": "S3Client",
    "client-sqs": "SQSClient",
    "signature-v4": "SignatureV4",
    yaml: "stringify",
  })) {
    const found = files.find((one) => one.startsWith(`${file}-`));
    const loaded = await import(join(server, found ?? file));
    assert.equal(typeof loaded[name], "function", `${file}: ${name}`);
  }
});

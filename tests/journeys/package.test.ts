/**
 * The packed package without a checkout: unpacked beside its production dependencies alone, which are linked and not loaded.
 * `npm run try:package` installs it with npm.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { buildBillOfMaterials } from "../../scripts/release/documents.ts";
import { startInstalled } from "../../scripts/try-installs/installed-busbar.ts";
import { openClient } from "../harness/client.ts";
import { connectCustomer } from "../harness/connect-customer.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
let folder: string;
let packed: string;
let sandbox: Sandbox;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "busbar-packed-"));
  await run(process.execPath, ["scripts/package.ts", "--out", join(folder, "made")], { cwd: ROOT });
  const [archive = ""] = (await readdir(join(folder, "made"))).filter((name) => name.endsWith(".tgz"));
  packed = join(folder, "made", archive);
  const installed = join(folder, "node_modules/busbar");
  await mkdir(installed, { recursive: true });
  await run("tar", ["xzf", packed, "--strip-components=1", "-C", installed]);
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

test("the commands of the container image install the program, and no PostgreSQL beside it", async (t) => {
  const registry = await startRegistry();
  t.after(registry.close);
  const definition = await readFile(join(ROOT, "deploy/Containerfile"), "utf8");
  const [, command = ""] = /^RUN ((?:.*\\\n)*.*)$/m.exec(definition) ?? [];
  const image = join(folder, "image");
  for (const path of ["usr/local/bin", "opt", "tmp"]) await mkdir(join(image, path), { recursive: true });
  await copyFile(packed, join(image, "tmp/busbar.tgz"));
  // Only root may give files away.
  const inside = command.replaceAll(/(?<=\s)\//g, `${image}/`).replace("chown node:node", "test -d");
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    HOME: image,
    npm_config_prefix: join(image, "usr/local"),
    npm_config_registry: registry.url,
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
  };
  await run("sh", ["-ec", inside], { env, cwd: image });
  const { stdout } = await run(join(image, "usr/local/bin/busbar"), ["--version"], { env });
  assert.match(stdout, /^\d+\.\d+\.\d+/);
  assert.deepEqual(registry.archives, [], "fetched by npm");
});

/** Knows every package in the version that the repository locks, and lists the archives that it is asked for. */
async function startRegistry() {
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  const archives: string[] = [];
  const server = createServer(({ url = "", headers: { host } }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const version = packages[`node_modules/${name}`]?.version;
    if (version === undefined) {
      archives.push(url);
      return void response.writeHead(404).end();
    }
    const versions = { [version]: { name, version, dist: { tarball: `http://${host}/${name}.tgz` } } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, versions, "dist-tags": { latest: version } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    archives,
    close: () => void server.close(),
  };
}

test("the bill of materials has every package that is inside", async () => {
  const inside: string[] = JSON.parse(await readFile(join(folder, "made/contents.json"), "utf8"));
  for (const name of ["fastify", "pg", "yaml", "kysely", "react"])
    assert.ok(
      inside.some((one) => one.startsWith(`${name}@`)),
      name,
    );
  const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
  const listed = await run("npm", args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  const { components } = JSON.parse(buildBillOfMaterials(listed.stdout, "busbar", inside, new Date(0)));
  assert.equal(components.length, inside.length);
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

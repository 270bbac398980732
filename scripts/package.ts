/** `npm run package [-- --out DIR]`: makes the npm package that runs without a checkout, in `dist/`. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { getCallersFolder } from "../ground/config.ts";
import { readBuild } from "../server/dashboard/build-dashboard.ts";
import { computeDashboardDigest } from "../server/dashboard/dashboard-digest.ts";
import { bundleServer } from "./package/bundle-server.ts";
import { listBundled, listInDashboard, writeLicences } from "./package/collect-licences.ts";

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { out: { type: "string", default: join(ROOT, "dist") } } });
const DIST = resolve(getCallersFolder() ?? ".", values.out);
const STAGE = join(DIST, "package");

/** Files that the code reads, and those that a package must carry. */
const COPIED = [
  "server/api/docs/examples.json",
  "server/require-node.mjs",
  "openapi.json",
  "docs/guide",
  "docs/providers",
  "migrations",
  "deploy",
  "dashboard/dist",
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  ".env.example",
];

/** Members of `package.json` that the package has, too. */
const KEPT = ["name", "version", "description", "license", "type", "engines", "bin", "optionalDependencies"];

for (const made of globSync("{package,contents.json,busbar-*.tgz}", { cwd: DIST }))
  await rm(join(DIST, made), { recursive: true });
await mkdir(STAGE, { recursive: true });
const [metafile] = await Promise.all([bundleServer(join(STAGE, "server")), buildDashboard()]);
await copyFiles();
await writeContents();
await writeManifests();
console.log(relative(process.cwd(), join(DIST, await pack())));

/** Writes the licences of what is inside, and for the bill of materials, beside the package, what it is. */
async function writeContents(): Promise<void> {
  const inside = [...(await listBundled(metafile)), ...(await listInDashboard(join(ROOT, "dashboard/dist")))];
  await writeFile(join(STAGE, "LICENSES.txt"), await writeLicences(inside));
  const names = inside.map(({ name, version }) => `${name}@${version}`);
  await writeFile(join(DIST, "contents.json"), JSON.stringify([...new Set(names)].toSorted()));
}

async function buildDashboard(): Promise<void> {
  const made = await readBuild(join(ROOT, "dashboard/dist"));
  if (!made || made.digest !== (await computeDashboardDigest()))
    await runNode(["scripts/build-dashboard.ts"]);
}

async function copyFiles(): Promise<void> {
  for (const path of [...COPIED, ...globSync("connectors/*/facts.{json,graphql}", { cwd: ROOT })]) {
    await mkdir(dirname(join(STAGE, path)), { recursive: true });
    await cp(join(ROOT, path), join(STAGE, path), { recursive: true });
  }
}

async function writeManifests(): Promise<void> {
  const [manifest, lock] = await Promise.all(
    ["package.json", "package-lock.json"].map((file) => readFile(join(ROOT, file), "utf8")),
  );
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const made = buildPackageManifest(JSON.parse(manifest ?? ""));
  await writeFile(join(STAGE, "package.json"), json(made));
  await writeFile(
    join(STAGE, "npm-shrinkwrap.json"),
    json(buildProductionLock(JSON.parse(lock ?? ""), made)),
  );
}

async function pack(): Promise<string> {
  const { stdout } = await run("npm", ["pack", STAGE, "--json", "--pack-destination", DIST], { cwd: DIST });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return filename;
}

/** Runs a program with this Node.js. Prints what it printed if it fails. */
async function runNode(args: string[]): Promise<void> {
  try {
    await run(process.execPath, args, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

interface Lock {
  name: string;
  version: string;
  packages: Record<string, Record<string, unknown>>;
  [member: string]: unknown;
}

/** Returns the lock of `npm-shrinkwrap.json`, which npm follows when it installs the package. Its packages need no others. */
function buildProductionLock(lock: Lock, { name, version, ...manifest }: Manifest): Lock {
  const installed = Object.keys(manifest.optionalDependencies).map((one) => `node_modules/${one}`);
  const packages = Object.fromEntries(installed.map((path) => [path, lock.packages[path] ?? {}]));
  const root = { name, version, ...manifest };
  return { ...lock, name, version, packages: { "": root, ...packages } };
}

interface Manifest {
  name: string;
  version: string;
  optionalDependencies: Record<string, string>;
  [member: string]: unknown;
}

/** Leaves out what only a checkout needs: scripts, dependencies, which are in the bundle, `private`. */
function buildPackageManifest(manifest: Manifest): Manifest {
  const kept = Object.fromEntries(KEPT.map((name) => [name, manifest[name]]));
  return kept as Manifest;
}

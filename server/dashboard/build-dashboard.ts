/** Builds the dashboard in a child process, and puts the result in its folder. */
import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { PROJECT_ROOT } from "../../ground/project-root.ts";

/** What `build.json` of a folder contains. */
export interface Build {
  /** Digest of the dashboard's sources. */
  digest: string;
  /** The page, with `__NONCE__` where the nonce of an answer belongs. */
  page: string;
  /** Names of its files below `assets/`. */
  assets: string[];
  /** Files of the build before: pages that are still open load them. */
  former: string[];
}

interface BuildRun {
  folder: string;
  digest: string;
  /** Ends the child process. */
  signal?: AbortSignal;
}

/** Returns the path of the bundler's program, or undefined where development packages are not installed. */
export function findBundler(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return join(dirname(resolve("vite/package.json")), "bin", "vite.js");
  } catch {
    return undefined;
  }
}

/** Builds into `folder`. Throws an error with the bundler's output if it fails. */
export async function buildDashboard(bundler: string, { folder, digest, signal }: BuildRun): Promise<Build> {
  const part = join(folder, `part-${process.pid}`);
  try {
    await runBundler(bundler, part, signal);
    const page = await readFile(join(part, "index.html"), "utf8");
    const assets = await readdir(join(part, "assets"));
    await Promise.all(assets.map((name) => compress(join(part, "assets", name))));
    await mkdir(join(folder, "assets"), { recursive: true });
    for (const name of await readdir(join(part, "assets")))
      await rename(join(part, "assets", name), join(folder, "assets", name));
    const former = await readBuild(folder);
    const build = { digest, page, assets, former: former?.assets ?? [] };
    await writeFile(join(part, "build.json"), JSON.stringify(build));
    await rename(join(part, "licences.json"), join(folder, "licences.json"));
    await rename(join(part, "build.json"), join(folder, "build.json"));
    await removeOld(folder, build);
    return build;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** Returns the build in a folder, or undefined. */
export async function readBuild(folder: string): Promise<Build | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, "build.json"), "utf8"));
  } catch {
    return undefined;
  }
}

function runBundler(bundler: string, outDir: string, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The native loader needs no folder to write to; an empty environment keeps this process's secrets from the packages.
  const args = [
    "build",
    "--configLoader",
    "native",
    "--outDir",
    outDir,
    "--emptyOutDir",
    "--logLevel",
    "warn",
  ];
  const child = spawn(process.execPath, [bundler, ...args], {
    cwd: join(PROJECT_ROOT, "dashboard"),
    env: { NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-4_000)));
  child.on("error", reject);
  child.on("close", (code) =>
    code === 0 ? resolve() : reject(new Error(output.trim() || `status ${code}`)),
  );
  return promise;
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
const COMPRESSIBLE = /\.(js|css|svg|json)$/;

async function compress(file: string): Promise<void> {
  if (!COMPRESSIBLE.test(file)) return;
  const text = await readFile(file);
  // Quality 11 takes four times as long for 3 % fewer bytes.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  await writeFile(`${file}.br`, await brotli(text, { params }));
  await writeFile(`${file}.gz`, await zip(text, { level: 9 }));
}

async function removeOld(folder: string, { assets, former }: Build): Promise<void> {
  const kept = new Set([...assets, ...former]);
  for (const name of await readdir(join(folder, "assets")))
    if (!kept.has(name.replace(/\.(br|gz)$/, ""))) await rm(join(folder, "assets", name), { force: true });
}

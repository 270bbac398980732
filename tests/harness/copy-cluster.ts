/** Keeps a prepared database cluster between test runs, because initdb and the migrations take seconds. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const CACHE = join(ROOT, "node_modules/.cache/test-clusters");

/**
 * Copies the cluster into `dataDir`. Prepares it first if no earlier run has done so with the same migrations and the
 * same PostgreSQL. Several processes may do so at once; the first one that is ready is kept.
 */
export async function copyCluster(
  dataDir: string,
  prepare: (dataDir: string) => Promise<void>,
): Promise<void> {
  const kept = join(CACHE, await computeFingerprint());
  if (!existsSync(kept)) {
    await mkdir(CACHE, { recursive: true });
    const made = await mkdtemp(join(CACHE, UNFINISHED));
    await prepare(made);
    await rename(made, kept).catch(() => rm(made, { recursive: true, force: true }));
    await removeOthers(kept);
  }
  await copyFolder(join(kept, "postgres"), join(dataDir, "postgres"));
}

const UNFINISHED = "unfinished-";

/** Returns a name that changes with everything that the cluster depends on. */
async function computeFingerprint(): Promise<string> {
  const hash = createHash("sha256");
  hash.update(`${process.platform} ${process.arch} ${process.getuid?.()}`);
  for (const file of [
    "package-lock.json",
    "tests/harness/postgres.ts",
    "tests/harness/side-roles.ts",
    "server/store/database/sides.ts",
    "server/store/sides/divide-schema.ts",
    ...globSync("{migrations/*.sql,server/postgres/*.ts}", { cwd: ROOT }).toSorted(),
  ])
    hash.update(`\n${file}\n`).update(await readFile(join(ROOT, file)));
  return hash.digest("hex").slice(0, 16);
}

async function removeOthers(kept: string): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    if (path !== kept && !name.startsWith(UNFINISHED)) await rm(path, { recursive: true, force: true });
  }
}

/** Copies with owners and modes, which `fs.cp` does not. */
async function copyFolder(from: string, to: string): Promise<void> {
  const child = spawn("cp", ["-a", from, to], { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`cp ended with status ${code}`);
}

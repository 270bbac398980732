/** Computes the digest of the dashboard's sources, which decides whether a build is current. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { PROJECT_ROOT } from "../../ground/project-root.ts";

/** The editor runs the check of manifests in the browser, so its folders count too. */
const SOURCES = ["dashboard", "manifest", "ground", "connector-kit"];
const LOCK_FILE = "package-lock.json";

/** Returns the digest of names and contents, the same on every machine; undefined in a package, which has no sources. */
export async function computeDashboardDigest(): Promise<string | undefined> {
  if (!existsSync(join(PROJECT_ROOT, "dashboard", "main.tsx"))) return undefined;
  const lists = await Promise.all(SOURCES.map((folder) => listFiles(join(PROJECT_ROOT, folder))));
  const files = lists.flat().map((file) => relative(PROJECT_ROOT, file));
  if (existsSync(join(PROJECT_ROOT, LOCK_FILE))) files.push(LOCK_FILE);
  const digest = createHash("sha256");
  for (const file of files.toSorted()) {
    digest.update(`${file.replaceAll("\\", "/")}\n`).update(await readFile(join(PROJECT_ROOT, file)));
  }
  return digest.digest("hex");
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.(test|examples)\.ts$|\.md$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(folder, file).startsWith("dist"));
}

/** Copies the package of PostgreSQL's programs, complete with its library links, to a place all users can read. */
import { createHash, randomBytes } from "node:crypto";
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isJsonObject } from "../ground/json.ts";

/**
 * Copies once and returns the copy's package folder; throws a plain Error when `place` is not safe or not writable.
 *
 * The copy is named after a digest of its file names and sizes, made aside and renamed, and checked against its own
 * name before every use: a copy that is there but not whole (a crash of the machine, a cleaner of /tmp) is replaced.
 */
export async function copyPackage(source: string, version: string, place: string): Promise<string> {
  await secureFolder(place);
  const digest = await takeInventory(source);
  const target = join(place, `postgres-${version}-${digest}`);
  if (await isWhole(target, digest)) return target;
  const aside = join(place, `.new-${randomBytes(8).toString("hex")}`);
  try {
    await cp(source, aside, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
    await addLinks(aside);
    await openModes(aside);
    await rm(target, { recursive: true, force: true });
    await rename(aside, target).catch(async (error: unknown) => {
      if (!(await isWhole(target, digest))) throw error; // Else another Busbar was quicker with the same copy.
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return target;
}

/**
 * Makes the folder, or makes sure that it is nobody's trap: somebody may have created a predictable path under /tmp
 * before us, and what lies in it will be executed.
 */
async function secureFolder(place: string): Promise<void> {
  await mkdir(place, { recursive: true, mode: 0o755 });
  const uid = process.getuid?.();
  const [folder, parent] = await Promise.all([lstat(place), lstat(dirname(place))]);
  if (!folder.isDirectory() || folder.uid !== uid || folder.mode & 0o022) {
    throw new Error(`${place} is not a folder that only Busbar's user may change; remove it`);
  }
  const isSticky = (parent.mode & 0o1000) !== 0;
  if ((parent.uid !== 0 && parent.uid !== uid) || (parent.mode & 0o022 && !isSticky)) {
    throw new Error(`others may replace ${place}, because they may change its parent folder`);
  }
  await chmod(place, 0o755);
}

/** Static libraries and build files are a seventh of the package and of no use to a server. */
const isNeeded = (path: string): boolean => !path.endsWith(".a") && basename(path) !== "pkgconfig";

/** Links are left out, since whether they exist is what may differ. */
async function takeInventory(packageDir: string): Promise<string> {
  const lines: string[] = [];
  for (const entry of await readdir(packageDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isNeeded(path) || path.includes("/pkgconfig/")) continue;
    lines.push(`${relative(packageDir, path)} ${(await lstat(path)).size}`);
  }
  return createHash("sha256").update(lines.toSorted().join("\n")).digest("hex").slice(0, 16);
}

const isWhole = async (target: string, digest: string): Promise<boolean> =>
  (await takeInventory(target).catch(() => "")) === digest;

/** `native/pg-symlinks.json` of the package lists `{source, target}`, both from the package's root. */
async function addLinks(packageDir: string): Promise<void> {
  const links: unknown = JSON.parse(await readFile(join(packageDir, "native", "pg-symlinks.json"), "utf8"));
  if (!Array.isArray(links)) throw new Error(`${packageDir}: pg-symlinks.json is not a list`);
  for (const link of links) {
    if (!isJsonObject(link) || typeof link["source"] !== "string" || typeof link["target"] !== "string")
      continue;
    const from = join(packageDir, link["target"]);
    await rm(from, { force: true });
    await symlink(relative(dirname(from), join(packageDir, link["source"])), from);
  }
}

/** Readable for everybody and writable for us alone, whatever umask the package was installed with. */
async function openModes(packageDir: string): Promise<void> {
  await chmod(packageDir, 0o755);
  for (const entry of await readdir(packageDir, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === "bin";
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}

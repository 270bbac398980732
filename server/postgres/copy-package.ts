/** Copies the package of PostgreSQL's programs, including its library links, to a folder that all users can read. */
import { createHash, randomBytes } from "node:crypto";
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isJsonObject } from "../../ground/json.ts";

/**
 * Copies once and returns the copy's package folder; throws a plain Error if `place` is not safe or not writable.
 *
 * The copy is created under another name and renamed to a digest of its file names and sizes, which is checked before every
 * use: an incomplete copy (after a crash, or a cleanup of /tmp) is replaced.
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
 * Creates the folder, or checks that no other user can write to it: its path below /tmp is predictable, so another user may
 * have created it, and programs in it will be executed.
 */
async function secureFolder(place: string): Promise<void> {
  await mkdir(place, { recursive: true, mode: 0o755 });
  const uid = process.getuid?.();
  const [folder, parent] = await Promise.all([lstat(place), lstat(dirname(place))]);
  if (!folder.isDirectory() || folder.uid !== uid || folder.mode & 0o022) {
    throw new Error(`${place} can be changed by other users; remove it`);
  }
  const isSticky = (parent.mode & 0o1000) !== 0;
  if ((parent.uid !== 0 && parent.uid !== uid) || (parent.mode & 0o022 && !isSticky)) {
    throw new Error(`other users can replace ${place}, because they can change its parent folder`);
  }
  await chmod(place, 0o755);
}

/** Excludes static libraries and build files: a seventh of the package, not needed by a server. */
const isNeeded = (path: string): boolean => !path.endsWith(".a") && basename(path) !== "pkgconfig";

/** Links are left out, because a package without them must have the same digest. */
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

/** Creates the links of `native/pg-symlinks.json`, a list of `{source, target}` relative to the package's root. */
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

/** Sets modes so that all users can read and only we can write, whatever umask the package was installed with. */
async function openModes(packageDir: string): Promise<void> {
  await chmod(packageDir, 0o755);
  for (const entry of await readdir(packageDir, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === "bin";
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}

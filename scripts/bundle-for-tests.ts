/**
 * Bundles the server for the tests that start it as a process: a process of the bundle starts in half of the processor time, and what
 * is tested is what the package has.
 */
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bundleServer } from "./package/bundle-server.ts";

const ROOT = join(import.meta.dirname, "..");
const CACHE = join(ROOT, "node_modules/.cache");
/** Always the same, because the compile cache keeps code by its path. */
const PLACE = join(CACHE, "test-program");

/** What the server reads of its own folder. */
const OF_SERVER = ["require-node.mjs", "api/docs/examples.json"];
/** No part of a package; Git's folder would make this one a checkout. */
const LEFT_OUT = new Set(["server", "tests", "dist", ".git"]);

/** Makes a folder like the checkout with the bundle in place of `server/`, and returns the program in it. */
export async function bundleForTests(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const made = await mkdtemp(join(CACHE, "test-program-"));
  await bundleServer(join(made, "server"));
  for (const path of OF_SERVER) {
    await mkdir(dirname(join(made, "server", path)), { recursive: true });
    await symlink(join(ROOT, "server", path), join(made, "server", path));
  }
  for (const name of await readdir(ROOT))
    if (!LEFT_OUT.has(name)) await symlink(join(ROOT, name), join(made, name));
  // Another run may use it; what that one loads later is in the new one too.
  const old = `${made}-old`;
  await rename(PLACE, old).catch(() => {});
  await rename(made, PLACE);
  await rm(old, { recursive: true, force: true });
  return join(PLACE, "server/busbar.mjs");
}

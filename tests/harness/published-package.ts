/** Loads implementations of others, which are installed when the first test that needs one runs. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

const FOLDER = join(import.meta.dirname, "published");
const MODULES = join(FOLDER, "node_modules");
let installed: Promise<void> | undefined;

/** Returns a module of the packages that `published/package.json` lists. They are not known to the compiler. */
export async function loadPublished(name: string): Promise<unknown> {
  await (installed ??= install());
  return createRequire(join(FOLDER, "package.json"))(name);
}

/** Installs beside the place and then moves there, because other test files may be installing, too. */
async function install(): Promise<void> {
  if (existsSync(MODULES)) return;
  const beside = await mkdtemp(join(FOLDER, ".installing-"));
  try {
    for (const file of ["package.json", "package-lock.json"])
      await cp(join(FOLDER, file), join(beside, file));
    const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
    await promisify(execFile)("npm", ["ci", ...options], { cwd: beside });
    await rename(join(beside, "node_modules"), MODULES).catch((error: unknown) => {
      if (!existsSync(MODULES)) throw error;
    });
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

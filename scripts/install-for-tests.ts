/**
 * Installs what only tests need, by `tests/package.json`: the published clients and servers of others, and the driver of a browser.
 * So whoever only runs Busbar does not load them. Does nothing where they are there as `tests/package-lock.json` names them.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = join(import.meta.dirname, "../tests");
/** A copy of the lock by which the packages were installed; npm removes it when it begins again. */
const INSTALLED = join(FOLDER, "node_modules/.installed.json");

export function installForTests(): void {
  const lock = readFileSync(join(FOLDER, "package-lock.json"), "utf8");
  if (lock === readIfThere(INSTALLED)) return;
  console.error("Installing what the tests speak with, by tests/package.json.");
  // The output of npm is no part of a test report.
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--no-progress", "--prefix", FOLDER], {
    stdio: ["ignore", process.stderr, process.stderr],
    shell: process.platform === "win32",
  });
  writeFileSync(INSTALLED, lock);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) installForTests();

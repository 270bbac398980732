/**
 * Installs what only tests need, by `tests/package.json`: the published clients and servers of others, and the driver of a browser.
 * So whoever only runs Busbar does not load them. Does nothing where they are there as `tests/package-lock.json` names them. Before that,
 * installs what a pull has added to the packages of Busbar itself.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "tests");
/** A copy of the lock by which the packages were installed; npm removes it when it begins again. */
const INSTALLED = join(FOLDER, "node_modules/.installed.json");

export function installForTests(): void {
  installAdded();
  const lock = readFileSync(join(FOLDER, "package-lock.json"), "utf8");
  if (lock === readIfThere(INSTALLED)) return;
  console.error("Installing what the tests speak with, by tests/package.json.");
  runNpm("ci", "--prefix", FOLDER);
  writeFileSync(INSTALLED, lock);
}

/** Not by `npm ci`, which would remove the Node.js that runs this. */
function installAdded(): void {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const missing = names.filter((name) => !existsSync(join(ROOT, "node_modules", name)));
  if (missing.length === 0) return;
  console.error(`Installing what package.json has and this checkout has not: ${missing.join(", ")}.`);
  runNpm("install", "--no-save", "--ignore-scripts", "--prefix", ROOT);
}

const runNpm = (...args: string[]): Buffer =>
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--no-progress"], {
    // The output of npm is no part of a test report.
    stdio: ["ignore", process.stderr, process.stderr],
    shell: process.platform === "win32",
  });

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) installForTests();

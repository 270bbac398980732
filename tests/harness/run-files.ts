/** Runs several test files one after the other in this process, so that they load and compile the server once. */
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

/** Of a whole file; so long, because its tests have the time limit of the command line, each. */
const FILE_TIMEOUT_MS = 3_600_000;
const ROOT = join(import.meta.dirname, "../..");

/** Runs each file as one test, whose subtests are the tests and hooks that the file declares. */
export async function runFiles(files: string[]): Promise<void> {
  for (const file of files) {
    await test(file, { timeout: FILE_TIMEOUT_MS }, () => import(pathToFileURL(join(ROOT, file)).href));
  }
}

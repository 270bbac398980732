/** Runs several test files one after the other in this process, so that they load and compile the server once. */
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

/** Of a whole file; so long, because its tests have the time limit of the command line, each. */
const FILE_TIMEOUT_MS = 3_600_000;
const ROOT = join(import.meta.dirname, "../..");

/** A handle that a failed test has left open would keep the process, and with it the whole run. */
const EXIT_AFTER_MS = 10_000;

/** Runs each file as one test, whose subtests are the tests and hooks that the file declares. */
export async function runFiles(files: string[]): Promise<void> {
  // Node.js ends a process in which nothing but timers without a reference waits, also in the middle of a test.
  const running = setInterval(() => {}, 60_000);
  let left = files.length;
  // A test that ended the process with status 0 would hide the files after it.
  process.on("exit", () => {
    if (left > 0) process.exitCode = 1;
  });
  for (const file of files) {
    await test(file, { timeout: FILE_TIMEOUT_MS }, () => import(pathToFileURL(join(ROOT, file)).href));
    left -= 1;
  }
  clearInterval(running);
  setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
}

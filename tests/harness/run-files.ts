/** Runs several test files one after the other in this process, so that they load and compile the server once. */
import { createHook, type AsyncHook } from "node:async_hooks";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { leaveClock } from "../../ground/clock.ts";

/** Timeout of a whole file. It is long, because each of its tests has the time limit of the command line. */
const FILE_TIMEOUT_MS = 3_600_000;
const ROOT = join(import.meta.dirname, "../..");

/** A handle that a failed test has left open would keep the process, and with it the whole run. */
const EXIT_AFTER_MS = 10_000;

/** Runs each file as one test, whose subtests are the tests and hooks that the file declares. */
export async function runFiles(files: string[]): Promise<void> {
  const runnersHook = holdRunnersHook();
  // Node.js ends a process in which nothing but timers without a reference waits, also in the middle of a test.
  const running = setInterval(() => {}, 60_000);
  let left = files.length;
  // A test that ended the process with status 0 would hide the files after it.
  process.on("exit", () => {
    if (left > 0) process.exitCode = 1;
  });
  for (const file of files) {
    runnersHook.enable();
    // A file that sets the time of its test must not find the clock of a database that an earlier file followed.
    leaveClock();
    await test(file, { timeout: FILE_TIMEOUT_MS }, () =>
      import(pathToFileURL(join(ROOT, file)).href).finally(() => runnersHook.disable()),
    );
    left -= 1;
  }
  clearInterval(running);
  setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
}

/**
 * Returns the hook with which Node's test runner follows every promise, to be enabled only while a file declares its tests: they
 * are found to be below the file by it. While they run it would take a fifth of the processor time, to name the test whose code
 * threw an error that nobody caught. Such an error still fails the process, hence each of its files; `node --test` of a file names
 * the test.
 */
function holdRunnersHook(): { enable(): void; disable(): void } {
  const hooks = Object.getPrototypeOf(createHook({}));
  const { enable } = hooks;
  let held: AsyncHook | undefined;
  let isEnabled = false;
  const hold = (hook: AsyncHook): AsyncHook => {
    hooks.enable = enable;
    held = hook;
    return isEnabled ? hook.enable() : hook;
  };
  // The runner makes its hook when the first test is declared.
  hooks.enable = function enableRunnersHook(this: AsyncHook) {
    return hold(this);
  };
  return {
    enable() {
      isEnabled = true;
      held?.enable();
    },
    disable() {
      isEnabled = false;
      held?.disable();
    },
  };
}

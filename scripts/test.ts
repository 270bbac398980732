/**
 * Runs all tests, or those whose paths begin with one of the arguments (`npm test -- server/read cli`).
 *
 * A process for each file would spend most of its time loading and compiling the server. So the files are dealt out to
 * batches: a batch is a process that runs one file after the other. If a test fails only in company, its batch can be run
 * alone: `npm test -- --batch=7`; `npm test -- --alone` runs each file in a process of its own.
 *
 * Nothing is repeated: a test that fails sometimes is mended at its cause, or removed.
 */
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { createMemoryFolder, removeFolder } from "../tests/harness/memory-folder.ts";
import { bundleForTests } from "./bundle-for-tests.ts";
import { installForTests } from "./install-for-tests.ts";

const ROOT = join(import.meta.dirname, "..");
/**
 * The longest files, each in a process of its own. They begin early, yet some batches apart: most have a browser, which
 * takes a processor for itself.
 */
const ALONE = [
  "tests/dashboard/integrations.test.ts",
  "tests/dashboard/pages.test.ts",
  "tests/dashboard/dashboard.test.ts",
  "tests/journeys/typescript-client.test.ts",
  "tests/journeys/ui-library.test.ts",
  "tests/journeys/demo.test.ts",
];
/** Loading the server takes a process 1.4 s of the processor; larger batches would end at too different times. */
const FILES_OF_BATCH = 16;
/** Two more than processors, for the tests that wait. More than six would need more connections than their PostgreSQL has. */
const CONCURRENCY = Math.min(availableParallelism() + 2, 6);
const TEST_TIMEOUT_MS = 600_000;

const { values: wanted, positionals: prefixes } = parseArgs({
  options: { alone: { type: "boolean" }, batch: { type: "string" } },
  allowPositionals: true,
});
const filesOfBatch = wanted.alone ? 1 : FILES_OF_BATCH;
const batches = dealOut(prefixes)
  .map((files, index) => ({ number: index + 1, files }))
  .filter(({ number }) => wanted.batch === undefined || number === Number(wanted.batch));
if (batches.length === 0) {
  console.error(
    "No such test: give the beginning of a file's path, such as server/read, or the number of a batch.",
  );
  process.exit(1);
}

installForTests();
// For everybody: as root, PostgreSQL runs as another user.
const folder = await createMemoryFolder(0o1777);
process.env["TMPDIR"] = folder;
// For a few files, bundling takes longer than it saves.
if (batches.length > 1) process.env["BUSBAR_TEST_PROGRAM"] = await bundleForTests();
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopped.abort());
const { passed, failed, failedOutside, failedFiles } = await runBatches(batches, CONCURRENCY);
await removeFolder(folder);
for (const file of failedFiles) console.log(`failed: ${file}`);
console.log(`${passed} tests passed, ${failed} failed; ${failedFiles.length} files fail`);
process.exitCode = failedFiles.length > 0 || failedOutside || stopped.signal.aborted ? 1 : 0;

type Batch = { number: number; files: string[] };

/** Runs batches and prints their reports. A batch whose process ended early has failed in each of its files. */
async function runBatches(
  some: Batch[],
  concurrency: number,
): Promise<{ passed: number; failed: number; failedOutside: boolean; failedFiles: string[] }> {
  const entries = new Map<string, string[]>();
  for (const { number, files } of some) {
    entries.set(await writeEntry(join(folder, `batch-${number}.mjs`), files), files);
  }
  const options = {
    files: [...entries.keys()],
    concurrency,
    timeout: TEST_TIMEOUT_MS,
    globalSetupPath: join(ROOT, "tests/harness/global-setup.ts"),
    cwd: ROOT,
    signal: stopped.signal,
  };
  const results = run(options);
  const failing = new Set<string>();
  const counts = { passed: 0, failed: 0 };
  let failsOutside = false;
  results.on("test:fail", ({ name, file = "", nesting }) => {
    const suspects = entries.get(file) ?? [name, relative(ROOT, file)];
    const failedTests = suspects.filter((one) => one.endsWith(".test.ts"));
    for (const one of failedTests) failing.add(one);
    // A failed set-up, for example. A test that another file declares fails its test file, too, so it is not counted here.
    failsOutside ||= nesting === 0 && failedTests.length === 0;
  });
  // The report is in the order of the batches; a failure is shown at once.
  results.on("test:complete", ({ name, file, details }) => {
    if (!details.passed) process.stderr.write(`failed: ${name} (${file})\n`);
  });
  results.on("test:summary", ({ file, counts: { passed: passedHere, tests, skipped } }) => {
    if (file === undefined)
      Object.assign(counts, { passed: passedHere, failed: tests - passedHere - skipped });
  });
  results.compose(new spec()).pipe(process.stdout, { end: false });
  await once(results, "end");
  return { ...counts, failedOutside: failsOutside, failedFiles: [...failing] };
}

/** Returns the files of each batch. Neighbours in a folder take about as long, so each batch gets a part of each folder. */
function dealOut(beginnings: string[]): string[][] {
  const found = globSync("*/**/*.test.ts", { cwd: ROOT, exclude: ["**/node_modules"] })
    .filter((file) => beginnings.length === 0 || beginnings.some((beginning) => file.startsWith(beginning)))
    .toSorted();
  const together = found.filter((file) => !ALONE.includes(file));
  const count = Math.ceil(together.length / filesOfBatch);
  const dealt = Array.from({ length: count }, (_, index) =>
    sortClockMoversLast(together.filter((_file, at) => at % count === index)),
  );
  const alone = ALONE.filter((file) => found.includes(file));
  for (const [index, file] of alone.entries()) dealt.splice(index * CONCURRENCY, 0, [file]);
  return dealt;
}

/** Sorts files. Ids of a process never go back, so those made after a test moved the clock are of the future. */
function sortClockMoversLast(files: string[]): string[] {
  const movesClock = (file: string) =>
    /mock\.method\(Date, "now", \(\) => now\(\) \+|apis: \["Date"/.test(
      readFileSync(join(ROOT, file), "utf8"),
    );
  return [...files.filter((file) => !movesClock(file)), ...files.filter(movesClock)];
}

async function writeEntry(path: string, files: string[]): Promise<string> {
  const runFiles = pathToFileURL(join(ROOT, "tests/harness/run-files.ts")).href;
  await writeFile(
    path,
    `import { runFiles } from ${JSON.stringify(runFiles)};\nawait runFiles(${JSON.stringify(files, null, 2)});\n`,
  );
  return path;
}

/**
 * Runs all tests, or those whose paths begin with one of the arguments (`npm test -- server/read cli`).
 *
 * A process for each file would spend most of its time loading and compiling the server. So the files are dealt out to
 * batches: a batch is a process that runs one file after the other. If a test fails only in company, its batch can be run
 * alone: `npm test -- --batch=7`; `npm test -- --alone` runs each file in a process of its own.
 */
import { globSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { createMemoryFolder, removeFolder } from "../tests/harness/memory-folder.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDERS =
  "{server,connectors,connector-kit,destination-kit,destinations,sandbox,cli,dashboard,scripts,tests}";
/** The longest files; each begins early, in a process of its own. */
const ALONE = [
  "tests/dashboard/dashboard.test.ts",
  "tests/journeys/ui-library.test.ts",
  "tests/journeys/demo.test.ts",
];
/** One more than processors, for the tests that wait. */
const CONCURRENCY = 3;
const TEST_TIMEOUT_MS = 240_000;

const { values: wanted, positionals: prefixes } = parseArgs({
  options: { alone: { type: "boolean" }, batch: { type: "string" } },
  allowPositionals: true,
});
const filesOfBatch = wanted.alone ? 1 : 12;
const batches = dealOut(prefixes)
  .map((files, index) => ({ number: index + 1, files }))
  .filter(({ number }) => wanted.batch === undefined || number === Number(wanted.batch));
if (batches.length === 0) {
  console.error(
    "No such test: give the beginning of a file's path, such as server/read, or the number of a batch.",
  );
  process.exit(1);
}

// For everybody: as root, PostgreSQL runs as another user.
const folder = await createMemoryFolder(0o1777);
process.env["TMPDIR"] = folder;
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopped.abort());
const options = {
  files: await Promise.all(
    batches.map(({ number, files }) => writeEntry(join(folder, `batch-${number}.mjs`), files)),
  ),
  concurrency: CONCURRENCY,
  timeout: TEST_TIMEOUT_MS,
  globalSetupPath: join(ROOT, "tests/harness/global-setup.ts"),
  cwd: ROOT,
  signal: stopped.signal,
};
const results = run(options);
results.on("test:fail", () => {
  process.exitCode = 1;
});
// The report is in the order of the batches; a failure is shown at once.
results.on("test:complete", ({ name, file, details }) => {
  if (!details.passed) process.stderr.write(`failed: ${name} (${file})\n`);
});
results.on("end", () => void removeFolder(folder));
results.compose(new spec()).pipe(process.stdout);

/** Returns the files of each batch. Neighbours in a folder take about as long, so each batch gets a part of each folder. */
function dealOut(beginnings: string[]): string[][] {
  const found = globSync(`${FOLDERS}/**/*.test.ts`, { cwd: ROOT })
    .filter((file) => beginnings.length === 0 || beginnings.some((beginning) => file.startsWith(beginning)))
    .toSorted();
  const together = found.filter((file) => !ALONE.includes(file));
  const count = Math.ceil(together.length / filesOfBatch);
  return [
    ...ALONE.filter((file) => found.includes(file)).map((file) => [file]),
    ...Array.from({ length: count }, (_, index) => together.filter((_file, at) => at % count === index)),
  ];
}

async function writeEntry(path: string, files: string[]): Promise<string> {
  const runFiles = pathToFileURL(join(ROOT, "tests/harness/run-files.ts")).href;
  await writeFile(
    path,
    `import { runFiles } from ${JSON.stringify(runFiles)};\nawait runFiles(${JSON.stringify(files, null, 2)});\n`,
  );
  return path;
}

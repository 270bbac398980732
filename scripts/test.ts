/**
 * Runs all tests, or those whose paths begin with one of the arguments (`npm test -- server/read cli`).
 *
 * A process for each file would spend most of its time loading and compiling the server. So the files are dealt out to
 * batches: a batch is a process that runs one file after the other. If a test fails only in company, its batch can be run
 * alone: `npm test -- --batch=7`; `npm test -- --alone` runs each file in a process of its own.
 */
import { globSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { memoryFolder } from "../tests/harness/memory-folder.ts";

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

const args = process.argv.slice(2);
const filesOfBatch = args.includes("--alone") ? 1 : 12;
const wantedBatch = args.find((arg) => arg.startsWith("--batch="))?.slice("--batch=".length);
const batches = dealOut(args.filter((arg) => !arg.startsWith("--")));

const folder = await mkdtemp(join(await memoryFolder(), "busbar-tests-"));
// As root, PostgreSQL runs as another user.
await chmod(folder, 0o1777);
process.env["TMPDIR"] = folder;
const entries = await Promise.all(
  batches.map(async (files, index) => ({
    number: index + 1,
    path: await writeEntry(join(folder, `batch-${index + 1}.mjs`), files),
  })),
);
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopped.abort());
const options = {
  files: entries
    .filter(({ number }) => wantedBatch === undefined || number === Number(wantedBatch))
    .map(({ path }) => path),
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
results.on("end", () => void rm(folder, { recursive: true, force: true }));
results.compose(new spec()).pipe(process.stdout);

/** Returns the files of each batch. Neighbours in a folder take about as long, so each batch gets a part of each folder. */
function dealOut(prefixes: string[]): string[][] {
  const found = globSync(`${FOLDERS}/**/*.test.ts`, { cwd: ROOT })
    .filter((file) => prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix)))
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

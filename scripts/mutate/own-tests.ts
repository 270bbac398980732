/** Runs the own tests of a connector with one of its files changed, in a process of their own, until the first that fails. */
import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import type { CodeMutant } from "./code-mutants.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "connectors");
const CHILD = join(import.meta.dirname, "own-tests-process.ts");

/** A change can make a scan endless. */
const LONGEST_MS = 180_000;

/** Begins what is said to have found a mutant, where no fact did. */
export const OWN_TEST = "own test: ";

/** Returns the test that fails; undefined if all pass. */
export function findFailingTest(
  provider: string,
  mutant: Pick<CodeMutant, "file" | "text">,
): Promise<string | undefined> {
  const { NODE_TEST_CONTEXT: _, NODE_V8_COVERAGE: __, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ["--test-reporter=tap", CHILD, mutant.file, ...listTestsFor(provider, mutant.file)],
    { stdio: ["pipe", "pipe", "ignore"], env, timeout: LONGEST_MS, killSignal: "SIGKILL" },
  );
  child.stdin.on("error", () => undefined).end(mutant.text);
  let failed: string | undefined;
  let tail = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-20_000);
    failed ??= /^ *not ok \d+ - (.*)$/m.exec(tail)?.[1];
    if (failed !== undefined) child.kill("SIGKILL");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve(failed ?? (code === 0 ? undefined : "a process that does not end as it should"));
    });
  });
}

/** Returns the test of a described connector that a changed description fails; undefined if it has none, or all pass. */
export async function findFailingOwnTest(
  provider: string,
  description: Description,
): Promise<string | undefined> {
  if (!existsSync(join(FOLDER, provider, "description.test.ts"))) return undefined;
  const file = join(FOLDER, provider, "description.ts");
  // The file has the provider's entry, too, without which no catalog can be imported.
  const others = `export * from ${JSON.stringify(`${pathToFileURL(file).href}?unchanged`)};`;
  const text = `${others}\nexport const description = ${JSON.stringify(description)};`;
  return findFailingTest(provider, { file, text });
}

/**
 * Lists the tests of the changed file, then those of its connector. Suites of all connectors, and tests with a whole server, are about
 * more than this one.
 */
function listTestsFor(provider: string, file: string): string[] {
  const first = [`${basename(file, ".ts")}.test.ts`, `${provider}.test.ts`];
  const turn = (path: string): number => {
    const place = first.indexOf(basename(path));
    return place < 0 ? first.length : place;
  };
  return globSync("*.test.ts", { cwd: join(FOLDER, provider) })
    .map((name) => join(FOLDER, provider, name))
    .filter((path) => !/testReading\(|\/tests\/harness\//.test(readFileSync(path, "utf8")))
    .toSorted((a, b) => turn(a) - turn(b) || a.localeCompare(b));
}

/** Test files that share a process are reported each with its own tests, and none hides an error. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "../..");

/** Runs files with these texts in one process. */
async function runTogether(scope: TestContext, texts: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "busbar-files-"));
  scope.after(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(texts))
    await writeFile(
      join(folder, name),
      `import { after, before, describe, test } from "node:test";
       const later = () => new Promise((resolve) => setTimeout(resolve, 20));
       ${text}`,
    );
  const runner = pathToFileURL(join(import.meta.dirname, "run-files.ts")).href;
  const files = Object.keys(texts).map((name) => relative(ROOT, join(folder, name)));
  const program = `import { runFiles } from "${runner}"; await runFiles(${JSON.stringify(files)});`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ["--test-reporter=tap", "--input-type=module", "--eval", program];
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  return { status, lines: stdout.split("\n") };
}

test("the tests and hooks of a file are below it, also those declared after it has waited", async (scope) => {
  const { status, lines } = await runTogether(scope, {
    "one.mjs": `before(later); after(() => console.log("one ends"));
      describe("group", () => test("inner", async (t) => { await later(); await t.test("part", later); }));`,
    "two.mjs": `await later(); test("outer", () => console.log("two runs"));`,
  });
  assert.equal(status, 0);
  const seen = lines
    .filter((line) => /^ *(ok|one|two)|^# (one|two)/.test(line))
    .map((line) => line.trimEnd());
  const names = seen.map((line) => line.replace(/ok \d+ - (\S*\/)?/, "").replace("# ", ""));
  assert.deepEqual(names, [
    "one ends",
    "            part",
    "        inner",
    "    group",
    "one.mjs",
    "two runs",
    "    outer",
    "two.mjs",
  ]);
});

for (const [what, code] of Object.entries({
  "an error that nobody catches": `setTimeout(() => { throw new Error("lost"); }, 1); await later();`,
  "a rejection that nobody handles": `void Promise.reject(new Error("lost")); await later();`,
}))
  test(`${what} fails the process, whichever test runs`, async (scope) => {
    const { status, lines } = await runTogether(scope, {
      "one.mjs": `test("good", later);`,
      "two.mjs": `test("bad", async () => { ${code} });`,
      "three.mjs": `test("good, too", later);`,
    });
    assert.equal(status, 1);
    assert.ok(lines.some((line) => line.includes("lost")));
  });

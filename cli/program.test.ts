import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { runBusbar } from "../tests/harness/child-busbar.ts";
import { runCli } from "../tests/harness/command-line.ts";
import { createProgram } from "./program.ts";
import { listResourcesWith } from "./resources/resources.ts";

const guide = readFileSync(join(import.meta.dirname, "../docs/guide/command-line.md"), "utf8");
const program = await createProgram(
  {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd: "/",
    catchInterrupt: () => new AbortController().signal,
  },
  [],
);
const shown = program
  .createHelp()
  .visibleCommands(program)
  .filter((command) => command.name() !== "help");

test("one help lists the server's commands beside those of builders, and each has a help of its own", async () => {
  const { code, stdout } = await runBusbar(["--help"], {}).exited;
  assert.equal(code, 0);
  for (const name of ["start", "sandbox", "keys", ...shown.map((command) => command.name())]) {
    assert.match(stdout, new RegExp(`^  ${name}\\b`, "m"), name);
  }
  const start = await runBusbar(["start", "--help"], {}).exited;
  assert.deepEqual([start.code, /--processes N/.test(start.stdout)], [0, true]);
  for (const command of shown) assert.equal((await runCli([command.name(), "--help"])).code, 0);
  assert.equal((await runCli([])).code, 0);
});

test("a command of the server that this command line lacks is refused with where to run it", async () => {
  const { stdout } = await runBusbar(["--help"], {}).exited;
  const names = /^Server:\n((?: {2}.*\n)+)/m.exec(stdout)?.[1]?.match(/^ {2}[a-z-]+/gm) ?? [];
  assert.ok(names.length > 5);
  for (const name of names.map((text) => text.trim())) {
    const { code, stderr } = await runCli([name, "--port", "4100"]);
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`runs the server .*\\n.*npm run busbar -- ${name}`), name);
  }
});

test("the guide names every command and every resource", () => {
  const names = [
    ...shown.map((command) => command.name()),
    ...listResourcesWith("list").map(({ plural }) => plural),
  ];
  assert.deepEqual(
    names.filter((name) => !new RegExp(`\\b${name}\\b`).test(guide)),
    [],
  );
});

/** What the guide's pages say to run, in blocks and in sentences, without what other programs of the line get. */
const guideLines = globSync("../docs/guide/*.md", { cwd: import.meta.dirname }).flatMap((file) => {
  const text = readFileSync(join(import.meta.dirname, file), "utf8").replaceAll("\\\n", " ");
  return [...text.matchAll(/(?<=^ *|`|\|\| |\()busbar ([a-z][^`\n|<]*)/gm)].map(([, line = ""]) =>
    line.replace(/ #.*/, ""),
  );
});

test("every command line of the guide has a command and options that exist", () => {
  const general = program.options.flatMap(({ short, long }) => [short, long]);
  const wrong = guideLines.filter((line) => {
    const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
    const command = program.commands.find((each) => each.name() === words[0]);
    // The others are the server's, tested where they are.
    if (!command || !shown.includes(command)) return false;
    const part = command.commands.find((each) => each.name() === words[1]) ?? command;
    const known = new Set([...general, ...part.options.flatMap(({ short, long }) => [short, long])]);
    return words.some((word) => /^--?[a-z]/.test(word) && !known.has(word.replace(/=.*/, "")));
  });
  assert.ok(guideLines.length > 100, String(guideLines.length));
  assert.deepEqual(wrong, []);
});

test("no command hides an option that all commands have", () => {
  const general = new Set(program.options.flatMap(({ short, long }) => [short, long]));
  for (const command of shown) {
    for (const { short, long } of command.options) {
      assert.ok(!general.has(long), `${command.name()} ${long}`);
      assert.ok(!short || !general.has(short), `${command.name()} ${short}`);
    }
  }
});

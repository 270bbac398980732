import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { runBusbar } from "../tests/harness/child-busbar.ts";
import { runCli } from "../tests/harness/command-line.ts";
import { createProgram } from "./program.ts";
import { ableTo } from "./resources/resources.ts";

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
  const names = [...shown.map((command) => command.name()), ...ableTo("list").map(({ plural }) => plural)];
  assert.deepEqual(
    names.filter((name) => !new RegExp(`\\b${name}\\b`).test(guide)),
    [],
  );
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

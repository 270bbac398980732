import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

describe("the command line as one file", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "busbar-bundle-"));
    const built = spawnSync(process.execPath, [
      join(import.meta.dirname, "build-cli.ts"),
      join(folder, "dist"),
    ]);
    assert.equal(built.status, 0, built.stderr.toString());
    await mkdir(join(folder, "empty"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs it with plain node, nothing beside it and nothing in the environment. */
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: join(folder, "empty"),
      env: { HOME: folder },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };

  test("runs from an empty folder, whatever it is called there, and checks manifests without a server", async () => {
    const program = join(folder, "empty", "busbar");
    await copyFile(join(folder, "dist", "busbar.cjs"), program);
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../cli/package.json"), "utf8"));
    assert.equal(run(program, "--version").stdout, `${version}\n`);
    assert.equal(run(program, "init", "--provider", "hubspot", "--object", "contacts").status, 0);
    assert.deepEqual(run(program, "validate"), { status: 0, stdout: "amp.yaml: no errors\n", stderr: "" });
    await writeFile(join(folder, "empty", "amp.yaml"), "specVersion: 1.0.0\nintegrations: []\n");
    assert.equal(run(program, "validate").status, 1);
    assert.equal(run(program, "list", "integrations").status, 2);
    assert.equal(run(program, "list", "integrations", "--url", "http://127.0.0.1:1", "-k", "x").status, 3);
  });

  test("asks only Node for modules, can be started by itself, and carries the licences of what is inside", async () => {
    const code = await readFile(join(folder, "dist", "busbar.cjs"), "utf8");
    assert.match(code, /^#!\/usr\/bin\/env node\n/);
    const { builtinModules } = await import("node:module");
    const asked = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = ""]) =>
      name.replace("node:", ""),
    );
    assert.deepEqual(
      asked.filter((name) => !builtinModules.includes(name)),
      [],
    );
    assert.equal((await stat(join(folder, "dist", "busbar.cjs"))).mode & 0o111, 0o111);
    const licences = await readFile(join(folder, "dist", "LICENSES.txt"), "utf8");
    for (const name of ["commander", "yaml", "typebox", "croner"])
      assert.match(licences, new RegExp(`^${name} \\d`, "m"));
  });
});

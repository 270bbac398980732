/** The completion scripts, run by the shells themselves as far as this machine has them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runCli } from "../../tests/harness/command-line.ts";

describe("completion", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "busbar-completion-"));
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout } = await runCli(["completion", shell]);
      assert.equal(code, 0);
      await writeFile(join(folder, shell), stdout);
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;
  const run = (shell: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(shell, args, { cwd: folder, encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""], `${shell} ${args.join(" ")}`);
    return stdout.split("\n").filter(Boolean);
  };
  /** What bash offers behind these words; the last one is the beginning of what is looked for. */
  const offered = (...words: string[]) => {
    const line = ["busbar", ...words];
    const set = `COMP_WORDS=(${line.map((word) => `'${word}'`).join(" ")}) COMP_CWORD=${line.length - 1}`;
    return run("bash", "-c", `source ./bash; ${set}; _busbar; printf '%s\\n' "\${COMPREPLY[@]}"`);
  };

  test("bash completes commands, resources, options and known values", () => {
    assert.deepEqual(offered("de"), ["deploy", "delete"]);
    assert.deepEqual(offered("create", "d"), ["destination", "destination-route"]);
    assert.deepEqual(offered("list", "pro"), ["projects", "provider-apps", "providers"]);
    assert.deepEqual(offered("write", "crm", "contacts", "--dr"), ["--dry-run"]);
    assert.deepEqual(offered("write", "crm", "contacts", "-t", "u"), ["update", "upsert"]);
    assert.deepEqual(offered("test", "destination", "x", "--event", "write."), ["write.async.done"]);
    assert.deepEqual(offered("completion", ""), ["bash", "zsh", "fish"]);
  });

  test("bash passes over options and their values, and leaves free texts to the names of files", () => {
    assert.deepEqual(offered("--url", "list", "create", "t"), ["topic"]);
    assert.deepEqual(offered("--json", "get", "inst"), ["installation"]);
    assert.deepEqual(offered("get", "installation", ""), []);
    assert.deepEqual(offered("list", "installations", "--group", ""), []);
    assert.deepEqual(offered("list", "installations", "--group", "list", "--inte"), ["--integration"]);
    assert.deepEqual(offered("deploy", ""), []);
  });

  test("every command and option of the help is offered", async () => {
    const commands = offered("");
    assert.ok(commands.length > 25, commands.join(" "));
    for (const command of commands.filter((name) => name !== "help")) {
      const { stdout } = await runCli([command, "--help"]);
      const options = [...stdout.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = ""]) => flag);
      const offers = offered(command, "--");
      const missing = options.filter((flag) => !offers.includes(flag));
      assert.deepEqual(missing, [], command);
    }
  });

  test("zsh reads its script", { skip: !has("zsh") && "zsh is not installed here" }, () => {
    const load = "autoload -U compinit && compinit -D && source ./zsh && whence -w _busbar";
    assert.deepEqual(run("zsh", "-f", "-c", load), ["_busbar: function"]);
  });

  test("fish completes by its script", { skip: !has("fish") && "fish is not installed here" }, () => {
    const words = (line: string) =>
      run("fish", "--no-config", "-c", `source ./fish; complete -C '${line}'`).map(
        (one) => one.split("\t")[0],
      );
    assert.deepEqual(words("busbar de"), ["delete", "deploy"]);
    assert.deepEqual(words("busbar --url list create t"), ["topic"]);
    assert.deepEqual(words("busbar write crm contacts --type u"), ["update"]);
    assert.ok(words("busbar list installations --").includes("--group"));
  });

  test("a shell that is not known is a wrong use", async () => {
    assert.equal((await runCli(["completion", "tcsh"])).code, 2);
  });
});

/** `npm run busbar` from a folder that is not the checkout's. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");

test("names of files are meant from the folder where npm was called", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-caller-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const busbar = (...args: string[]) => {
    const npm = ["run", "--silent", "--prefix", ROOT, "busbar", "--", ...args];
    const { status, stdout, stderr } = spawnSync("npm", npm, {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  assert.equal(busbar("init", "--provider", "hubspot", "--object", "contacts").status, 0);
  assert.deepEqual(busbar("validate", "amp.yaml"), {
    status: 0,
    stdout: "amp.yaml: no errors\n",
    stderr: "",
  });
  const missing = busbar("restore", "none.backup");
  assert.equal(missing.stderr, `busbar: there is no file ${join(folder, "none.backup")}\n`);
});

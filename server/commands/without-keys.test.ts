/** Commands of an operator that need no encryption keys, such as those of a job that only migrates. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { runBusbar } from "../../tests/harness/child-busbar.ts";
import { createTestDatabase } from "../../tests/harness/database.ts";

test("a database is migrated, given a project, invited to and backed up without the encryption keys; serving needs them", async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const folder = await mkdtemp(join(tmpdir(), "busbar-keyless-"));
  t.after(() => rm(folder, { recursive: true }));
  const run = (...args: string[]) =>
    runBusbar(args, { DATABASE_URL: database.connectionString, BUSBAR_DATA_DIR: folder }).exited;
  const succeeds = async (...args: string[]) => {
    const { code, stderr } = await run(...args);
    assert.equal(code, 0, `${args[0]}: ${stderr}`);
  };
  await succeeds("migrate");
  await succeeds("bootstrap", "--org", "Acme", "--project", "live");
  await Promise.all([
    succeeds("invite", "--project", "live", "--email", "ada@example.com"),
    succeeds("sign-in-key", "--project", "live"),
    succeeds("backup", join(folder, "all.gz")),
    run("start").then(({ code, stderr }) => {
      assert.equal(code, 1);
      assert.match(stderr, /BUSBAR_ENCRYPTION_KEYS must be set when DATABASE_URL is/);
    }),
  ]);
});

/** The first API key of an empty database, and what stays of it in the data folder. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { testDatabase } from "../../tests/harness/database.ts";
import { createFirstKey } from "./create-first-key.ts";

test("of two processes that start with an empty database, one has the first key, and the other keeps no key that does not work", async (t) => {
  const database = await testDatabase(t);
  const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), "busbar-first-key-"))));
  t.after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
  const start = (dataDir: string) =>
    createFirstKey({ dataDir, bootstrapApiKey: undefined, bootstrapEmail: undefined }, database);
  const found = await Promise.all(folders.map(start));
  const files = await Promise.all(folders.map((folder) => readdir(folder)));
  const [first, second] = found[0] ? [0, 1] : [1, 0];
  assert.match(found[first]?.apiKey ?? "", /^bb_/);
  assert.deepEqual(files[first], ["bootstrap-key"], "until bootstrap.json has it");
  assert.equal(found[second], undefined);
  assert.deepEqual(files[second], []);
  const again = await start(folders[first] ?? "");
  assert.equal(again?.apiKey, found[first]?.apiKey, "a start after a crash finds it");
});

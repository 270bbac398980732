/** Guards that an upload is kept whole while it arrives and leaves nothing behind. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { receiveFile } from "./receive-file.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "uploads-"));
});
after(() => rm(folder, { recursive: true }));

test("an upload is read back as it arrived, with its size and MD5, and leaves no file", async () => {
  const chunks = [randomBytes(100_000), randomBytes(1), randomBytes(300_000)];
  const content = Buffer.concat(chunks);
  async function* arriving() {
    yield* chunks;
  }
  const md5 = createHash("md5").update(content).digest("base64");
  const file = await receiveFile(arriving(), folder, async (received) => ({
    ...received,
    content: await received.read(),
  }));
  assert.deepEqual([file.sizeBytes, file.md5], [content.length, md5]);
  assert.ok(file.content.equals(content));
  assert.deepEqual(await readdir(folder), []);
});

test("an upload that breaks off leaves no file, neither meanwhile nor afterwards", async () => {
  let meanwhile: string[] = ["not read"];
  async function* breaking() {
    yield randomBytes(1_000);
    meanwhile = await readdir(folder);
    throw new Error("gone");
  }
  await assert.rejects(
    receiveFile(breaking(), folder, async () => {}),
    /gone/,
  );
  assert.deepEqual([meanwhile, await readdir(folder)], [[], []]);
});

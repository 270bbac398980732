/** Encryption keys from a command. */
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readEncryptionKeys } from "./encryption-keys.ts";

test("keys come from a command; one that fails stops the start with a sentence, without what it printed", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-keys-"));
  t.after(() => rm(dataDir, { recursive: true }));
  const program = join(dataDir, "keys.sh");
  const from = async (script: string, args = "") => {
    await writeFile(program, `#!/bin/sh\n${script}\n`);
    await chmod(program, 0o700);
    return readEncryptionKeys({
      dataDir,
      encryptionKeys: undefined,
      encryptionKeysCommand: `${program} ${args}`.trim(),
    });
  };
  const secret = Buffer.alloc(32, 3).toString("base64");
  const keys = await from('echo "$1:$2,old:$2"', `k2 ${secret}`);
  assert.deepEqual(
    keys.map(({ id }) => id),
    ["k2", "old"],
  );
  const refusals: [string, RegExp][] = [
    ["echo hunter2; exit 3", /^BUSBAR_ENCRYPTION_KEYS_COMMAND: .* ended with status 3; run it by hand/],
    ["echo hunter2", /^BUSBAR_ENCRYPTION_KEYS_COMMAND must be id:base64/],
  ];
  for (const [script, message] of refusals) {
    await assert.rejects(
      from(script),
      (error: Error) => message.test(error.message) && !/hunter2/.test(error.message),
    );
  }
  await assert.rejects(
    readEncryptionKeys({ dataDir, encryptionKeys: undefined, encryptionKeysCommand: "/nowhere/keys" }),
    {
      name: "StartError",
      message: /\/nowhere\/keys does not exist/,
    },
  );
});

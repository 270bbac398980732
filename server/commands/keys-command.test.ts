/** Rotation of encryption keys while a Busbar serves requests. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { readConfig } from "../../ground/config.ts";
import { createLog } from "../../ground/log.ts";
import { checkKeys } from "./doctor/doctor-command.ts";
import { runKeysCommand } from "./keys-command.ts";
import { startBusbar } from "../main.ts";

const OLD = `old:${Buffer.alloc(32, 1).toString("base64")}`;
const NEW = `new:${Buffer.alloc(32, 2).toString("base64")}`;

describe("rotating encryption keys", () => {
  let busbar: TestBusbar;
  let dataDir: string;
  after(async () => {
    await busbar.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "busbar-keys-"));
    // The serving process knows both keys and still seals with the old one.
    busbar = await openTestBusbar({ env: { BUSBAR_ENCRYPTION_KEYS: `${OLD},${NEW}` } });
    for (let index = 0; index < 30; index += 1) {
      const made = await busbar.inProject("POST", "/connections:generate", {
        provider: "openAI",
        groupRef: `group-${index}`,
        consumerRef: "ada",
        apiKey: `key-${index}`,
      });
      assert.equal(made.status, 201, made.text);
    }
    await busbar.inProject("POST", "/provider-apps", {
      provider: "hubspot",
      clientId: "c",
      clientSecret: "s",
      scopes: ["oauth"],
    });
  });
  const config = (keys: string) =>
    readConfig({
      DATABASE_URL: busbar.connectionString,
      BUSBAR_DATA_DIR: dataDir,
      BUSBAR_PORT: "0",
      BUSBAR_PROXY_PORT: "0",
      BUSBAR_ENCRYPTION_KEYS: keys,
    });
  const keys = async (action: string, given: string) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const done = await runKeysCommand(action, { config: config(given), log: createLog("silent"), print });
    return { done, text: lines.join("\n") };
  };

  test("a start without a key that is in use is refused and names the key", async () => {
    await assert.rejects(
      startBusbar({ config: config(NEW), log: createLog("silent") }),
      /BUSBAR_ENCRYPTION_KEYS lacks a key in use: "old" \(31 values\)/,
    );
    const status = await keys("status", NEW);
    assert.equal(status.done, false);
    assert.match(status.text, /old {2}31 values {2}MISSING/);
  });

  test("another key under the name of one that is in use is refused at the start, and found by keys status and the doctor", async () => {
    const wrong = `old:${Buffer.alloc(32, 9).toString("base64")}`;
    await assert.rejects(
      startBusbar({ config: config(wrong), log: createLog("silent") }),
      /has another key under the name "old" than the one that encrypted the stored values/,
    );
    const status = await keys("status", wrong);
    assert.equal(status.done, false);
    assert.match(status.text, /^old {2}31 values {2}CANNOT BE DECRYPTED/m);
    const found = await checkKeys(
      { config: config(wrong), log: createLog("silent") },
      busbar.connectionString,
      true,
    );
    assert.equal(found[0]?.ok, false);
    assert.match(found[0]?.detail ?? "", /31 values are encrypted under the name "old"/);
    assert.equal((await keys("status", OLD)).done, true);
  });

  test("during a rotation no request fails; afterwards no value needs the old key, and it can be removed", async () => {
    const listed = (await busbar.inProject("GET", "/connections")).body as { id: string }[];
    const state = { asking: true };
    const asked = (async () => {
      let answers = 0;
      while (state.asking) {
        const { id } = listed[answers % listed.length] ?? { id: "" };
        const shown = await busbar.inProject("GET", `/connections/${id}?includeCreds=true`);
        assert.match(shown.body.apiKey, /^key-/, shown.text);
        answers += 1;
      }
      return answers;
    })();
    const rotated = await keys("rotate", `${NEW},${OLD}`);
    state.asking = false;
    assert.ok((await asked) > 0);
    assert.equal(rotated.done, true, rotated.text);
    assert.match(rotated.text, /re-encrypted: 31\nnew {2}31 values/);
    assert.equal((await keys("rotate", `${NEW},${OLD}`)).text.startsWith("re-encrypted: 0"), true);
    const started = await startBusbar({ config: config(NEW), log: createLog("silent") });
    await started.stop();
  });

  test("an unknown action is refused", async () => {
    await assert.rejects(keys("drop", OLD), /status or rotate/);
  });
});

/** What a person sees who starts the server at a terminal. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "../../ground/log.ts";
import { printStart } from "./print-start.ts";
import { createTerminalLog } from "./create-terminal-log.ts";

function screen() {
  let text = "";
  return { write: (more: string) => (text += more), text: () => text };
}

test("a log line is one readable line, without objects, secrets or control characters", () => {
  const { write, text } = screen();
  const log = createLog("info", createTerminalLog({ write }));
  log.warn(
    { status: 503, route: "/v1/projects/{}", why: "gone\u001b[2J away", apiKey: "bb_secret", urls: {} },
    "x",
  );
  log.debug("not shown");
  assert.match(
    text(),
    /^\d\d:\d\d:\d\d {2}warn {3}x {2}status=503 {2}route=\/v1\/projects\/\{\} {2}why="gone\\u001b\[2J away" {2}apiKey="?\[redacted\]"?\n$/,
  );
});

test("after the start it says where the API and the key are, and how to stop", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-print-"));
  t.after(() => rm(dataDir, { recursive: true }));
  const urls = {
    base: "http://127.0.0.1:4000/v1",
    write: "",
    read: "",
    search: "",
    proxy: "http://127.0.0.1:4001",
  };
  await writeFile(join(dataDir, "bootstrap.json"), JSON.stringify({ apiKey: "bb_secret", urls }));
  const { write, text } = screen();
  await printStart({ write }, { dataDir, dashboard: true });
  for (const shown of [
    urls.base,
    urls.proxy,
    `${dataDir}/bootstrap.json`,
    "http://127.0.0.1:4000/docs",
    "Ctrl-C",
  ])
    assert.ok(text().includes(shown), `${shown} in ${text()}`);
  assert.ok(!text().includes("bb_secret"));
});

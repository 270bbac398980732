/**
 * The demo as people run it: a kill in the middle loses nothing acknowledged, and the next run on the same data ends well. That a first run
 * does is tried by `.ci/run`.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openVisit } from "../dashboard/open-dashboard.ts";
import { BUSBAR } from "../harness/child-busbar.ts";
import { launchBrowser, NO_CHROMIUM } from "../harness/chromium.ts";

const ROOT = join(import.meta.dirname, "../..");

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "busbar-demo-"));
});
after(() => rm(dataDir, { recursive: true, force: true }));

test("what was acknowledged before kill -9 of the process group is there after a start", async () => {
  const demo = start(["demo/run.ts"]);
  await until(() => acknowledged(demo.output()).length >= 7, demo);
  process.kill(-(demo.child.pid ?? 0), "SIGKILL");
  await demo.ended;
  const operationIds = acknowledged(demo.output());

  // The seventh is asynchronous and still to be carried out; without the overlay it would go to the real HubSpot.
  const server = start([BUSBAR, "start"], {
    BUSBAR_CATALOG: join(dataDir, "sandbox-catalog.json"),
  });
  await until(() => server.output().includes("Busbar is ready"), server);
  const { apiKey, urls } = JSON.parse(await readFile(join(dataDir, "bootstrap.json"), "utf8"));
  // oxlint-disable-next-line typescript/no-explicit-any
  const get = async (path: string): Promise<any> => {
    const answer = await fetch(`${urls.base}/projects/default${path}`, { headers: { "x-api-key": apiKey } });
    assert.equal(answer.status, 200, `${path}: ${await answer.clone().text()}`);
    return answer.json();
  };
  for (const [index, id] of operationIds.entries()) {
    const { status } = await get(`/operations/${id}`);
    if (index < 6) assert.equal(status, "success");
  }
  const groupRef = /the group (northwind-\w+)\./.exec(demo.output())?.[1];
  const connections = await get(`/connections?groupRef=${groupRef}`);
  assert.equal(connections.length, 2);
  assert.ok((await get("/integrations")).length >= 7);
  server.child.kill("SIGTERM");
  assert.equal(await server.ended, 0);
});

test("on the data of an earlier run, the demo shows records that are in the CRMs, and prints an address and a key that open a filled overview in two actions", async (scope) => {
  const demo = start(["demo/run.ts"]);
  await until(() => demo.output().includes("until you press Ctrl-C"), demo);
  assertToured(demo.output());
  const [, address = ""] = /Dashboard +(http\S+)/.exec(demo.output()) ?? [];
  const [, apiKey = ""] = /API key +(bb_\S+)/.exec(demo.output()) ?? [];
  if (NO_CHROMIUM) scope.diagnostic(`the address was not opened: ${NO_CHROMIUM}`);
  else await seeOverview(address, apiKey);
  demo.child.kill("SIGTERM");
  assert.equal(await demo.ended, 0, demo.output());
});

function assertToured(output: string): void {
  assert.match(output, /✓ HubSpot contact \d+ is in the CRM/);
  assert.match(output, /✓ Salesforce contact 003\w{15} is in the CRM/);
  assert.match(output, /✓ it has the record as it is now, under your field names, and what changed/);
  assert.match(output, /✓ \d+ passed, 0 failed/);
}

async function seeOverview(address: string, apiKey: string): Promise<void> {
  const browser = await launchBrowser();
  try {
    const { page, assertUntroubled } = await openVisit({ browser, origin: new URL(address).origin });
    await page.goto(address);
    await page.getByLabel("API key", { exact: true }).fill(apiKey);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    for (const name of ["Operations", "Deliveries", "Proxy calls"])
      await page
        .getByRole("figure")
        .filter({ has: page.getByRole("img", { name: `${name}: bars over time` }) })
        .getByText(/^[1-9]\d* in all/)
        .waitFor();
    assertUntroubled();
  } finally {
    await browser.close();
  }
}

test("the demo refuses a data folder that holds somebody's own Busbar", async () => {
  // Without its mark, the folder is that of any Busbar.
  await rm(join(dataDir, "made-by-demo"));
  const demo = start(["demo/run.ts", "--exit"]);
  assert.equal(await demo.ended, 1);
  assert.match(demo.output(), /contains a Busbar that the demo did not create/);
});

interface Running {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
}

/** A process group of its own on free ports; its output is collected. */
function start(args: string[], more: Record<string, string> = {}): Running {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const env = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    BUSBAR_DATA_DIR: dataDir,
    BUSBAR_PORT: "0",
    BUSBAR_PROXY_PORT: "0",
    ...more,
  };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, detached: true });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, output: () => output, ended };
}

/** Operations whose answer the demo has printed. */
const acknowledged = (output: string): string[] =>
  [...output.matchAll(/"operationId":"([0-9a-f-]{36})"/g)].map(([, id = ""]) => id);

async function until(holds: () => boolean, running: Running): Promise<void> {
  let gone = false;
  void running.ended.then(() => (gone = true));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    if (holds()) resolve();
    else if (gone) reject(new Error(`it ended early:\n${running.output()}`));
  }, 5);
  await promise.finally(() => clearInterval(timer));
}

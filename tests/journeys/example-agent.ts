/** The example application examples/agent against a whole Busbar: what a person approves is written, what is rejected is not. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { startTestBusbar } from "../harness/busbar.ts";
import { openConsentBrowser } from "../harness/consent.ts";

const FOLDER = join(import.meta.dirname, "../../examples/agent");

/** Every block of code of the page is the application's, so that what readers copy has run. */
export async function checkAgentPage(): Promise<void> {
  const page = await readFile(join(FOLDER, "../../docs/guide/agent-example.md"), "utf8");
  const names = ["agent.mjs", "set-up.mjs", "scripted-model.mjs", "amp.yaml"];
  const files = await Promise.all(names.map((name) => readFile(join(FOLDER, name), "utf8")));
  const blocks = [...page.matchAll(/```(?:js|yaml)\n(.*?)\n```/gs)];
  assert.ok(blocks.length > 0);
  for (const [, block = ""] of blocks)
    assert.ok(
      files.some((file) => file.includes(block)),
      `not in the application:\n${block}`,
    );
}

/** Needs the TypeScript client, built. */
export async function runAgentExample(t: TestContext): Promise<void> {
  if (!existsSync(join(FOLDER, "node_modules/ai")))
    await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: FOLDER });
  const busbar = await startTestBusbar(t);
  busbar.sandbox.hubspot.setLimits("off");
  const env = {
    PATH: process.env["PATH"],
    BUSBAR_URL: new URL(busbar.server.urls.base).origin,
    BUSBAR_API_KEY: busbar.apiKey,
    HUBSPOT_CLIENT_ID: "client",
    HUBSPOT_CLIENT_SECRET: "secret",
  };
  const run = async (answer: string, connects = false) => {
    const app = spawn(process.execPath, ["agent.mjs"], {
      cwd: FOLDER,
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    t.after(() => app.kill("SIGKILL"));
    if (connects) {
      const [line] = await once(app.stdout, "data");
      await openConsentBrowser().consent(/Connect HubSpot: (\S+)/.exec(String(line))?.[1] ?? "");
    }
    app.stdin.end(`${answer}\n`);
    return text(app.stdout);
  };
  const titles = () =>
    [...busbar.sandbox.hubspot.account.dump("contacts", false)].map(
      ({ values }) => (values as Record<string, string>)["jobtitle"],
    );

  const rejected = await run("n", true);
  assert.match(rejected, /before .*"Chief Engineer"/);
  assert.match(rejected, /Agent: The change of the title was rejected\./);
  assert.ok(!titles().includes("CTO"));
  // Another quickstart, on the same Busbar and for the same customer, has an object of the same name.
  const sourceYaml = await readFile(join(FOLDER, "../express/amp.yaml"), "utf8");
  await busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
  const config = { content: { provider: "hubspot", read: { objects: { contacts: {} } } } };
  const other = await busbar.inProject("POST", "/integrations/people/installations", {
    groupRef: "acme",
    config,
  });
  assert.equal(other.status, 201, other.text);
  const approved = await run("y");
  assert.match(approved, /Agent: The change of the title was executed\./);
  assert.ok(titles().includes("CTO"));
  const { body: keys } = await busbar.inProject("GET", "/api-keys");
  assert.deepEqual(
    keys.map(({ label }: { label: string }) => label),
    ["bootstrap"],
  );
}

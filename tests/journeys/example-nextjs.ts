/** The example application examples/nextjs against a whole Busbar, in a browser: connect, map, live copy, write back. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { startTestBusbar } from "../harness/busbar.ts";
import { launchBrowser, PAGE_TIMEOUT_MS } from "../harness/chromium.ts";
import { createEmptyDatabase } from "../harness/database.ts";
import { freePort } from "../harness/free-port.ts";
import { until } from "../harness/until.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "examples/nextjs");
const run = promisify(execFile);

/** Every block of code of the quickstart is the application's, so that what readers copy has run. */
export async function checkNextQuickstart(): Promise<void> {
  const page = await readFile(join(ROOT, "docs/guide/quickstart-nextjs.md"), "utf8");
  const names = [
    "app/[customer]/integrations.jsx",
    "app/[customer]/page.jsx",
    "app/[customer]/token/route.js",
  ];
  const files = [...names, "app/busbar/route.js", "lib/set-up.js", "amp.yaml"];
  const texts = await Promise.all(files.map((file) => readFile(join(FOLDER, file), "utf8")));
  const blocks = [...page.matchAll(/```(?:jsx?|yaml)\n(.*?)\n```/gs)];
  assert.ok(blocks.length > 0);
  for (const [, block = ""] of blocks)
    assert.ok(
      texts.some((text) => text.includes(block)),
      `not in the application:\n${block}`,
    );
}

/** Needs the TypeScript client and the React components, built. */
export async function runNextExample(t: TestContext): Promise<void> {
  await install();
  const next = join(FOLDER, "node_modules/next/dist/bin/next");
  // The build asks nobody; where it runs later is not known yet.
  const building = {
    PATH: process.env["PATH"],
    NEXT_TELEMETRY_DISABLED: "1",
    BUSBAR_URL: "http://busbar.invalid",
    BUSBAR_API_KEY: "unknown",
  };
  // Before Busbar runs: what waits while the processors build would be too late for its timeouts.
  await run(process.execPath, [next, "build"], { cwd: FOLDER, env: building });
  // Ten minutes are 200 ms.
  const busbar = await startTestBusbar(t, { env: { BUSBAR_MINUTE_MS: "20" } });
  const { account } = busbar.sandbox.hubspot;
  busbar.sandbox.hubspot.setLimits("off");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...building,
    BUSBAR_URL: new URL(busbar.server.urls.base).origin,
    BUSBAR_API_KEY: busbar.apiKey,
    DATABASE_URL: await createEmptyDatabase(t),
    HUBSPOT_CLIENT_ID: "client",
    HUBSPOT_CLIENT_SECRET: "secret",
    APP_URL: url,
  };
  const app = spawn(process.execPath, [next, "start", "--port", String(port)], {
    cwd: FOLDER,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  t.after(() => app.kill("SIGKILL"));
  await until(() =>
    fetch(`${url}/acme`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await page.goto(`${url}/acme`);
  const opened = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Connect HubSpot" }).click();
  const popup = await opened;
  await popup.locator("#continue").click();
  await popup.locator("#allow").click();
  // The manifest preselects the field; the customer only agrees.
  await page.getByRole("button", { name: "Install", exact: true }).click();
  await page.getByText("Working").waitFor();

  const html = async () => (await fetch(`${url}/acme`)).text();
  const contacts = () =>
    [...account.dump("contacts", false)].map(({ id, values }) => ({
      id: String(id),
      email: (values as Record<string, string>)["email"] ?? "",
    }));
  await until(async () => {
    const text = await html();
    return contacts().every(({ email }) => text.includes(email));
  });

  const [first, second] = contacts();
  await page.reload();
  const row = page.getByRole("row").filter({ hasText: first?.email ?? "" });
  await row.getByRole("textbox").fill("Countess");
  await row.getByRole("button", { name: "Save" }).click();
  account.archive("contacts", second?.id ?? "");
  await until(async () => {
    const text = await html();
    return text.includes('value="Countess"') && !text.includes(second?.email ?? "");
  });
  const written = [...account.dump("contacts", false)].find(({ id }) => String(id) === first?.id);
  assert.equal((written?.values as Record<string, unknown> | undefined)?.["jobtitle"], "Countess");

  const forged = await fetch(`${url}/busbar`, { method: "POST", body: '{"action":"read","result":[]}' });
  assert.equal(forged.status, 401);
}

/** Installs the application's packages once, and the packages of this tree as they are now. */
async function install(): Promise<void> {
  if (!existsSync(join(FOLDER, "node_modules/next")))
    await run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: FOLDER });
  for (const [name, folder] of Object.entries({ client: "typescript", react: "react" })) {
    const target = join(FOLDER, "node_modules/@busbar", name, "dist");
    await cp(join(ROOT, "clients", folder, "dist"), target, { recursive: true });
  }
}

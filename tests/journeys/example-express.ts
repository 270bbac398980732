/** The example application examples/express against a whole Busbar: connect, live copy, write back. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { startTestBusbar } from "../harness/busbar.ts";
import { openConsentBrowser } from "../harness/consent.ts";
import { createEmptyDatabase } from "../harness/database.ts";
import { until } from "../harness/until.ts";

const FOLDER = join(import.meta.dirname, "../../examples/express");

/** Every block of code of the quickstart is the application's, so that what readers copy has run. */
export async function checkQuickstart(): Promise<void> {
  const page = await readFile(join(FOLDER, "../../docs/guide/quickstart-express.md"), "utf8");
  const files = { js: "app.mjs", yaml: "amp.yaml" };
  for (const [language, file] of Object.entries(files)) {
    const text = await readFile(join(FOLDER, file), "utf8");
    const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, "gs"))];
    assert.ok(blocks.length > 0);
    for (const [, block = ""] of blocks) assert.ok(text.includes(block), `not in ${file}:\n${block}`);
  }
}

/** Needs the TypeScript client, built. */
export async function runExpressExample(t: TestContext): Promise<void> {
  if (!existsSync(join(FOLDER, "node_modules/express")))
    await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund"], { cwd: FOLDER });
  // Ten minutes are 200 ms.
  const busbar = await startTestBusbar(t, { env: { BUSBAR_MINUTE_MS: "20" } });
  const { account } = busbar.sandbox.hubspot;
  busbar.sandbox.hubspot.setLimits("off");
  const DATABASE_URL = await createEmptyDatabase(t);
  const env = {
    PATH: process.env["PATH"],
    BUSBAR_URL: new URL(busbar.server.urls.base).origin,
    BUSBAR_API_KEY: busbar.apiKey,
    DATABASE_URL,
    HUBSPOT_CLIENT_ID: "client",
    HUBSPOT_CLIENT_SECRET: "secret",
    PORT: "0",
  };
  const app = spawn(process.execPath, ["app.mjs"], {
    cwd: FOLDER,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => app.kill("SIGKILL"));
  const [line] = await once(app.stdout, "data");
  const url = /http:\S+(?=\/acme)/.exec(String(line))?.[0] ?? "";
  const post = (path: string, body = new URLSearchParams()) =>
    fetch(`${url}${path}`, { method: "POST", body, redirect: "manual" });

  const consent = await post("/acme/connect");
  assert.equal(consent.status, 303);
  await openConsentBrowser().consent(consent.headers.get("location") ?? "");
  assert.match(await (await fetch(`${url}/acme`)).text(), /Read contacts/);
  const installed = await post("/acme/install");
  assert.equal(installed.status, 303, await installed.text());

  const page = async () => (await fetch(`${url}/acme`)).text();
  const emails = () =>
    [...account.dump("contacts", false)].map(
      ({ values }) => (values as Record<string, string>)["email"] ?? "",
    );
  await until(async () => {
    const text = await page();
    return emails().every((email) => text.includes(email));
  });

  const [first, second] = [...account.dump("contacts", false)].map(({ id }) => String(id));
  const written = await post(
    `/acme/people/${first}`,
    new URLSearchParams({ title: "Countess <of> Lovelace" }),
  );
  assert.equal(written.status, 303);
  account.archive("contacts", String(second));
  await until(async () => (await page()).includes('value="Countess &#60;of&#62; Lovelace"'));
  const database = new Client({ connectionString: DATABASE_URL });
  await database.connect();
  try {
    await until(async () => {
      const { rows } = await database.query("SELECT id FROM people WHERE deleted");
      return rows.some(({ id }) => id === second);
    });
  } finally {
    await database.end();
  }

  // A reader starts it twice.
  const { port } = new URL(url);
  const again = promisify(execFile)(process.execPath, ["app.mjs"], {
    cwd: FOLDER,
    env: { ...env, PORT: port },
  });
  await assert.rejects(again, /EADDRINUSE/);

  const forged = await fetch(`${url}/busbar`, { method: "POST", body: '{"action":"read","result":[]}' });
  assert.equal(forged.status, 401);
}

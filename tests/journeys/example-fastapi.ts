/** The example application examples/fastapi against a whole Busbar: connect, live copy, write back. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startTestBusbar } from "../harness/busbar.ts";
import { openConsentBrowser } from "../harness/consent.ts";
import { createEmptyDatabase } from "../harness/database.ts";
import { until } from "../harness/until.ts";

const APP = join(import.meta.dirname, "../../examples/fastapi/app.py");
const PAGE = join(import.meta.dirname, "../../docs/guide/quickstart-fastapi.md");

/** `python`: one in whose environment the client, FastAPI, uvicorn and psycopg are installed. */
export async function runFastapiExample(t: TestContext, python: string): Promise<void> {
  // Ten minutes are 200 ms.
  const busbar = await startTestBusbar(t, { env: { BUSBAR_MINUTE_MS: "20" } });
  const { account } = busbar.sandbox.hubspot;
  busbar.sandbox.hubspot.setLimits("off");
  const env = {
    PATH: process.env["PATH"],
    BUSBAR_URL: new URL(busbar.server.urls.base).origin,
    BUSBAR_API_KEY: busbar.apiKey,
    DATABASE_URL: await createEmptyDatabase(t),
    HUBSPOT_CLIENT_ID: "client",
    HUBSPOT_CLIENT_SECRET: "secret",
    PORT: "0",
  };
  const app = spawn(python, [APP], { env, stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => app.kill("SIGKILL"));
  const [line] = await once(app.stdout, "data");
  const url = /http:\S+(?=\/acme)/.exec(String(line))?.[0] ?? "";
  const call = async (method: string, path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/acme/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) };
  };

  await openConsentBrowser().consent((await call("POST", "connect")).body.open);
  assert.equal((await call("POST", "install")).status, 201);
  const inAccount = () => [...account.dump("contacts", false)].map(({ id }) => String(id)).toSorted();
  const inCopy = async () =>
    (await call("GET", "people")).body.map(({ id }: { id: string }) => id).toSorted();
  await until(async () => (await inCopy()).join() === inAccount().join());

  const [first = "", second = ""] = inAccount();
  assert.equal((await call("PUT", `people/${first}/title`, { title: "Countess" })).status, 200);
  assert.equal((await call("PUT", "people/404404/title", { title: "Countess" })).status, 422);
  account.archive("contacts", second);
  await until(async () => {
    const people: { id: string; title: string }[] = (await call("GET", "people")).body;
    return people.some(({ id, title }) => id === first && title === "Countess");
  });
  await until(async () => (await inCopy()).join() === inAccount().join());
  assert.ok(!(await inCopy()).includes(second));

  const forged = await fetch(`${url}/busbar`, { method: "POST", body: '{"action":"read","result":[]}' });
  assert.equal(forged.status, 401);
}

/** Every block of Python of the quickstart is the application's, so that what readers copy has run. */
export async function checkFastapiQuickstart(): Promise<void> {
  const [page, text] = await Promise.all([readFile(PAGE, "utf8"), readFile(APP, "utf8")]);
  const blocks = [...page.matchAll(/```python\n(.*?)\n```/gs)];
  assert.ok(blocks.length > 0);
  for (const [, block = ""] of blocks) assert.ok(text.includes(block), `not in app.py:\n${block}`);
}

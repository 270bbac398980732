/** The example application examples/two-way-sync against a whole Busbar: both ways, conflicts, deletions, no loops. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { startTestBusbar } from "../harness/busbar.ts";
import { openConsentBrowser } from "../harness/consent.ts";
import { freePort } from "../harness/free-port.ts";
import { until } from "../harness/until.ts";

const FOLDER = join(import.meta.dirname, "../../examples/two-way-sync");

/** Every block of code of the page is the application's, so that what readers copy has run. */
export async function checkTwoWaySyncPage(): Promise<void> {
  const page = await readFile(join(FOLDER, "../../docs/guide/two-way-sync.md"), "utf8");
  const files = await Promise.all(
    ["sync.mjs", "people.mjs", "amp.yaml"].map((name) => readFile(join(FOLDER, name), "utf8")),
  );
  const blocks = [...page.matchAll(/```(?:js|yaml)\n(.*?)\n```/gs)];
  assert.ok(blocks.length > 0);
  for (const [, block = ""] of blocks)
    assert.ok(
      files.some((file) => file.includes(block)),
      `not in the application:\n${block}`,
    );
}

/** Needs the TypeScript client, built. */
export async function runTwoWaySyncExample(t: TestContext): Promise<void> {
  if (!existsSync(join(FOLDER, "node_modules/@busbar/client")))
    await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund"], { cwd: FOLDER });
  // Ten minutes are 200 ms.
  const busbar = await startTestBusbar(t, { env: { BUSBAR_MINUTE_MS: "20" } });
  const { account } = busbar.sandbox.hubspot;
  busbar.sandbox.hubspot.setLimits("off");
  const scratch = await mkdtemp(join(tmpdir(), "busbar-two-way-"));
  t.after(() => rm(scratch, { recursive: true, force: true }));
  const file = join(scratch, "people.db");
  const env = {
    PATH: process.env["PATH"],
    BUSBAR_URL: new URL(busbar.server.urls.base).origin,
    BUSBAR_API_KEY: busbar.apiKey,
    DATABASE: file,
    HUBSPOT_CLIENT_ID: "client",
    HUBSPOT_CLIENT_SECRET: "secret",
    PORT: "",
  };
  const start = async () => {
    // Another port at each start: messages follow the application.
    env.PORT = String(await freePort());
    const app = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "sync.mjs"], {
      cwd: FOLDER,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => app.kill("SIGKILL"));
    const lines: string[] = [];
    createInterface(app.stdout).on("line", (line) => lines.push(line));
    const said = (text: string) => until(() => lines.find((line) => line.includes(text)));
    return { app, said, lines };
  };
  const inCrm = () =>
    new Map(
      [...account.dump("contacts", false)].map(({ id, values }) => {
        const { email = null, firstname = null, jobtitle = null } = values as Record<string, string | null>;
        return [String(id), [email, firstname, jobtitle].map((value) => value || null).join()];
      }),
    );

  let { app, said, lines } = await start();
  const address = (await said("Connect HubSpot: ")).split(": ")[1] ?? "";
  await openConsentBrowser().consent(address);
  await said("In step");
  const table = new DatabaseSync(file, { timeout: 60_000 });
  t.after(() => table.close());
  const inTable = () =>
    new Map(
      table
        .prepare("SELECT * FROM people WHERE NOT deleted")
        .all()
        .map(({ crm_id, email, given_name, title }) => [
          String(crm_id),
          [email, given_name, title].map((value) => value || null).join(),
        ]),
    );
  const areEqual = () =>
    until(
      () => inCrm().size > 0 && [...inCrm()].toSorted().join(";") === [...inTable()].toSorted().join(";"),
    );
  await areEqual();

  const [first = "", second = "", third = "", fourth = ""] = [...inCrm().keys()];
  const setTitle = (id: string, title: string) =>
    table.prepare("UPDATE people SET title = ? WHERE crm_id = ?").run(title, id);
  const changeInCrm = (id: string, jobtitle: string) =>
    account.put("contacts", { id, values: { jobtitle }, stamp: true });
  setTitle(first, "Countess");
  table.prepare("INSERT INTO people (email, given_name) VALUES ('new@table.example', 'New')").run();
  table.prepare("UPDATE people SET deleted = 1 WHERE crm_id = ?").run(second);
  changeInCrm(third, "Changed there");
  account.archive("contacts", fourth);
  await until(() => {
    const crm = inCrm();
    return (
      crm.get(first)?.endsWith("Countess") &&
      !crm.has(second) &&
      [...crm.values()].some((values) => values.startsWith("new@table.example,New"))
    );
  });
  await areEqual();
  assert.match(inTable().get(third) ?? "", /Changed there$/);
  assert.ok(!inTable().has(fourth));

  app.kill("SIGKILL");
  setTitle(first, "Older in the table");
  const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
  await tick();
  changeInCrm(first, "Newer there");
  changeInCrm(third, "Older there");
  await tick();
  setTitle(third, "Newer in the table");
  const firstLines = lines;
  // So the message about this record comes while the program looks at it.
  busbar.sandbox.addFault({ method: "GET", path: `/contacts/${first}?`, delayMs: 3_000 });
  ({ app, said, lines } = await start());
  await until(
    () => inCrm().get(third)?.endsWith("Newer in the table") && inTable().get(first)?.endsWith("Newer there"),
  );
  await areEqual();

  const writes = async () => (await busbar.inProject("GET", "/operations?type=write")).body.results;
  // HubSpot has a write's values before its operation ends.
  const before = await until(async () => {
    const operations: { status: string }[] = await writes();
    return operations.every(({ status }) => status !== "in_progress") && operations;
  });
  // Two rounds of the program, and ten of Busbar's schedule.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  assert.deepEqual(await writes(), before);
  assert.equal(before.length, 4, JSON.stringify({ before, lines: [...firstLines, ...lines] }));
}

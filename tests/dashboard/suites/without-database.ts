/** What a page shows while the database does not answer. Last of the suites, because every process notices it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import type { Suite } from "../run-suites.ts";

export const suite: Suite = (server) => {
  test("while the database is away, old rows stay under one bar, a page opened meanwhile says why it is empty, and both recover without a reload", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/operations");
    const rows = page.getByRole("table", { name: "Operations" }).locator("tbody tr");
    await rows.first().waitFor();
    const before = await rows.count();
    await page.evaluate("window.isSamePage = true");
    const back = await takeAway(busbar.connectionString);
    const bar = page.getByText("The database does not answer. Trying again…");
    await bar.waitFor();
    assert.equal(await bar.count(), 1);
    assert.equal(await rows.count(), before);
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("alert").getByText("Temporarily unavailable").first().waitFor();
    await back();
    await page.getByRole("link", { name: /^broken fails since/ }).waitFor();
    await page.getByRole("link", { name: "Operations", exact: true }).click();
    await rows.nth(before - 1).waitFor();
    await bar.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("window.isSamePage"), true);
    await visit.close();
  });

  test("while nothing can be stored, a bar says so although all pages can be read", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const blocker = new Client({ connectionString: busbar.connectionString });
    await blocker.connect();
    await blocker.query("begin; select from readiness for update");
    await visit.open("/projects/default/api-keys");
    const bar = visit.page.getByText("The database does not answer. Trying again…");
    await bar.waitFor();
    await visit.page.getByRole("table", { name: "API keys" }).waitFor();
    await blocker.query("rollback");
    await blocker.end();
    await bar.waitFor({ state: "detached" });
    visit.forgive();
    await visit.close();
  });
};

/** Ends all connections to the database and lets nobody in; returns a function that opens it again. */
async function takeAway(connectionString: string): Promise<() => Promise<void>> {
  const url = new URL(connectionString);
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`alter database ${name} connection limit 0`);
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  return async () => {
    await admin.query(`alter database ${name} connection limit -1`);
    await admin.end();
  };
}

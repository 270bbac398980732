/** Trying a call as a customer; graphs and processes. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { until } from "../../harness/until.ts";
import type { Suite } from "../dashboard.test.ts";

export const suite: Suite = (on) => {
  test("a dry run names every field, Send links its operation, and the curl does the same in a shell", async () => {
    const visit = await on().visit();
    const { page } = visit;
    await visit.open("/projects/default/playground?groupRef=acme");
    const record = page.getByRole("textbox", { name: "Record" });
    await record.fill('{"email": "tried@example.com", "firstname": "Ada"}');
    await page.getByRole("button", { name: "Dry run" }).click();
    const fields = page.getByRole("table", { name: "Fields" });
    for (const name of ["email", "firstname"]) await fields.getByText(name, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const link = page
      .getByRole("region", { name: "Answer" })
      .getByRole("link", { name: "Open the operation" });
    const operationId = (await link.getAttribute("href"))?.split("/").at(-1);
    const operation = await on().on.inProject("GET", `/operations/${operationId}`);
    assert.deepEqual([operation.status, operation.body.status], [200, "success"]);
    await record.fill('[{"email": "shell@example.com", "firstname": "It\'s me"}]');
    const curl = page.getByRole("region", { name: "curl" });
    await curl.getByText("shell@example.com").waitFor();
    const { successCount, errors } = JSON.parse(await inShell(await curl.textContent(), on().on.apiKey));
    assert.equal(successCount, 1, JSON.stringify(errors));
    await page.getByRole("table", { name: "Sent in this tab" }).getByText("create contacts").waitFor();
    visit.assertUntroubled();
    await visit.close();
  });

  test("a proxied call of the playground needs no key, is listed, and its curl gets the same answer", async () => {
    const visit = await on().visit();
    const { page } = visit;
    await visit.open("/projects/default/playground?tab=proxy&groupRef=acme");
    const path = "/crm/v3/objects/contacts/501?properties=email";
    await page.getByLabel("Path", { exact: true }).fill(path);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const body = await page.getByRole("region", { name: "Body" }).textContent();
    const shell = await inShell(
      await page.getByRole("region", { name: "curl" }).textContent(),
      on().on.apiKey,
    );
    assert.deepEqual(JSON.parse(shell).properties, JSON.parse(body ?? "").properties);
    await page.getByLabel("Path", { exact: true }).fill("/another");
    await page.getByRole("button", { name: "Fill in again" }).click();
    await page.waitForURL(/contacts/);
    await until(async () => (await page.getByLabel("Path", { exact: true }).inputValue()) === path);
    await visit.open(`/projects/default/proxy-calls?path=${encodeURIComponent("/contacts/501")}`);
    await page.getByRole("table", { name: "Proxy calls" }).getByText("GET").first().waitFor();
    visit.assertUntroubled();
    await visit.close();
  });

  test("a graph's sum is that of the list of the same window, and a bar opens the list of its time", async () => {
    const visit = await on().visit();
    const { page } = visit;
    const answered = page.waitForResponse(/\/activity\?of=operations/);
    await visit.open("/projects/default?window=1h");
    const { since, until: end, buckets } = await (await answered).json();
    const path = `/operations?since=${since}&until=${end}&pageSize=200`;
    const { results } = (await on().on.inProject("GET", path)).body;
    const sum = buckets
      .flatMap(({ values }: { values: { count: number }[] }) => values)
      .reduce((all: number, { count }: { count: number }) => all + count, 0);
    assert.equal(sum, results.length);
    await page.getByText(`${sum} in all`).first().waitFor();
    await page.getByRole("img", { name: /^Operations: bars/ }).press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/operations\?since=.*&until=/);
    visit.assertUntroubled();
    await visit.close();
  });

  test("the overview draws three graphs, and the system its processes", async () => {
    const visit = await on().visit();
    await visit.open("/projects/default");
    for (const name of ["Operations", "Deliveries", "Proxy calls"])
      await visit.page.getByRole("img", { name: new RegExp(`^${name}: bars`) }).waitFor();
    await visit.open("/system");
    await visit.page.getByRole("table", { name: "Processes" }).waitFor();
    visit.assertUntroubled();
    await visit.close();
  });
};

/** Runs what the page shows, with the key in the variable that it names. */
async function inShell(command: string | null, apiKey: string): Promise<string> {
  const env = { ...process.env, BUSBAR_API_KEY: apiKey };
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command} --silent`], { env });
  return stdout;
}

/** Trying a call as a customer; graphs and processes. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { until } from "../../harness/until.ts";
import { replaceText } from "../by-keyboard.ts";
import type { Suite } from "../run-suites.ts";
import type { Dashboard } from "../open-dashboard.ts";

export const suite: Suite = (server) => {
  test("a dry run names every field, Send links its operation, and the curl does the same in a shell", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/playground?groupRef=acme");
    await replaceText({ page }, "Record", '{"email": "tried@example.com", "firstname": "Ada"}');
    await page.getByRole("button", { name: "Dry run" }).click();
    const fields = page.getByRole("table", { name: "Fields" });
    for (const name of ["email", "firstname"]) await fields.getByText(name, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const link = page
      .getByRole("region", { name: "Answer" })
      .getByRole("link", { name: "Open the operation" });
    const operationId = (await link.getAttribute("href"))?.split("/").at(-1);
    const operation = await server().busbar.inProject("GET", `/operations/${operationId}`);
    assert.deepEqual([operation.status, operation.body.status], [200, "success"]);
    await replaceText({ page }, "Record", '[{"email": "shell@example.com", "firstname": "It\'s me"}]');
    const curl = page.getByRole("region", { name: "curl" });
    await curl.getByText("shell@example.com").waitFor();
    const { successCount, errors } = JSON.parse(
      await runInShell(await curl.textContent(), server().busbar.apiKey),
    );
    assert.equal(successCount, 1, JSON.stringify(errors));
    await page.getByRole("table", { name: "Sent in this tab" }).getByText("create contacts").waitFor();
    await visit.closeUntroubled();
  });

  test("a proxied call of the playground needs no key, is listed, and its curl gets the same answer", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/playground?tab=proxy&groupRef=acme");
    const path = "/crm/v3/objects/contacts/501?properties=email";
    await page.getByLabel("Path", { exact: true }).fill(path);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const body = await page.getByRole("region", { name: "Body" }).textContent();
    const shell = await runInShell(
      await page.getByRole("region", { name: "curl" }).textContent(),
      server().busbar.apiKey,
    );
    assert.deepEqual(JSON.parse(shell).properties, JSON.parse(body ?? "").properties);
    await page.getByLabel("Path", { exact: true }).fill("/another");
    await page.getByRole("button", { name: "Fill in again" }).click();
    await page.waitForURL(/contacts/);
    await until(async () => (await page.getByLabel("Path", { exact: true }).inputValue()) === path);
    await visit.follow(`/projects/default/proxy-calls?path=${encodeURIComponent("/contacts/501")}`);
    await page.getByRole("table", { name: "Proxy calls" }).getByText("GET").first().waitFor();
    await visit.closeUntroubled();
  });

  test("the playground calls for the installation of the address only, and a new installation does not replace the chosen one", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/playground?installationId=gone&object=contacts");
    await page.getByText(/^The installation of this address is not listed/).waitFor();
    assert.equal(await page.getByRole("button", { name: "Send", exact: true }).count(), 0);
    await visit.open("/projects/default/playground");
    const choice = page.getByLabel("Installation", { exact: true });
    const record = page.getByRole("textbox", { name: "Record" });
    await replaceText({ page }, "Record", '{"email": "kept@example.com"}');
    const before = await choice.inputValue();
    await connectCustomer(busbar, {
      provider: "hubspot",
      objects: ["contacts"],
      groupRef: "newcomer",
      skipSampling: true,
    });
    await until(async () => {
      // As after a look at another window, which asks again for answers that are older than a second.
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return (await choice.locator("option", { hasText: "newcomer" }).count()) > 0;
    });
    assert.equal(await choice.inputValue(), before);
    assert.match((await record.textContent()) ?? "", /kept@example.com/);
    await visit.closeUntroubled();
  });

  test("a project that is marked as production has a bar on its pages, and asks before a write is sent", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    const bar = page.getByText("Production: this project serves real customers.");
    await visit.open("/projects/default/settings");
    assert.equal(await bar.count(), 0);
    await page.getByLabel("Production").check({ force: true });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await bar.waitFor();
    await page.getByText("Saved", { exact: true }).waitFor();
    await visit.follow("/projects/default/playground?groupRef=acme");
    await bar.waitFor();
    await replaceText({ page }, "Record", '{"email": "asked@example.com"}');
    const send = page.getByRole("button", { name: "Send", exact: true });
    const dialog = page.getByRole("dialog", { name: "Send this write in production?" });
    const answer = page.getByRole("region", { name: "Answer" });
    await send.click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await answer.count(), 0);
    await send.click();
    await dialog.getByRole("button", { name: "Send" }).click();
    await answer.getByRole("link", { name: "Open the operation" }).waitFor();
    const body = { updateMask: ["production"], project: { production: false } };
    assert.equal((await busbar.inProject("PATCH", "", body)).status, 200);
    await visit.closeUntroubled();
  });

  test("the buckets of each graph add up to the list of the same window, and a bar opens the list of its time with as many rows", async () => {
    const visit = await server().visit();
    const { page } = visit;
    const listNumbers = async (name: string) => {
      const figure = page
        .getByRole("figure")
        .filter({ has: page.getByRole("img", { name: `${name}: bars over time` }) });
      await figure.getByText(/^\d+ in all/).waitFor();
      // Drawn also while it is folded.
      const counts = await figure.locator("tbody td:nth-child(2)").allTextContents();
      return counts.reduce((sum, count) => sum + Number(count), 0);
    };
    const of = (name: string) => page.waitForResponse(new RegExp(`/activity\\?of=${name}`));
    for (const [name, key, list] of [
      ["Operations", "operations", "/operations"],
      ["Deliveries", "deliveries", "/deliveries:search"],
      ["Proxy calls", "proxyCalls", "/proxy-calls"],
    ] as const) {
      // Something that an earlier test began may still come.
      await until(async () => {
        const answered = of(key);
        await visit.open("/projects/default?window=1h");
        const { since, until: end, totals } = await (await answered).json();
        const [sum, listed] = [
          await listNumbers(name),
          await countRows(server(), list, { since, until: end }),
        ];
        assert.equal(sum, totals[0]?.count);
        return sum > 0 && sum === listed;
      });
      if (name === "Deliveries") continue;
      const graph = page.getByRole("img", { name: `${name}: bars over time` });
      await graph.press("ArrowLeft");
      const words = page.getByText(/^\S.*: \d+ in all, \d+ failed/);
      while (/: 0 in all/.test((await words.textContent()) ?? "")) await graph.press("ArrowLeft");
      const [, all, failed] = /: (\d+) in all, (\d+) failed/.exec((await words.textContent()) ?? "") ?? [];
      await graph.press("Enter");
      await page.waitForURL(/since=.*&until=/);
      await visit.drawn();
      const rows = page.getByRole("table", { name, exact: true }).locator("tbody tr");
      // A bar with failures opens these.
      const wanted = name === "Operations" && failed !== "0" ? failed : all;
      await until(async () => (await rows.count()) === Math.min(50, Number(wanted)));
    }
    await visit.closeUntroubled();
  });

  test("the overview draws three graphs, and the system its processes", async () => {
    const visit = await server().visit();
    await visit.open("/projects/default");
    for (const name of ["Operations", "Deliveries", "Proxy calls"])
      await visit.page.getByRole("img", { name: new RegExp(`^${name}: bars`) }).waitFor();
    await visit.follow("/system");
    await visit.page.getByRole("table", { name: "Processes" }).waitFor();
    await visit.closeUntroubled();
  });
};

/** Counts all rows of a list of the API, whatever its pages. */
async function countRows(
  { busbar: server }: Dashboard,
  list: string,
  filters: Record<string, string>,
): Promise<number> {
  let count = 0;
  for (let pageToken: string | undefined; ;) {
    const query = new URLSearchParams({ ...filters, pageSize: "200", ...(pageToken && { pageToken }) });
    const { body } = await server.inProject("GET", `${list}?${query}`);
    count += body.results.length;
    if (body.pagination.done) return count;
    pageToken = body.pagination.nextPageToken;
  }
}

/** Runs what the page shows, with the key in the variable that it names. */
async function runInShell(command: string | null, apiKey: string): Promise<string> {
  const env = { ...process.env, BUSBAR_API_KEY: apiKey };
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command} --silent`], { env });
  return stdout;
}

/** How long a project keeps history, and from where and how often its keys may be used. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addPerson } from "../../harness/people.ts";
import { until } from "../../harness/until.ts";
import type { Suite } from "../run-suites.ts";
import { signIn } from "../open-dashboard.ts";

export const suite: Suite = (server) => {
  test("a project's retention is set and taken back in its settings; days beyond a bound are marked at their field", async () => {
    const { busbar } = server();
    const stored = async () => (await busbar.inProject("GET", "/retention")).body;
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/settings");
    const [operations, events] = ["Operations", "Events"].map((name) =>
      page.getByLabel(name, { exact: true }),
    );
    const save = page.getByRole("button", { name: "Save retention" });
    assert.ok(operations && events && (await save.isDisabled()));
    await operations.fill("7");
    await page.getByText("Older rows of operations are removed within ten minutes").waitFor();
    await events.fill("10000");
    await save.click();
    await page.locator("[aria-invalid=true]").and(events).waitFor();
    await page
      .getByText("must be at most 30 days (BUSBAR_EVENT_RETENTION_DAYS of this Busbar)", { exact: true })
      .waitFor();
    assert.equal((await stored()).operations.isOwn, false);
    visit.forgive();
    await events.fill("");
    await save.click();
    await page.getByRole("status").getByText("Saved").waitFor();
    assert.deepEqual((await stored()).operations, { days: 7, isOwn: true, leastDays: 1, mostDays: 30 });
    assert.equal((await stored()).events.isOwn, false);
    await operations.fill("");
    await save.click();
    await until(async () => !(await stored()).operations.isOwn);
    await visit.closeUntroubled();
  });

  test("a key's limits are set on creation, changed in its row, refused with the wrong address, and kept when it is replaced", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    const dialog = page.getByRole("dialog");
    const found = async () => {
      const { body } = await busbar.inProject("GET", "/api-keys");
      return body.filter(({ label }: { label: string }) => label === "limited");
    };
    const stored = async () => {
      await dialog.getByLabel("I have stored it").check();
      await dialog.getByRole("button", { name: "Done" }).click();
      await dialog.waitFor({ state: "detached" });
      return found();
    };
    await visit.open("/projects/default/api-keys");
    await page.getByRole("button", { name: "New API key" }).click();
    await dialog.getByLabel("Label").fill("limited");
    await dialog.getByLabel("Allowed addresses").fill("192.0.2.0/24\n2001:db8::/32");
    await dialog.getByLabel("Requests per second").fill("50");
    await dialog.getByRole("button", { name: "Create" }).click();
    const [made] = await stored();
    assert.deepEqual(made.allowedAddresses, ["192.0.2.0/24", "2001:db8::/32"]);
    assert.deepEqual(made.rateLimit, { requestsPerSecond: 50, burst: 50 });

    await page.getByRole("button", { name: "Limits of limited: 2 networks, 50/s" }).click();
    const addresses = dialog.getByLabel("Allowed addresses");
    await addresses.fill("example.com");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/^example\.com: must be an IPv4 or IPv6 address/).waitFor();
    assert.equal(await addresses.getAttribute("aria-invalid"), "true");
    visit.forgive();
    await addresses.fill("192.0.2.7");
    await dialog.getByLabel("Requests per second").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Limits of limited: 192.0.2.7" }).waitFor();

    await page
      .getByRole("row", { name: /limited/ })
      .getByRole("button", { name: "Replace" })
      .click();
    await dialog.getByRole("button", { name: "Create" }).click();
    const both = await stored();
    for (const { id, allowedAddresses, rateLimit } of both) {
      assert.deepEqual([allowedAddresses, rateLimit], [["192.0.2.7"], undefined]);
      await busbar.inProject("DELETE", `/api-keys/${id}`);
    }
    assert.equal(both.length, 2);
    await visit.closeUntroubled();
  });

  test("a viewer sees retention and limits and changes neither", async () => {
    const { apiKey } = await addPerson(server().busbar, "viewer");
    const visit = await server().visitSignedOut();
    const { page } = visit;
    await signIn(visit, apiKey);
    await visit.open("/projects/default/settings");
    const save = page.getByRole("button", { name: "Save retention" });
    await save.locator("..").getByText("This needs the role editor; you are viewer.").waitFor();
    assert.ok(await save.isDisabled());
    await visit.follow("/projects/default/api-keys");
    const row = page.getByRole("row", { name: /^bootstrap/ });
    await row.getByText("none", { exact: true }).waitFor();
    assert.equal(await row.getByRole("button", { name: /^Limits/ }).count(), 0);
    await visit.close();
  });
};

/** The list of integrations: health, revision, author, and the filter by provider. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { replaceText } from "../by-keyboard.ts";
import type { Suite } from "../run-suites.ts";

const SALES = `specVersion: 1.0.0
integrations:
  - name: listed-sales
    provider: salesforce
    write: { objects: [{ objectName: account }] }
`;
const OTHERS = `specVersion: 1.0.0
integrations:
  - { name: listed-unused, provider: stripe, proxy: { enabled: true } }
`;

export const suite: Suite = (server) => {
  test("each integration shows its health, revision and author without a call of its own, and a provider chooses among them", async () => {
    const { busbar } = server();
    const sales = {
      provider: "salesforce",
      manifest: SALES,
      integration: "listed-sales",
      skipSampling: true,
    } as const;
    const well = await connectCustomer(busbar, { ...sales, groupRef: "listed-well" });
    const broken = await connectCustomer(busbar, { ...sales, groupRef: "listed-broken" });
    await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: OTHERS });
    busbar.sandbox.salesforce.revokeTokens();
    await busbar.inProject("POST", `/connections/${broken.connectionId}:check`);

    const visit = await server().visit();
    const { page } = visit;
    const called: string[] = [];
    page.on("request", (request) => called.push(new URL(request.url()).pathname));
    await visit.open("/projects/default/integrations");
    const table = page.getByRole("table", { name: "Integrations" });
    const row = (name: string) => table.getByRole("row").filter({ hasText: name });
    const cells = async (name: string) => {
      // The label comes with a call of its own, one for all rows.
      await row(name)
        .getByText(/^API key /)
        .waitFor();
      const texts = await row(name).getByRole("cell").allTextContents();
      return texts.filter((_, index) => index !== 5);
    };
    const listed = (await busbar.inProject("GET", "/integrations")).body;
    const { createdBy } = listed.find(({ name }: { name: string }) => name === "listed-sales").latestRevision;
    const keys = (await busbar.inProject("GET", "/api-keys")).body;
    const by = `API key ${keys.find(({ id }: { id: string }) => createdBy === `apiKey:${id}`).label}`;
    assert.deepEqual(await cells("listed-sales"), [
      "listed-sales",
      "salesforce",
      "write",
      "1 of 2 unhealthy",
      "2",
      by,
    ]);
    assert.deepEqual(await cells("listed-unused"), ["listed-unused", "stripe", "proxy", "–", "1", by]);
    const calls = called.filter((path) => path.startsWith("/v1/"));
    assert.ok(calls.some((path) => path.endsWith("/integrations")));
    assert.deepEqual(
      calls.filter((path) => /\/(integrations\/|installations|connections)/.test(path)),
      [],
    );

    await row("listed-sales").getByRole("link", { name: "1 of 2 unhealthy" }).click();
    await page.waitForURL(/\/integrations\/listed-sales\?healthStatus=unhealthy$/);
    const customers = page.getByRole("table", { name: "Customers" }).locator("tbody tr");
    await customers.first().waitFor();
    assert.deepEqual(await customers.locator("td:first-child").allTextContents(), ["listed-broken"]);
    await page.goBack();
    await row("listed-sales").waitFor();

    await page.getByLabel("Provider", { exact: true }).selectOption("stripe");
    await page.waitForURL(/[?&]provider=stripe/);
    await row("listed-sales").waitFor({ state: "detached" });
    await row("listed-unused").waitFor();
    await visit.open("/projects/default/integrations?provider=salesforce");
    await row("listed-sales").waitFor();
    assert.equal(await row("listed-unused").count(), 0);
    await visit.open("/projects/default/integrations?provider=nobody");
    await page.getByRole("heading", { name: "Nothing fits these filters" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await row("listed-unused").waitFor();
    await visit.closeUntroubled();
    for (const name of ["listed-sales", "listed-unused"])
      await busbar.inProject("DELETE", `/integrations/${name}`);
    for (const { connectionId } of [well, broken])
      await busbar.inProject("DELETE", `/connections/${connectionId}`);
  });

  test("leaving the editor with a changed manifest asks first, and a choice that stops reading is not kept unseen", async () => {
    const { busbar } = server();
    const reading = (objects: string) =>
      `specVersion: 1.0.0\nintegrations:\n  - name: left\n    provider: hubspot\n    read: { objects: [${objects}] }\n`;
    const contacts = "{ objectName: contacts, destination: my-app, requiredFields: [{ fieldName: email }] }";
    const companies = contacts.replace("contacts", "companies").replace("email", "name");
    await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "left",
      manifest: reading(`${contacts}, ${companies}`),
      integration: "left",
      skipSampling: true,
    });
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/deploy?integration=left");
    await replaceText({ page }, "Manifest", reading(contacts));
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    const stops = page.getByLabel("Stop reading what the manifest no longer contains");
    await stops.check();
    await replaceText({ page }, "Manifest", reading(`${contacts} `));
    await stops.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await stops.waitFor();
    assert.equal(await stops.isChecked(), false);
    const leaving = page.getByRole("dialog", { name: "Leave without saving?" });
    const customers = page.getByRole("link", { name: "Customers", exact: true });
    await customers.click();
    await leaving.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "Deploy", level: 1 }).waitFor();
    await customers.click();
    await leaving.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Customers", level: 1 }).waitFor();
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", "/integrations/left");
  });
};

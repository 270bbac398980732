/** What is read for a customer, and when: also what only the manifest says, and what is switched off. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectCustomer } from "../../harness/connect-customer.ts";
import type { Suite } from "../run-suites.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: readings
    provider: hubspot
    read:
      objects:
        - objectName: companies
          destination: my-app
          schedule: "0 * * * *"
          enabled: always
          requiredFields: [{ fieldName: name }]
        - { objectName: contacts, destination: my-app, schedule: "*/30 * * * *", requiredFields: [{ fieldName: email }] }
`;

export const suite: Suite = (server) => {
  test("the tab Reading shows an object that only the manifest reads, the schedule of each, and one that is switched off", async () => {
    const { busbar } = server();
    const contacts = { objectName: "contacts", disabled: true };
    const customer = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "readings",
      manifest: MANIFEST,
      integration: "readings",
      content: { read: { objects: { contacts } } },
      skipSampling: true,
    });
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(
      `/projects/default/integrations/readings/installations/${customer.installationId}?tab=reading`,
    );
    const object = (name: string) =>
      page.locator("section").filter({ has: page.getByRole("heading", { name, exact: true }) });
    await object("companies").getByText("Every hour", { exact: true }).waitFor();
    await object("contacts").getByText("Every 30 minutes", { exact: true }).waitFor();
    await object("contacts").getByText("switched off", { exact: true }).waitFor();
    assert.equal(await object("companies").getByText("switched off", { exact: true }).count(), 0);
    await object("companies").getByRole("button", { name: "Pause" }).click();
    await object("companies").getByText("on request").waitFor();
    for (const list of ["/customers/readings", "/integrations/readings"]) {
      await visit.open(`/projects/default${list}`);
      // Whole: nothing of it is cut off.
      const paused = page.getByRole("cell", { name: "companies paused" });
      await paused.waitFor();
      assert.ok(await paused.evaluate((cell) => cell.scrollWidth <= cell.clientWidth));
    }
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", "/integrations/readings");
  });

  test("Ctrl-K with the id of a record that was never seen leads to why it did not arrive", async () => {
    const { busbar } = server();
    const contacts = { objectName: "contacts", disabled: true };
    await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "never-read",
      manifest: MANIFEST,
      integration: "readings",
      content: { read: { objects: { contacts } } },
      skipSampling: true,
    });
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default");
    await page.keyboard.press("Control+k");
    const search = page.getByRole("dialog", { name: "Search" });
    await search.getByRole("combobox").fill("80808");
    await search.getByRole("option", { name: "Why did the record 80808 not arrive?" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Customer" }).fill("never-re");
    await page.getByRole("status").getByRole("link", { name: "never-read" }).click();
    const row = page.getByRole("row", { name: /contacts/ });
    await row.getByText("never; open it to see why", { exact: true }).waitFor();
    await row.getByRole("link", { name: "contacts" }).click();
    await page.getByText("contacts of never-read").waitFor();
    await page
      .getByText("The customer's configuration has disabled the object, so it is not read.", { exact: false })
      .waitFor();
    visit.forgive();
    await visit.close();
    await busbar.inProject("DELETE", "/integrations/readings");
  });
};

/** A failed write is found and explained, a running one is watched, a broken connection is repaired. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectCustomer } from "../../harness/connect-customer.ts";
import type { Suite } from "../dashboard.test.ts";

export const suite: Suite = (on) => {
  test("a failed write is found by its record and by its request in three actions, with cause, remedy and withheld fields in sight", async () => {
    const failed = await on().on.write("hubspot", "contacts", {
      groupRef: "acme",
      type: "update",
      record: { id: "70077007", email: "gone@example.com" },
    });
    const visit = await on().visit();
    const { page } = visit;
    for (const text of ["70077007", failed.headers.get("x-request-id") ?? ""]) {
      await visit.open("/projects/default/operations");
      await page.getByLabel("Filter", { exact: true }).fill(text);
      await page.getByLabel("Filter", { exact: true }).press("Enter");
      await page.getByRole("table", { name: "Operations" }).getByRole("link").first().click();
      await page.waitForURL(new RegExp(failed.body.operationId));
      await page.getByText("What to do:").waitFor();
      for (const seen of [page.getByText("What to do:"), page.getByText("fields withheld").first()]) {
        const box = await seen.boundingBox();
        assert.ok(box && box.y + box.height <= 800, JSON.stringify(box));
      }
    }
    visit.assertUntroubled();
    await visit.close();
  });

  test("a waiting operation turns to its end unasked, here by being cancelled", async () => {
    const waiting = await on().on.write("hubspot", "contacts", {
      groupRef: "acme",
      type: "create",
      mode: "asynchronous",
      autoBatchPolicy: { maxDelayMinutes: 10 },
      record: { email: "watched@example.com" },
    });
    const [one, other] = [await on().visit(), await on().visit()];
    const path = `/projects/default/operations/${waiting.body.operationId}`;
    await one.open(path);
    await other.open(path);
    await one.page.getByText("in progress").waitFor();
    await other.page.getByRole("button", { name: "Cancel operation" }).click();
    await one.page.getByText("Cancelled", { exact: false }).first().waitFor();
    await one.page.getByText("failure").first().waitFor();
    for (const visit of [one, other]) {
      visit.assertUntroubled();
      await visit.close();
    }
  });

  test("a connection in use cannot be deleted, naming who uses it; a check finds that its tokens were revoked", async () => {
    const broken = await connectCustomer(on().on, {
      provider: "salesforce",
      objects: ["account"],
      groupRef: "breaking",
      skipSampling: true,
    });
    const visit = await on().visit();
    const { page } = visit;
    await visit.open(`/projects/default/connections/${broken.connectionId}`);
    await page.getByText("In use by the installation of salesforce").waitFor();
    assert.equal(await page.getByRole("button", { name: "Delete", exact: true }).isDisabled(), true);
    on().on.sandbox.salesforce.revokeTokens();
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText("Does not work").waitFor();
    await page.getByText("bad credentials").first().waitFor();
    await visit.open("/projects/default/customers?healthStatus=unhealthy");
    await page.getByRole("table", { name: "Customers" }).getByRole("link", { name: "breaking" }).click();
    await page
      .getByRole("table", { name: "Installations" })
      .getByRole("link", { name: "salesforce" })
      .click();
    await page.getByRole("tab", { name: "Configuration" }).click();
    await page.getByRole("group", { name: "Write account" }).getByLabel("Write account").check();
    await page.getByText("JSON", { exact: true }).click();
    assert.match(await page.getByLabel("Configuration (JSON)").inputValue(), /"objectName": "account"/);
    await page.getByRole("tab", { name: "Reading" }).click();
    await page.getByText("Nothing is read").waitFor();
    visit.assertUntroubled();
    await visit.close();
  });

  test("revoked tokens are named on the overview by themselves; connecting again in a window makes the connection work without a reload", async () => {
    const { on: busbar } = on();
    const app = { provider: "salesforce", clientId: "salesforce-client", clientSecret: "app-secret" };
    assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
    const broken = await connectCustomer(busbar, {
      provider: "salesforce",
      objects: ["account"],
      groupRef: "reconnecting",
      skipSampling: true,
    });
    const visit = await on().visit();
    const { page } = visit;
    await visit.open("/projects/default");
    busbar.sandbox.salesforce.revokeTokens();
    await broken.write("account", { type: "create", record: { Name: "Nobody" } });
    // The page asks every ten seconds.
    const link = page.getByRole("link", { name: "reconnecting · salesforce" });
    await link.waitFor();
    await link.click();
    await page.getByText("bad credentials", { exact: true }).first().waitFor();
    await page.getByText("refused by the provider", { exact: true }).first().waitFor();
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Connect again" }).click();
    const consent = await opened;
    await consent.getByRole("button", { name: /^Continue to/ }).click();
    await consent.getByRole("link", { name: "Allow" }).click();
    await page.getByText("working", { exact: true }).first().waitFor();
    visit.assertUntroubled();
    await visit.close();
  });

  test("a customer is renamed, offered a link to connect, and gets an integration installed", async () => {
    const { on: busbar } = on();
    await busbar.inProject("POST", "/groups", { groupRef: "fresh", groupName: "Fresh" });
    const visit = await on().visit();
    const { page } = visit;
    await visit.open("/projects/default/customers/fresh");
    await page.getByRole("button", { name: "Rename" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Fresh Ltd");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "Fresh Ltd" }).waitFor();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await dialog.getByLabel("Provider", { exact: true }).selectOption("hubspot");
    await dialog.getByRole("button", { name: "Copy link" }).click();
    await dialog.getByRole("alert").or(dialog.getByRole("region")).first().waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    visit.forgive();
    const { accessToken, refreshToken } = busbar.sandbox.hubspot.mintToken({});
    const connection = await busbar.inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef: "fresh",
      consumerRef: "fresh-admin",
      oauth2AuthorizationCode: { accessToken: { token: accessToken }, refreshToken: { token: refreshToken } },
    });
    assert.equal(connection.status, 201, connection.text);
    await page.getByRole("table", { name: "Connections" }).getByRole("link", { name: "hubspot" }).waitFor();
    await page.getByRole("button", { name: "Install", exact: true }).click();
    await dialog.getByLabel("Integration", { exact: true }).selectOption("hubspot");
    await dialog.getByRole("button", { name: "Install" }).click();
    await page.waitForURL(/\/integrations\/hubspot\/installations\//);
    await page.getByRole("heading", { name: "Fresh Ltd · hubspot" }).waitFor();
    visit.assertUntroubled();
    await visit.close();
  });
};

/** A failed write is found and explained, a running one is watched, a broken connection is repaired. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectCustomer } from "../../harness/connect-customer.ts";
import type { Suite } from "../run-suites.ts";

export const suite: Suite = (server) => {
  test("a failed write is found by its record and by its request in three actions, with cause, remedy and withheld fields in sight", async () => {
    const failed = await server().busbar.write("hubspot", "contacts", {
      groupRef: "acme",
      type: "update",
      record: { id: "70077007", email: "gone@example.com" },
    });
    const visit = await server().visit();
    const { page } = visit;
    for (const text of ["70077007", failed.headers.get("x-request-id") ?? ""]) {
      await visit.open("/projects/default/operations");
      await page.getByLabel("Filter", { exact: true }).fill(text);
      await page.getByLabel("Filter", { exact: true }).press("Enter");
      await page.getByRole("table", { name: "Operations" }).getByRole("link").first().click();
      await page.waitForURL(new RegExp(failed.body.operationId));
      await page.getByText("What to do:").waitFor();
      const cause = page.getByRole("alert").getByText("resource not found");
      for (const seen of [cause, page.getByText("What to do:"), page.getByText("0 fields withheld")]) {
        const box = await seen.boundingBox();
        assert.ok(box && box.y >= 0 && box.y + box.height <= 800, JSON.stringify(box));
      }
    }
    await visit.closeUntroubled();
  });

  test("on a phone an operation says whether it read or wrote, and why it failed", async () => {
    await server().busbar.write("hubspot", "contacts", {
      groupRef: "acme",
      type: "update",
      record: { id: "70077008", email: "gone@example.com" },
    });
    const visit = await server().visit({ width: 390 });
    await visit.open("/projects/default/operations?status=failure");
    const card = visit.page.getByRole("row").filter({ hasText: "resource not found" }).first();
    await card.getByText("resource not found").waitFor();
    assert.match(await card.innerText(), /\bwrite\b/);
    await visit.closeUntroubled();
  });

  test("on a wide screen what a customer has stands together", async () => {
    const visit = await server().visit({ width: 1_440 });
    const { page } = visit;
    await visit.open("/projects/default/customers/acme");
    for (const name of ["Connections", "Installations"]) {
      const row = page.getByRole("table", { name }).getByRole("row").nth(1);
      const [link, status] = await Promise.all(
        [row.getByRole("link").first(), row.getByRole("cell").nth(1)].map((one) => one.boundingBox()),
      );
      assert.ok(link && status && status.x - link.x < 480, `${name}: ${link?.x} ${status?.x}`);
    }
    await visit.closeUntroubled();
  });

  test("a running operation turns to its end unasked, with its last steps: one that is carried out, and one that is cancelled", async (scope) => {
    const { busbar } = server();
    const started = async (email: string, more: object) => {
      const write = { groupRef: "acme", type: "create", mode: "asynchronous", record: { email }, ...more };
      return (await busbar.write("hubspot", "contacts", write)).body.operationId as string;
    };
    const buildPath = (id: string) => `/projects/default/operations/${id}`;
    const [running, elsewhere] = [await server().visit(), await server().visit()];
    const { page } = running;
    const shows = (status: string) =>
      page.getByRole("main").getByText(status, { exact: true }).first().waitFor();
    // The provider wants it to be tried again each second, until the test lets it through.
    busbar.sandbox.addFault({
      provider: "hubspot",
      bodyContains: "slow@example.com",
      status: 429,
      headers: { "retry-after": "1" },
      count: 1_000,
    });
    const carriedOut = await started("slow@example.com", {});
    await running.open(buildPath(carriedOut));
    await shows("in progress");
    busbar.sandbox.clearFaults();
    await shows("success");
    const endedMs = Date.parse((await busbar.inProject("GET", `/operations/${carriedOut}`)).body.updateTime);
    scope.diagnostic(`shown ${Date.now() - endedMs} ms after the end`);
    await page.getByText("1 record", { exact: false }).first().waitFor();

    const waiting = await started("watched@example.com", { autoBatchPolicy: { maxDelayMinutes: 10 } });
    await running.open(buildPath(waiting));
    await shows("in progress");
    await elsewhere.open(buildPath(waiting));
    await elsewhere.page.getByRole("button", { name: "Cancel operation" }).click();
    await shows("failure");
    await page.getByRole("alert").getByText("[contacts] Cancelled", { exact: true }).waitFor();
    for (const visit of [running, elsewhere]) {
      await visit.closeUntroubled();
    }
  });

  test("a connection in use cannot be deleted, naming who uses it; a check finds that its tokens were revoked", async () => {
    const broken = await connectCustomer(server().busbar, {
      provider: "salesforce",
      objects: ["account"],
      groupRef: "breaking",
      skipSampling: true,
    });
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(`/projects/default/connections/${broken.connectionId}`);
    await page.getByText("In use by the installation of salesforce").waitFor();
    assert.equal(await page.getByRole("button", { name: "Delete", exact: true }).isDisabled(), true);
    server().busbar.sandbox.salesforce.revokeTokens();
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText("Does not work").waitFor();
    await page.getByText("bad credentials").first().waitFor();
    await visit.follow("/projects/default/customers?healthStatus=unhealthy");
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
    // The configuration was changed and not saved.
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await page.getByText("Nothing is read").waitFor();
    await visit.closeUntroubled();
  });

  test("revoked tokens are named on the overview by themselves; connecting again in a window makes the connection work without a reload", async () => {
    const { busbar } = server();
    const app = { provider: "salesforce", clientId: "salesforce-client", clientSecret: "app-secret" };
    assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
    const broken = await connectCustomer(busbar, {
      provider: "salesforce",
      objects: ["account"],
      groupRef: "reconnecting",
      skipSampling: true,
    });
    const visit = await server().visit();
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
    await visit.closeUntroubled();
  });

  test("a customer is renamed, offered a link to connect, and gets an integration installed", async () => {
    const { busbar } = server();
    await busbar.inProject("POST", "/groups", { groupRef: "fresh", groupName: "Fresh" });
    const visit = await server().visit();
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
    await visit.closeUntroubled();
  });

  test("a link for a customer is not shown any more when the form names another customer", async () => {
    const { busbar } = server();
    const app = { provider: "salesforce", clientId: "salesforce-client", clientSecret: "app-secret" };
    assert.ok([200, 409].includes((await busbar.inProject("POST", "/provider-apps", app)).status));
    const visit = await server().visit();
    const { page, context } = visit;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await visit.open("/projects/default/customers");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Connect a customer" });
    await dialog.getByLabel("Provider", { exact: true }).selectOption("salesforce");
    await dialog.getByLabel("Customer", { exact: true }).fill("first");
    await dialog.getByRole("button", { name: "Copy link" }).click();
    const link = dialog.getByRole("region", { name: "Link for the customer" });
    await dialog.getByText(/^The link is copied/).waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), await link.textContent());
    await dialog.getByLabel("Customer", { exact: true }).fill("second");
    await link.waitFor({ state: "detached" });
    await visit.closeUntroubled();
  });
};

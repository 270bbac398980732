/** Jobs done by keyboard alone, single keys, and a focus that is never lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKept, openRow, skipToContent, pressTabTo } from "../by-keyboard.ts";
import type { Suite } from "../run-suites.ts";

const TYPED = `specVersion: 1.0.0
integrations:
  - { name: typed, provider: stripe, proxy: { enabled: true } }
`;

export const suite: Suite = (server) => {
  test("job 2 by keyboard alone: a failed write is found by its record and by its request, and filled in again", async () => {
    const failed = await server().busbar.write("hubspot", "contacts", {
      groupRef: "acme",
      type: "update",
      record: { id: "70077008", email: "gone@example.com" },
    });
    const visit = await server().visit();
    const { page } = visit;
    const { keyboard } = page;
    for (const text of ["70077008", failed.headers.get("x-request-id") ?? ""]) {
      await visit.open("/projects/default");
      await keyboard.press("Control+k");
      await page.getByRole("combobox").and(page.locator(":focus")).waitFor();
      await keyboard.type(text);
      await page.getByRole("option", { name: /operation$/ }).waitFor();
      await keyboard.press("Enter");
      await page.waitForURL(new RegExp(`/operations/${failed.body.operationId}$`));
      await page.locator("h1:focus").waitFor();
      await page.getByText("What to do:").waitFor();
    }
    await pressTabTo(visit, "Write again");
    await keyboard.press("Enter");
    await page.waitForURL(/\/playground\?/);
    await page.locator("h1:focus").waitFor();
    await visit.closeUntroubled();
  });

  test("job 3 by keyboard alone: from the overview to a range that is sent again", async () => {
    const visit = await server().visit();
    const { page } = visit;
    const { keyboard } = page;
    await visit.open("/projects/default");
    await page.getByRole("link", { name: /^broken fails since/ }).waitFor();
    await skipToContent(visit);
    await pressTabTo(visit, "broken fails since");
    await keyboard.press("Enter");
    await page.locator("h1:focus").getByText("broken").waitFor();
    await pressTabTo(visit, "Resend a range");
    await keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Since").and(page.locator(":focus")).waitFor();
    await dialog.getByText(/^[1-9]\d* undelivered deliver(y|ies) will be sent now/).waitFor();
    await pressTabTo(visit, "Resend");
    await keyboard.press("Enter");
    await page.getByText(/deliver(y is|ies are) sent again\./).waitFor();
    await dialog.waitFor({ state: "detached" });
    await assertKept(visit);
    await visit.closeUntroubled();
  });

  test("job 6 by keyboard alone: a topic is made with its routes, and the answer to a sample is shown", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    const { keyboard } = page;
    await visit.open("/projects/default/notifications");
    await skipToContent(visit);
    await pressTabTo(visit, "New topic");
    await keyboard.press("Enter");
    await page.getByLabel("Name", { exact: true }).and(page.locator(":focus")).waitFor();
    await keyboard.type("typed");
    for (const name of ["connection.created", "my-app"]) {
      await pressTabTo(visit, name);
      await keyboard.press("Space");
    }
    await pressTabTo(visit, "Create topic");
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "typed is created; a sample was sent" }).waitFor();
    await page.getByRole("status").filter({ hasText: "my-app" }).getByText("delivered").waitFor();
    await assertKept(visit);
    await visit.closeUntroubled();
    const { body } = await busbar.inProject("GET", "/topics");
    const topic = body.find(({ name }: { name: string }) => name === "typed");
    assert.deepEqual([topic.eventTypes, topic.destinationIds.length], [["connection.created"], 1]);
    await busbar.inProject("DELETE", `/topics/${topic.id}`);
  });

  test("job 4 by keyboard alone: a key is created, stored, switched off and deleted, and the focus stays on the page", async () => {
    const visit = await server().visit();
    const { page } = visit;
    const { keyboard } = page;
    await visit.open("/projects/default/api-keys");
    await skipToContent(visit);
    await pressTabTo(visit, "New API key");
    await keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Label").and(page.locator(":focus")).waitFor();
    await keyboard.type("by keyboard");
    await keyboard.press("Enter");
    await page.getByRole("textbox", { name: "API key" }).waitFor();
    await pressTabTo(visit, "I have stored it");
    await keyboard.press("Space");
    await pressTabTo(visit, "Done");
    await keyboard.press("Enter");
    const row = page.getByRole("row", { name: /by keyboard/ });
    await row.waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await openRow(visit, row);
    await pressTabTo(visit, "Switch off");
    await keyboard.press("Enter");
    await row.getByText("inactive").waitFor();
    await pressTabTo(visit, "Delete");
    await keyboard.press("Enter");
    const confirm = page.getByRole("dialog", { name: "Delete API key by keyboard" });
    await confirm.waitFor();
    await pressTabTo(visit, "Delete");
    await keyboard.press("Enter");
    await row.waitFor({ state: "detached" });
    await assertKept(visit);
    await visit.closeUntroubled();
  });

  test("job 7 by keyboard alone: a manifest is typed, compared and deployed; the editor says how to leave it", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    const { keyboard } = page;
    await visit.open("/projects/default/deploy?template=write");
    await skipToContent(visit);
    await page.getByRole("textbox", { name: "Manifest" }).waitFor();
    await pressTabTo(visit, "Manifest");
    const editor = page.getByRole("textbox", {
      name: "Manifest",
      description: "Tab indents. Escape, then Tab, leaves the editor.",
    });
    await editor.waitFor();
    await keyboard.press("Control+a");
    await keyboard.insertText(TYPED);
    await keyboard.press("Tab");
    assert.ok(await editor.and(page.locator(":focus")).isVisible());
    await keyboard.press("Shift+Tab");
    await page.getByText("No findings.").waitFor();
    await keyboard.press("Escape");
    await pressTabTo(visit, "Compare");
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "typed: added, 0 installations" }).waitFor();
    await pressTabTo(visit, "Deploy");
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "Deployed" }).waitFor();
    // It was disabled while it worked.
    await page.getByRole("button", { name: "Deploy", exact: true }).and(page.locator(":focus")).waitFor();
    await visit.closeUntroubled();
    assert.equal((await busbar.inProject("DELETE", "/integrations/typed")).status, 204);
  });

  test("job 9 by keyboard alone: a colleague is invited with a role", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    const { keyboard } = page;
    await visit.open(`/orgs/${busbar.server.bootstrap?.orgId}/people`);
    await skipToContent(visit);
    await pressTabTo(visit, "Invite");
    await keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail address").and(page.locator(":focus")).waitFor();
    await keyboard.type("keys@acme.example");
    await pressTabTo(visit, "Role");
    await keyboard.type("supp");
    await pressTabTo(visit, "Create");
    await keyboard.press("Enter");
    await dialog.getByText("Busbar sends no mail").waitFor();
    await pressTabTo(visit, "Done");
    await keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row", { name: /keys@acme\.example support/ }).waitFor();
    await assertKept(visit);
    await visit.closeUntroubled();
  });

  test("job 10 by keyboard alone: a record is tried and sent", async () => {
    const visit = await server().visit();
    const { page } = visit;
    const { keyboard } = page;
    await visit.open("/projects/default/playground?groupRef=acme");
    await page.getByRole("textbox", { name: "Record" }).waitFor();
    await skipToContent(visit);
    await pressTabTo(visit, "Record");
    await keyboard.press("Control+a");
    await keyboard.insertText('{"email": "keys@example.com"}');
    await keyboard.press("Escape");
    await pressTabTo(visit, "Dry run");
    await keyboard.press("Enter");
    await page.getByRole("table", { name: "Fields" }).getByText("email", { exact: true }).waitFor();
    await pressTabTo(visit, "Send");
    await keyboard.press("Enter");
    await page.getByRole("link", { name: "Open the operation" }).waitFor();
    await pressTabTo(visit, "Open the operation");
    await visit.closeUntroubled();
  });

  test("j and k move among the rows, Enter opens one, y copies its id; single keys can be switched off", async () => {
    const visit = await server().visit();
    const { page, context } = visit;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await visit.open("/projects/default/operations");
    const link = (row: number) => page.locator("tbody tr").nth(row).locator("a").first();
    const hasFocus = (row: number) => link(row).and(page.locator(":focus")).waitFor();
    // Otherwise a new row could come between two keys.
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.keyboard.press("j");
    await hasFocus(0);
    await page.keyboard.press("j");
    await hasFocus(1);
    await page.keyboard.press("k");
    await hasFocus(0);
    const id = await page.locator("tbody tr").first().getAttribute("data-id");
    await page.keyboard.press("y");
    await page.getByText(`Copied ${id}`).waitFor({ state: "attached" });
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), id);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/operations/${id}$`));
    await visit.drawn();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByLabel("Single keys").uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search" }).waitFor();
    assert.match(page.url(), /\/operations\//);
    await visit.closeUntroubled();
  });
};

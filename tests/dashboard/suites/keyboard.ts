/** Jobs done by keyboard alone, single keys, and a focus that is never lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Suite } from "../dashboard.test.ts";
import type { Visit } from "../open-dashboard.ts";

export const suite: Suite = (on) => {
  const focused = ({ page }: Visit) => page.evaluate("document.activeElement.tagName");

  /** Presses Tab until the element has the focus. */
  const tabTo = async ({ page }: Visit, name: string) => {
    const isThere = `document.activeElement.matches("button, a, input, select") &&
      (document.activeElement.getAttribute("aria-label") ?? document.activeElement.labels?.[0]?.textContent ??
        document.activeElement.textContent).trim().startsWith(${JSON.stringify(name)})`;
    for (let stop = 0; stop < 120; stop++) {
      if (await page.evaluate(isThere)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab never came to ${name}`);
  };

  test("job 4 by keyboard alone: a key is created, stored, switched off and deleted, and the focus stays on the page", async () => {
    const visit = await on().visit();
    const { page } = visit;
    const { keyboard } = page;
    await visit.open("/projects/default/api-keys");
    await tabTo(visit, "New API key");
    await keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Label").and(page.locator(":focus")).waitFor();
    await keyboard.type("by keyboard");
    await keyboard.press("Enter");
    await page.getByRole("textbox", { name: "API key" }).waitFor();
    await tabTo(visit, "I have stored it");
    await keyboard.press("Space");
    await tabTo(visit, "Done");
    await keyboard.press("Enter");
    const row = page.getByRole("row", { name: /by keyboard/ });
    await row.waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Switch off" }).focus();
    await keyboard.press("Enter");
    await row.getByText("inactive").waitFor();
    await tabTo(visit, "Delete");
    await keyboard.press("Enter");
    const confirm = page.getByRole("dialog", { name: "Delete API key by keyboard" });
    await confirm.waitFor();
    await tabTo(visit, "Delete");
    await keyboard.press("Enter");
    await row.waitFor({ state: "detached" });
    await page.locator(":focus").waitFor();
    assert.notEqual(await focused(visit), "BODY");
    visit.assertUntroubled();
    await visit.close();
  });

  test("j and k move among the rows, Enter opens one, y copies its id; single keys can be switched off", async () => {
    const visit = await on().visit();
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
    visit.assertUntroubled();
    await visit.close();
  });
};

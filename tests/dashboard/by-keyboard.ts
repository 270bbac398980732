/** Finds its way through a page by keyboard alone. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

interface OnPage {
  page: Page;
}

const MAX_STOPS = 120;

/** Presses Tab until the element has the focus. */
export async function pressTabTo({ page }: OnPage, name: string): Promise<void> {
  const isThere = `document.activeElement.matches("button, a, input, select, [role=textbox]") &&
      (document.activeElement.getAttribute("aria-label") ?? document.activeElement.labels?.[0]?.textContent ??
        document.activeElement.textContent).trim().startsWith(${JSON.stringify(name)})`;
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if (await page.evaluate(isThere)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never came to ${name}`);
}

/** Goes to a button or a link, and presses it. */
export async function press(visit: OnPage, name: string): Promise<void> {
  await pressTabTo(visit, name);
  await visit.page.keyboard.press("Enter");
}

/** Goes to a field and types; what was in it is replaced. */
export async function typeInto(visit: OnPage, name: string, text: string): Promise<void> {
  await pressTabTo(visit, name);
  await visit.page.keyboard.press("Control+a");
  await visit.page.keyboard.type(text);
}

/**
 * Replaces the text of an editor, as a person does: the editor itself selects all. `fill` selects in the page, and an editor
 * that has just got the focus may put its own selection back before the text arrives, which then stands before the old one.
 */
export async function replaceText({ page }: OnPage, name: string, text: string): Promise<void> {
  await page.getByRole("textbox", { name }).press("Control+a");
  await page.keyboard.insertText(text);
}

/** Leaves out the navigation of a page that was just opened. */
export async function skipToContent({ page }: OnPage): Promise<void> {
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
}

/** Moves among the rows until the focus is in one. */
export async function openRow({ page }: OnPage, row: Locator): Promise<void> {
  for (let step = 0; step < MAX_STOPS; step++) {
    if ((await row.locator(":focus").count()) > 0) return;
    await page.keyboard.press("j");
  }
  throw new Error("j never came to the row");
}

/** Fails if nothing has the focus. */
export async function assertKept({ page }: OnPage): Promise<void> {
  await page.locator(":focus").first().waitFor();
  assert.notEqual(await page.evaluate("document.activeElement.tagName"), "BODY");
}

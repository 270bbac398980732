/** The reference at /docs and the guide in a browser: they ask nobody but this Busbar for anything, and code can be copied. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { launchBrowser, NO_CHROMIUM, PAGE_TIMEOUT_MS } from "../harness/chromium.ts";

describe("the reference and the guide", { skip: NO_CHROMIUM }, () => {
  let busbar: TestBusbar;
  let browser: Browser;
  let origin: string;
  after(async () => {
    await browser.close();
    await busbar.stop();
  });
  before(async () => {
    busbar = await openTestBusbar();
    origin = new URL(busbar.server.urls.base).origin;
    browser = await launchBrowser();
  });

  test("shows operations with their examples, and loads nothing from elsewhere", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${origin}/docs`);
    await page.getByText("Write records").first().click();
    await page.getByText("ada@example.com").first().waitFor();
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(origin) && !url.startsWith("data:")),
      [],
    );
    assert.deepEqual(complaints, []);
  });

  test("a button copies each block of the guide's code, in the language that is shown, exactly as it stands in the file", async () => {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    await page.goto(`${origin}/docs/guide/clients`);
    const markdown = await (await fetch(`${origin}/docs/guide/clients.md`)).text();
    const [, written] = /```python\n(.*?)```/s.exec(markdown) ?? [];
    await page.getByText("Python", { exact: true }).first().click();
    const block = page.locator("figure", { hasText: "from busbar_client import Busbar" }).first();
    await block.getByRole("button", { name: "Copy" }).click();
    await block.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), written);
    await context.close();
  });
});

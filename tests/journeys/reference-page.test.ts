/** The reference at /docs in a browser: it shows the API, and asks nobody but this Busbar for anything. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { launchBrowser, NO_CHROMIUM, PAGE_TIMEOUT_MS } from "../harness/chromium.ts";

describe("the reference page", { skip: NO_CHROMIUM }, () => {
  let busbar: TestBusbar;
  let browser: Browser;
  let origin: string;
  after(async () => {
    await browser.close();
    await busbar.stop();
  });
  before(async () => {
    busbar = await openTestBusbar();
    origin = new URL(busbar.busbar.urls.base).origin;
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
});

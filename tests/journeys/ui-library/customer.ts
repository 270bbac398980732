/** A customer in front of a builder's page: what they press, and everything that goes wrong while they do. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { PAGE_TIMEOUT_MS } from "../../harness/chromium.ts";
import type { Scope } from "../../harness/database.ts";

/** Where to keep a picture of every step; none are taken without it. */
const SCREENSHOTS = process.env["TEST_SCREENSHOTS"];

export interface Customer {
  page: Page;
  press(button: string | RegExp): Promise<void>;
  /** Presses the button that opens a window, continues there, decides on the provider's page, and waits until it is gone. */
  consent(button: string, decision: "allow" | "deny"): Promise<void>;
  /** Picks an option of the field mapping `name`. */
  map(name: string, option: string): Promise<void>;
  /** Waits for the text, which must be visible. */
  sees(text: string | RegExp): Promise<void>;
  /** What the library told the builder's application, newest last. */
  reported(count: number): Promise<string[]>;
  picture(step: string): Promise<void>;
  /** Fails when Busbar refused something or the page complained. */
  assertUntroubled(): void;
  /** Forgets the troubles so far, for tests that provoke a refusal. */
  forgive(): void;
}

/** Opens the page with what `asked` asks for; closed when the test ends, after a last picture. */
export async function openCustomer(
  scope: Scope,
  busbar: { browser: Browser; url: string },
  name: string,
  asked: Record<string, string>,
): Promise<Customer> {
  const context = await busbar.browser.newContext({ viewport: { width: 1_100, height: 900 } });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  // The library loads a font and a logo from elsewhere; tests do not.
  await context.route(
    ({ hostname }) => hostname !== "127.0.0.1",
    (route) => route.fulfill({ status: 200, body: "" }),
  );
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  let pictures = 0;
  const picture: Customer["picture"] = async (step) => {
    if (!SCREENSHOTS) return;
    await mkdir(SCREENSHOTS, { recursive: true });
    pictures += 1;
    const path = join(SCREENSHOTS, `${name}-${String(pictures).padStart(2, "0")}-${step}.png`);
    await page.screenshot({ path });
  };
  scope.after(async () => {
    await picture("end");
    await context.close();
  });
  await page.goto(`${busbar.url}?${new URLSearchParams({ project: "default", ...asked })}`);
  return {
    page,
    picture,
    press: (button) => page.getByRole("button", { name: button }).click(),
    async consent(button, decision) {
      const opened = page.waitForEvent("popup");
      await page.getByRole("button", { name: button }).click();
      const popup = await opened;
      const closed = popup.waitForEvent("close");
      // Its address is blank at first, so the page is known by its buttons only.
      const asked = popup.locator("#continue");
      await asked
        .or(popup.locator(`#${decision}`))
        .first()
        .waitFor();
      if (await asked.isVisible()) await asked.click();
      await popup.locator(`#${decision}`).click();
      await closed;
    },
    async map(mapping, option) {
      const row = page.locator("div", { has: page.getByText(mapping, { exact: true }) });
      await row.getByPlaceholder("Please select one").last().fill(option);
      await page.getByRole("option", { name: option, exact: true }).click();
    },
    sees: (text) => page.getByText(text).first().waitFor(),
    async reported(count) {
      const reported = await page.waitForFunction((least) => {
        const { reported } = globalThis as unknown as { reported: string[] };
        return reported.length >= least ? reported : undefined;
      }, count);
      return (await reported.jsonValue()) ?? [];
    },
    assertUntroubled: () => assert.deepEqual(troubles, []),
    forgive: () => void troubles.splice(0),
  };
}

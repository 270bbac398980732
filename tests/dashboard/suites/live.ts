/** Lists stay current by themselves: at the top at once, further down behind a button, never while hidden. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Suite } from "../run-suites.ts";
import type { Dashboard } from "../open-dashboard.ts";

const PATH = "/projects/default/operations";

export const suite: Suite = (server) => {
  test("a new row arrives by itself at the top; a paused or hidden list calls nothing", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(PATH);
    const rows = page.getByRole("table", { name: "Operations" }).locator("tbody tr");
    const before = await rows.count();
    const written = await write(server());
    await rows.nth(before).waitFor();
    assert.equal(await rows.first().getAttribute("data-id"), written);

    // The frame around the list asks for other things, every half a minute.
    const isList = (url: string) => /\/operations(\?|$)/.test(url);
    const calls: string[] = [];
    page.on("request", (request) => isList(request.url()) && calls.push(request.url()));
    const isQuiet = async () => {
      calls.splice(0);
      // Longer than the list waits between two calls.
      await page.waitForTimeout(3_500);
      assert.deepEqual(calls, []);
    };
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await isQuiet();
    await page.getByRole("button", { name: "Resume" }).click();
    // A real one is not to be had: without windows Chromium calls every page visible, also one behind another, in a minimized
    // window, or opened in the background.
    const setVisibility = (state: "hidden" | "visible") =>
      page.evaluate(`
        Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
      `);
    await setVisibility("hidden");
    await isQuiet();
    const listed = page.waitForRequest((request) => isList(request.url()));
    await setVisibility("visible");
    await listed;
    await visit.closeUntroubled();
  });

  test("scrolled down, new rows wait behind a button that counts them", async () => {
    const visit = await server().visit({ height: 300 });
    const { page } = visit;
    await visit.open(PATH);
    await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
    await write(server());
    const button = page.getByRole("button", { name: /^\d+ new$/ });
    await button.waitFor();
    await button.click();
    await button.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("window.scrollY"), 0);
    await visit.closeUntroubled();
  });
};

async function write({ busbar: server }: Dashboard): Promise<string> {
  const email = `live-${process.hrtime.bigint()}@example.com`;
  const { status, text, body } = await server.write("hubspot", "contacts", {
    groupRef: "acme",
    type: "create",
    record: { email },
  });
  assert.ok(status < 300, text);
  return body.operationId;
}

/** The frame: reaching everything by keyboard, the palette, calls as curl, and a server that does not answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../harness/until.ts";
import type { Suite } from "../run-suites.ts";

const isLoaded =
  "performance.getEntriesByType('resource').some(({ name }) => name.includes('destinations-page'))";

const OPERATIONS = "/projects/default/operations";

export const suite: Suite = (server) => {
  test("the palette finds a refused request by its id and shows all of it; Back closes it, and what is cut off in a row is reported by the mouse", async () => {
    const { busbar } = server();
    const record = { [`no_such_field_${"x".repeat(200)}`]: "1" };
    const body = { groupRef: "nobody", type: "create", record };
    const refused = await busbar.write("hubspot", "contacts", body);
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/requests");
    const cell = page.getByRole("cell", { name: refused.body.detail }).first();
    await cell.hover();
    assert.equal(await cell.getAttribute("title"), refused.body.detail);
    await visit.open(OPERATIONS);
    await page.keyboard.press("Control+k");
    const search = page.getByRole("dialog", { name: "Search" });
    await search.getByRole("combobox").fill(refused.body.requestId);
    await search.getByRole("option", { name: /request$/ }).waitFor();
    await page.keyboard.press("Enter");
    const shown = page.getByRole("dialog", { name: refused.body.title });
    await shown.getByText(refused.body.detail, { exact: true }).waitFor();
    await shown.getByText(`POST /write/v1/projects/default`, { exact: false }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: refused.body.title }).click();
    await shown.waitFor();
    await page.goBack();
    await shown.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
    await visit.closeUntroubled();
  });

  test("the palette opens by Ctrl K that is pressed before the session has been answered", async () => {
    const visit = await server().visit();
    const { page } = visit;
    const { promise: wanted, resolve: answer } = Promise.withResolvers<void>();
    await page.route("**/v1/sessions/current", async (route) => {
      await wanted;
      await route.continue();
    });
    await page.goto(`${server().origin}${OPERATIONS}`);
    await page.getByRole("main", { name: "Busbar" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("502");
    answer();
    const search = page.getByRole("dialog", { name: "Search" });
    await search.getByRole("combobox").and(page.locator(":focus")).waitFor();
    assert.equal(await search.getByRole("combobox").inputValue(), "502");
    await page.unroute("**/v1/sessions/current");
    await visit.drawn();
    await visit.closeUntroubled();
  });

  test("the palette's field has the focus as soon as Ctrl K was pressed, so that no letter behind it is lost", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(OPERATIONS);
    // Without a frame in between, in which a busy machine would handle further keys.
    const focused = await page.evaluate<string | null>(`(() => {
      window.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, cancelable: true }));
      return document.activeElement.getAttribute("role");
    })()`);
    assert.equal(focused, "combobox");
    await page.keyboard.type("502");
    assert.equal(await page.getByRole("combobox").and(page.locator(":focus")).inputValue(), "502");
    visit.assertUntroubled();
    await visit.close();
  });

  test("the guide opens at what it says about the page that is shown", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/api-keys");
    const link = page.getByRole("link", { name: "Guide", exact: true });
    assert.equal(await link.getAttribute("href"), "/docs/guide/access");
    const [opened] = await Promise.all([visit.context.waitForEvent("page"), link.click()]);
    await opened.getByRole("heading", { level: 1 }).waitFor();
    assert.match(opened.url(), /\/docs\/guide\/access$/);
    await opened.close();
    await visit.closeUntroubled();
  });

  test("while the server is away, old rows stay under one bar, a table without rows keeps its refusal, and whoever could not sign out is told", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/operations");
    // Its files are loaded beforehand.
    await page.getByRole("link", { name: "Destinations", exact: true }).hover();
    await until(() => page.evaluate<boolean>(isLoaded));
    const alerts = page.getByRole("main").getByRole("alert");
    await visit.context.setOffline(true);
    await page.getByText("Busbar does not answer. Trying again…").waitFor();
    assert.equal(await alerts.count(), 0);
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    const reported = page.getByRole("dialog", { name: "You are still signed in" });
    await reported.getByText("Busbar does not answer").waitFor();
    await page.keyboard.press("Escape");
    // The files of a page that was not opened before cannot be loaded.
    await page.getByRole("link", { name: "Audit", exact: true }).click();
    await alerts.getByText(/^Its files could not be loaded/).waitFor();
    await page.getByRole("link", { name: "Destinations", exact: true }).click();
    await alerts.getByText("Busbar does not answer").waitFor();
    // The page asks again every three seconds; what it says does not go away and come back.
    const changes: number = await page.evaluate(`new Promise((done) => {
      let changes = 0;
      const observer = new MutationObserver((found) => {
        changes += found.filter(({ removedNodes }) => removedNodes.length > 0).length;
      });
      observer.observe(document.querySelector("main"), { childList: true, subtree: true });
      setTimeout(() => done(changes), 4_000);
    })`);
    assert.equal(changes, 0);
    await visit.context.setOffline(false);
    await page.getByRole("table", { name: "Destinations" }).waitFor();
    assert.equal(await alerts.count(), 0);
    await visit.close();
  });

  test("the first Tab stop skips to the content; a page that is opened has the focus on its heading", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(OPERATIONS);
    await page.keyboard.press("Tab");
    await page.locator(":focus", { hasText: /^Skip to content$/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("#content:focus").waitFor();
    await page.getByRole("link", { name: "Connections", exact: true }).click();
    await page.locator("h1:focus").waitFor();
    assert.equal(await page.title(), "Connections · default · Busbar");
    await visit.closeUntroubled();
  });

  test("Ctrl-K finds a page by keyboard alone, and g o leads to the operations", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default");
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Search" });
    await dialog.getByRole("combobox").fill("api k");
    await dialog.getByRole("option", { name: "API keys" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/api-keys$/);
    await page.locator("h1:focus").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await page.waitForURL(/\/operations$/);
    await visit.closeUntroubled();
  });

  test("the palette gives the focus back to where it was, however it was opened", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(OPERATIONS);
    const dialog = page.getByRole("dialog", { name: "Search" });
    const places = [
      page.getByRole("link", { name: "Connections", exact: true }),
      page.getByRole("combobox", { name: "Status" }),
      page.getByRole("heading", { level: 1 }),
    ];
    for (const place of places) {
      await place.focus();
      await page.keyboard.press("Control+k");
      await dialog.getByRole("combobox").fill("no such thing");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await place.and(page.locator(":focus")).waitFor();
    }
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await dialog.getByRole("combobox").fill("502");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.locator("button:focus", { hasText: "Search" }).waitFor();
    await visit.closeUntroubled();
  });

  test("Back leads from a filter to the filters of before, and Forward to it again", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(OPERATIONS);
    const status = page.getByRole("combobox", { name: "Status" });
    await status.selectOption("failure");
    await page.waitForURL(/status=failure/);
    await status.selectOption("success");
    await page.waitForURL(/status=success/);
    await page.getByRole("textbox", { name: "Filter" }).fill("nothing has this name");
    await page.waitForURL(/text=nothing/);
    await page.goBack();
    await page.waitForURL(/operations\?status=success$/);
    // The address changes before the page does.
    await until(async () => (await page.getByRole("textbox", { name: "Filter" }).inputValue()) === "");
    await page.goBack();
    await page.waitForURL(/operations\?status=failure$/);
    await until(async () => (await status.inputValue()) === "failure");
    await page.goBack();
    await page.waitForURL(/operations$/);
    await until(async () => (await status.inputValue()) === "");
    await page.goForward();
    await page.waitForURL(/operations\?status=failure$/);
    await visit.closeUntroubled();
  });

  test("the calls of a page are shown as curl, which does the same in a shell", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(`${OPERATIONS}?status=failure`);
    await page.getByRole("button", { name: "API", exact: true }).click();
    const shown = await page.getByRole("region", { name: "curl listProjectOperations" }).textContent();
    assert.match(shown ?? "", /\/v1\/projects\/default\/operations\?status=failure'/);
    assert.match(shown ?? "", /X-Api-Key: \$BUSBAR_API_KEY/);
    assert.doesNotMatch(shown ?? "", /bb_/);
    await visit.closeUntroubled();
  });

  test("while the server does not answer, old rows stay under a bar, and the page recovers without a reload", async () => {
    const visit = await server().visit();
    const { page, context } = visit;
    await visit.open(OPERATIONS);
    await context.setOffline(true);
    await page.getByText("Busbar does not answer. Trying again…").waitFor();
    assert.ok((await page.getByRole("table", { name: "Operations" }).locator("tbody tr").count()) > 0);
    await context.setOffline(false);
    await page.getByText("Busbar does not answer. Trying again…").waitFor({ state: "detached" });
    await visit.close();
  });

  test("a refusal shows its title, detail, remedy, page and request id", async () => {
    const visit = await server().visit();
    const { page } = visit;
    const answered = page.waitForResponse(/\/v1\/.*status=nonsense/);
    await visit.open(`${OPERATIONS}?status=nonsense`);
    const { title, detail, remedy, href } = await (await answered).json();
    const alert = page.getByRole("alert");
    for (const text of [title, detail, ...(remedy ? [remedy] : [])])
      await alert.getByText(text, { exact: true }).waitFor();
    await alert.getByRole("button", { name: "Copy request id" }).waitFor();
    // The list asks again, so the id is that of a later request.
    assert.match((await alert.textContent()) ?? "", /Request [\da-f-]{36}/);
    assert.equal(await alert.getByRole("link", { name: "What this means" }).getAttribute("href"), href);
    await visit.close();
  });

  test("texts of others stay text: markup is not run, and a change of direction stays in its place", async () => {
    const markup = "<img src=x onerror=alert(1)>";
    const { body } = await server().busbar.write("hubspot", "contacts", {
      groupRef: "acme",
      type: "create",
      record: { email: markup },
    });
    const visit = await server().visit();
    for (const path of ["connections", "customers/foreign", `operations/${body.operationId}`]) {
      await visit.open(`/projects/default/${path}`);
      await visit.page.locator("main .foreign").getByText(markup).first().waitFor();
      assert.equal(await visit.page.locator("main img").count(), 0, path);
    }
    const { results } = (
      await server().busbar.inProject("GET", "/events?type=write.async.done&groupRef=foreign")
    ).body;
    await visit.open(`/projects/default/events?event=${results[0].id}`);
    const shown = await visit.page.getByRole("region", { name: "Data" }).textContent();
    assert.match(shown ?? "", /"groupName": ".*\\u202e/);
    await visit.open("/projects/default/customers/foreign");
    const direction = "getComputedStyle(document.querySelector('main .foreign')).unicodeBidi";
    assert.equal(await visit.page.evaluate(direction), "isolate");
    await visit.closeUntroubled();
  });
};

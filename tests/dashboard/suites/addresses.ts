/** Addresses: published links, copied filters, and what is no page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../harness/until.ts";
import type { Suite } from "../run-suites.ts";

export const suite: Suite = (server) => {
  test("_ in an address is replaced by the last project, with the rest kept", async () => {
    const visit = await server().visit();
    await visit.open("/projects/_/operations?status=failure");
    await visit.page.waitForURL(/\/projects\/default\/operations\?status=failure$/);
    // Published guides link to these.
    for (const name of ["api-keys", "destinations", "notifications", "settings", "jwt-keys"]) {
      await visit.open(`/projects/_/${name}`);
      await visit.page.waitForURL(`${server().origin}/projects/default/${name}`);
    }
    await visit.closeUntroubled();
  });

  test("a copied address with filters shows the same rows elsewhere", async () => {
    const [one, other] = [await server().visit(), await server().visit()];
    await one.open("/projects/default/operations");
    await one.page.getByLabel("Status", { exact: true }).selectOption("failure");
    await one.page.waitForURL(/\?status=failure$/);
    const rows = async ({ page }: typeof one) => {
      await page.getByRole("button", { name: "Clear filters" }).waitFor();
      await page.locator("main[aria-busy=true]").waitFor({ state: "detached" });
      return page.getByRole("table", { name: "Operations" }).locator("tbody a").evaluateAll(listHrefs);
    };
    await other.page.goto(one.page.url());
    await other.drawn();
    const shown = await rows(one);
    assert.ok(shown.length > 0);
    assert.deepEqual(await rows(other), shown);
    await one.close();
    await other.close();
  });

  test("a filter keeps what is typed: a pause after a space, and letters that are typed while the rows arrive", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/customers");
    const filter = page.getByLabel("Filter", { exact: true });
    await filter.pressSequentially("Söhne and ");
    await page.waitForURL(/text=S%C3%B6hne\+and$/);
    await filter.pressSequentially("Co");
    await page.waitForURL(/text=S%C3%B6hne\+and\+Co$/);
    assert.equal(await filter.inputValue(), "Söhne and Co");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.waitForURL(/customers$/);
    await until(async () => (await filter.inputValue()) === "");
    await visit.closeUntroubled();
  });

  test("an address with a mistake says so within the frame: an unknown project or integration, and a time that is none", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/elsewhere/operations");
    await page.getByText("There is no project elsewhere").waitFor();
    await visit.open("/projects/default/integrations/gone");
    await page.getByRole("alert").getByText("Not found").waitFor();
    assert.equal(await page.getByRole("tab").count(), 0);
    await visit.open("/projects/default/operations?since=yesterday");
    await page.getByRole("alert").getByText("Invalid request").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("table", { name: "Operations" }).waitFor();
    assert.equal(await page.getByRole("navigation").count(), 1);
    await visit.close();
  });

  test("what was clicked together survives a reload: filters, tab, window, and an opened row", async () => {
    const visit = await server().visit();
    const { page } = visit;
    const again = async () => {
      await page.reload();
      await visit.drawn();
    };
    await visit.open("/projects/default/operations");
    await page.getByLabel("Status", { exact: true }).selectOption("failure");
    await page.getByLabel("Customer", { exact: true }).fill("acme");
    await page.waitForURL(/\?status=failure&groupRef=acme$/);
    await again();
    assert.equal(await page.getByLabel("Status", { exact: true }).inputValue(), "failure");
    assert.equal(await page.getByLabel("Customer", { exact: true }).inputValue(), "acme");
    await visit.open("/projects/default/destinations/my-app");
    await page.getByRole("tab", { name: "Numbers" }).click();
    await page.getByRole("radiogroup", { name: "Window" }).getByText("7 d").click();
    await page.waitForURL(/tab=numbers.*window=7d|window=7d.*tab=numbers/);
    await again();
    await page.getByRole("tab", { name: "Numbers", selected: true }).waitFor();
    assert.equal(await page.getByRole("radio", { name: "7 d" }).isChecked(), true);
    await visit.open("/projects/default/events?type=write.async.done");
    await page.getByRole("button", { name: "write.async.done" }).first().click();
    await page.getByRole("dialog").getByRole("region", { name: "Data" }).waitFor();
    await again();
    await page.getByRole("dialog").getByRole("region", { name: "Data" }).waitFor();
    await visit.closeUntroubled();
  });

  test("an unknown address below a project is Not found; unknown addresses of the API stay a Problem", async () => {
    const visit = await server().visit();
    await visit.open("/projects/default/nothing");
    assert.equal(await visit.page.locator("h1").textContent(), "Not found");
    await visit.closeUntroubled();
    for (const path of ["/v1/nothing", "/nothing", "/assets/nothing.js"]) {
      const answer = await fetch(server().origin + path, { headers: { accept: "text/html" } });
      assert.equal(answer.status, 404, path);
      assert.match(answer.headers.get("content-type") ?? "", /json|html/);
      await answer.arrayBuffer();
    }
  });

  test("a client that wants no HTML is led from / to the reference", async () => {
    const answer = await fetch(`${server().origin}/`, { redirect: "manual" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [302, "/docs"]);
  });
};

/** Runs in the browser. */
const listHrefs = (links: { href?: string }[]): string[] => links.map(({ href = "" }) => href);

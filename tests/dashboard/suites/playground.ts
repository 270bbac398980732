/** Trying a call as a customer; graphs and processes. */
import { test } from "node:test";
import type { Suite } from "../dashboard.test.ts";

export const suite: Suite = (on) => {
  test("a proxied call of the playground needs no key, and is listed", async () => {
    const visit = await on().visit();
    const { page } = visit;
    await visit.open("/projects/default/playground?tab=proxy");
    await page.getByLabel("Path", { exact: true }).fill("/crm/v3/objects/contacts?limit=1");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("region", { name: "Answer" }).waitFor();
    await visit.open("/projects/default/proxy-calls");
    await page.getByRole("table", { name: "Proxy calls" }).waitFor();
    visit.assertUntroubled();
    await visit.close();
  });

  test("the overview draws three graphs, and the system its processes", async () => {
    const visit = await on().visit();
    await visit.open("/projects/default");
    for (const name of ["Operations", "Deliveries", "Proxy calls"])
      await visit.page.getByRole("img", { name: new RegExp(`^${name}: bars`) }).waitFor();
    await visit.open("/system");
    await visit.page.getByRole("table", { name: "Processes" }).waitFor();
    visit.assertUntroubled();
    await visit.close();
  });
};

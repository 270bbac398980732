/** Lists without rows say what they are and what to do next; times name their zone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { signIn } from "../../harness/people.ts";
import type { Suite } from "../run-suites.ts";

/** Names in the navigation. */
const LISTS = [
  "Operations",
  "Proxy calls",
  "Events",
  "Requests",
  "Integrations",
  "Customers",
  "Connections",
  "Playground",
  "Notifications",
  "Destinations",
  "API keys",
  "JWT keys",
  "Custom providers",
  "Provider apps",
];

export const suite: Suite = (server) => {
  test("each list of a new project explains itself with one action; a filtered one is cleared", async () => {
    const { busbar } = server();
    const owner = { ...(await signIn(busbar)), "x-api-key": "" };
    const project = { orgId: busbar.server.bootstrap?.orgId, name: "bare", appName: "Bare" };
    await busbar.call("POST", "/v1/projects", project, owner);
    const visit = await server().visit();
    const { page } = visit;
    const empty = page.getByRole("main").getByRole("heading", { level: 2 }).locator("..");
    const action = empty.getByRole("link").or(empty.getByRole("button"));
    await visit.open("/projects/bare/settings");
    for (const list of LISTS) {
      await page.getByRole("link", { name: list, exact: true }).click();
      await page.getByRole("heading", { name: list, level: 1 }).waitFor();
      await action.first().waitFor();
      assert.equal(await action.count(), 1, list);
    }
    await action.click();
    await page.getByRole("dialog", { name: "New provider app" }).waitFor();
    await visit.open("/projects/bare/operations?status=failure");
    await page.getByRole("heading", { name: "Nothing fits these filters" }).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("link", { name: "Write a record in the playground" }).click();
    await page.getByRole("heading", { name: "No installation" }).waitFor();
    await visit.closeUntroubled();
    await busbar.call("DELETE", "/v1/projects/bare", undefined, owner);
  });

  test("the exact time of a row names its zone", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/operations");
    await page.getByRole("table", { name: "Operations" }).locator("time").first().hover();
    await page
      .getByRole("tooltip")
      .getByText(/\d\d:\d\d:\d\d\.\d{3} (UTC|GMT|[A-Z]{2,5})/)
      .waitFor();
    await visit.closeUntroubled();
  });
};

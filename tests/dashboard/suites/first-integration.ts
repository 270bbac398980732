/** Job 1: the first integration, from an empty project to a written record and a webhook, wholly in the dashboard. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replaceText } from "../by-keyboard.ts";
import type { Suite } from "../run-suites.ts";

const PROJECT = "/projects/first-steps";

export const suite: Suite = (server) => {
  test("an empty project shows six steps; each is done in the dashboard and ticked", async () => {
    const { busbar } = server();
    const { body: destinations } = await busbar.inProject("GET", "/destinations");
    const url: string = destinations.find(({ name }: { name: string }) => name === "my-app").metadata.url;
    const visit = await server().visit();
    const { page } = visit;
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const dialog = page.getByRole("dialog");
    const step = (words: string) => page.getByRole("listitem").filter({ hasText: words });

    await visit.open(`/orgs/${busbar.server.bootstrap?.orgId}/projects`);
    await button("New project").click();
    await dialog.getByLabel("Name").fill("first-steps");
    await dialog.getByLabel("Application").fill("First steps");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("link", { name: "first-steps", exact: true }).click();
    await page.getByRole("link", { name: "Register your OAuth client with the provider" }).click();

    await button("New provider app").click();
    await dialog.getByLabel("Provider").selectOption("hubspot");
    await dialog.getByLabel("Client id").fill("first-client");
    await dialog.getByLabel("Client secret", { exact: true }).fill("first-secret");
    await dialog.getByLabel("Scopes").fill("oauth");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("row", { name: /first-client/ }).waitFor();

    await visit.follow(PROJECT);
    await step("Register your OAuth client").getByText("done").waitFor();
    await page.getByRole("link", { name: "Deploy it" }).click();
    await page.getByText("No findings.").waitFor();
    await button("Deploy").click();
    await page.getByRole("heading", { name: "Deployed" }).waitFor();

    await visit.follow(`${PROJECT}/customers`);
    await button("Connect").click();
    await dialog.getByLabel("Customer", { exact: true }).fill("northwind");
    const opened = page.waitForEvent("popup");
    await dialog.getByRole("button", { name: "Connect", exact: true }).click();
    const consent = await opened;
    await consent.getByRole("button", { name: "Continue to HubSpot" }).click();
    await consent.getByRole("link", { name: "Allow" }).click();
    await page.waitForURL(/\/customers\/northwind$/);
    await button("Install").click();
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await page.waitForURL(/\/installations\//);

    await visit.follow(`${PROJECT}/playground`);
    await replaceText({ page }, "Record", '{"email": "first@northwind.example"}');
    await button("Send").click();
    await page.getByRole("region", { name: "Answer" }).getByText("success").first().waitFor();

    await visit.follow(`${PROJECT}/destinations`);
    await button("New destination").click();
    await dialog.getByLabel("Name", { exact: true }).fill("first-app");
    await dialog.getByLabel("url").fill(url);
    await dialog.getByRole("button", { name: "Create destination" }).click();
    await dialog.waitFor({ state: "detached" });

    await visit.follow(PROJECT);
    await page.getByText("All six steps are done.").waitFor();
    assert.equal(await page.getByRole("listitem").filter({ hasText: "done" }).count(), 6);
    await visit.closeUntroubled();
    await busbar.call("DELETE", "/v1/projects/first-steps");
  });
};

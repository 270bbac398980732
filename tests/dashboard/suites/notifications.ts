/** Being told of events: a topic with its routes in one form, a line that is cut, and resending after an outage. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { until } from "../../harness/until.ts";
import type { Suite } from "../run-suites.ts";

export const suite: Suite = (server) => {
  test("a topic is made with its routes in one form; cutting a line removes that route only", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/notifications");
    await page.getByRole("button", { name: "New topic" }).click();
    await page.getByLabel("Name", { exact: true }).fill("accounts");
    for (const name of ["connection.created", "connection.error", "my-app"])
      await page.getByRole("checkbox", { name, exact: true }).check();
    await page.getByRole("button", { name: "Create topic" }).click();
    await page.getByRole("button", { name: "Cut connection.error from accounts" }).click();
    const topic = await until(async () => {
      const { body } = await busbar.inProject("GET", "/topics");
      const found = body.find(({ name }: { name: string }) => name === "accounts");
      return found?.eventTypes.length === 1 && found;
    });
    assert.deepEqual([topic.eventTypes, topic.destinationIds.length], [["connection.created"], 1]);
    await visit.closeUntroubled();
  });

  test("a topic with a new webhook is made in one form and shows the answer to a sample; if a part is refused, nothing exists", async () => {
    const { busbar } = server();
    const { body } = await busbar.inProject("GET", "/destinations");
    const url: string = body.find(({ name }: { name: string }) => name === "my-app").metadata.url;
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/notifications");
    await page.getByRole("button", { name: "New topic" }).click();
    // The webhook is accepted and the topic refused: first its name is not valid, then it is taken.
    await page.getByLabel("Name", { exact: true }).fill("no name");
    await page.getByRole("checkbox", { name: "connection.created", exact: true }).check();
    await page.getByText("Sample of connection.created").waitFor();
    await page.getByRole("checkbox", { name: "A new webhook" }).check();
    await page.getByLabel("Webhook name").fill("second-app");
    await page.getByLabel("Address").fill(url);
    await page.getByRole("button", { name: "Create topic" }).click();
    await page
      .locator("[aria-invalid=true]")
      .and(page.getByLabel("Name", { exact: true }))
      .waitFor();
    assert.equal(await page.getByLabel("Webhook name").getAttribute("aria-invalid"), null);
    await page.getByLabel("Name", { exact: true }).fill("writes");
    await page.getByRole("button", { name: "Create topic" }).click();
    await page.getByRole("alert").getByText("writes").waitFor();
    // The form shows the refusal while it takes the webhook back.
    await until(async () => (await busbar.inProject("GET", "/destinations/second-app")).status === 404);
    visit.forgive();
    await page.getByLabel("Name", { exact: true }).fill("connects");
    await page.getByRole("button", { name: "Create topic" }).click();
    await page.getByRole("heading", { name: "connects is created; a sample was sent" }).waitFor();
    await page.getByRole("status").filter({ hasText: "second-app" }).getByText("delivered").waitFor();
    const { body: topics } = await busbar.inProject("GET", "/topics");
    const topic = topics.find(({ name }: { name: string }) => name === "connects");
    assert.deepEqual([topic.eventTypes, topic.destinationIds.length], [["connection.created"], 1]);
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", `/topics/${topic.id}`);
    await busbar.inProject("DELETE", "/destinations/second-app");
  });

  test("a destination that fails shows it, and the count of a range is shown before it is resent", async () => {
    const { busbar } = server();
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/destinations/broken");
    await page.getByRole("button", { name: "Resend a range" }).click();
    await page.getByText(/\d+ undelivered deliver(y|ies) will be sent now/).waitFor();
    const { body } = await busbar.inProject("GET", "/destinations/broken");
    assert.equal(body.health.state, "failing");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click();
    await page.getByRole("region", { name: "Request of attempt 1" }).waitFor();
    await visit.closeUntroubled();
  });

  test("an event shows its data, and says what is missing where it went nowhere", async () => {
    const visit = await server().visit();
    const { page } = visit;
    await visit.open("/projects/default/events?type=installation.created");
    const row = page.getByRole("table", { name: "Events" }).getByRole("row").nth(1);
    await row.getByText("nowhere: no topic has this type").waitFor();
    await row.getByRole("button", { name: "installation.created" }).click();
    await page
      .getByRole("dialog")
      .getByRole("region", { name: "Data" })
      .getByText("installationId")
      .waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(/\?type=installation\.created$/);

    // A topic has the type, but leads nowhere.
    const { busbar } = server();
    const deadEnd = { name: "dead-end", eventTypes: ["installation.deleted"], destinationIds: [] };
    const { body: topic } = await busbar.inProject("POST", "/topics", deadEnd);
    const { installationId } = await connectCustomer(busbar, {
      provider: "hubspot",
      objects: ["contacts"],
      groupRef: "leaving",
      skipSampling: true,
    });
    const path = `/integrations/hubspot/installations/${installationId}`;
    assert.equal((await busbar.inProject("DELETE", path)).status, 204);
    await visit.open("/projects/default/events?type=installation.deleted&groupRef=leaving");
    await page.getByText("nowhere: its topic has no destination").waitFor();
    await busbar.inProject("DELETE", `/topics/${topic.id}`);
    await visit.closeUntroubled();
  });
};

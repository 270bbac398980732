/** Being told of events: a topic with its routes in one form, a line that is cut, and resending after an outage. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../harness/until.ts";
import type { Suite } from "../dashboard.test.ts";

export const suite: Suite = (on) => {
  test("a topic is made with its routes in one form; cutting a line removes that route only", async () => {
    const { on: busbar } = on();
    const visit = await on().visit();
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
    visit.assertUntroubled();
    await visit.close();
  });

  test("a destination that fails shows it, and the count of a range is shown before it is resent", async () => {
    const { on: busbar } = on();
    const visit = await on().visit();
    const { page } = visit;
    await visit.open("/projects/default/destinations/broken");
    await page.getByRole("button", { name: "Resend a range" }).click();
    await page.getByText(/\d+ failed deliver(y|ies) will be sent again/).waitFor();
    const { body } = await busbar.inProject("GET", "/destinations/broken");
    assert.equal(body.health.state, "failing");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click();
    await page.getByRole("region", { name: "Request of attempt 1" }).waitFor();
    visit.assertUntroubled();
    await visit.close();
  });
};

/** Why an event was not delivered: subscriptions of an installation, and what became of each event of a record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectCustomer } from "../../harness/connect-customer.ts";
import { signedPush } from "../../harness/signed-push.ts";
import { until } from "../../harness/until.ts";
import type { Suite } from "../run-suites.ts";
import type { Dashboard } from "../open-dashboard.ts";

const SECRET = "secret of the dashboard's app";
const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: changes
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: my-app
          requiredFields: [{ fieldName: email }]
    subscribe:
      objects:
        - objectName: contacts
          destination: my-app
          inheritFieldsAndMapping: true
          updateEvent: { enabled: always, requiredWatchFields: [email] }
          deleteEvent: { enabled: always }
`;

export const suite: Suite = (server) => {
  test("an event is found by its record, with why it was filtered or the delivery of its message; missed changes are looked for, and a test event is sent", async () => {
    const { busbar } = server();
    const metadata = { providerParams: { subscribeSource: "webhook" } };
    const app = {
      provider: "hubspot",
      clientId: "changes",
      clientSecret: SECRET,
      scopes: ["oauth"],
      metadata,
    };
    const { body: created } = await busbar.inProject("POST", "/provider-apps", app);
    const customer = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "changing",
      manifest: MANIFEST,
      integration: "changes",
      skipSampling: true,
    });
    const path = `/integrations/changes/installations/${customer.installationId}`;
    await until(
      async () => (await busbar.inProject("GET", `${path}/subscriptions`)).body[0].state === "active",
    );
    const visit = await server().visit();
    const { page } = visit;
    await visit.open(`/projects/default${path}?tab=subscriptions`);
    const subscription = page.getByRole("region", { name: "Subscription to contacts" });
    const reason = await subscription.getByText(/it is not known whether/).boundingBox();
    const whole = await subscription.boundingBox();
    assert.ok(reason && whole && reason.width > whole.width / 2, `${reason?.width} of ${whole?.width}`);
    await push(server(), [
      { subscriptionType: "contact.deletion", objectId: 70_501 },
      { subscriptionType: "contact.propertyChange", objectId: 70_502, propertyName: "phone" },
    ]);
    await subscription.getByText("updates (email), deletions").waitFor();
    await subscription.getByText("2 received, 1 delivered, 1 filtered, 0 sent again").waitFor();

    const events = page.getByRole("table", { name: "Events of the provider" });
    await page.getByLabel("Record", { exact: true }).fill("70502");
    await events.getByText("70501").waitFor({ state: "detached" });
    await events.getByText("filtered", { exact: true }).waitFor();
    await events.getByText(/phone/).waitFor();
    await page.getByLabel("Record", { exact: true }).fill("70501");
    await events.getByRole("button", { name: "70501" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The receiver has accepted the message with its entry.").waitFor();
    await dialog.getByRole("link", { name: "my-app" }).waitFor();
    await dialog.getByText("delivered", { exact: true }).nth(1).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+K");
    const search = page.getByRole("dialog", { name: "Search" });
    await search.getByRole("combobox").fill("70501");
    await search.getByRole("option", { name: /contacts of changing/ }).click();
    await page.getByRole("heading", { name: "Record 70501" }).waitFor();
    await page.getByRole("table", { name: "Seen" }).getByText("delivered", { exact: true }).waitFor();
    await page.getByRole("table", { name: "Messages" }).getByRole("cell", { name: "my-app" }).waitFor();
    await page.getByText("Nobody wrote it through Busbar.").waitFor();
    await visit.follow("/projects/default/customers/changing");
    const deliveries = page.getByRole("table", { name: "Deliveries" });
    await deliveries.getByText("changes", { exact: true }).first().waitFor();
    await page.getByLabel("Kind", { exact: true }).selectOption("schema");
    await deliveries.waitFor({ state: "detached" });
    await page.getByLabel("Kind", { exact: true }).selectOption("subscribe");
    await deliveries.getByText("changes", { exact: true }).first().waitFor();
    await visit.follow(`/projects/default${path}?tab=subscriptions`);
    await page.getByLabel("Record", { exact: true }).fill("1");
    await page.getByText("The provider reported no such change within seven days").waitFor();

    await subscription.getByRole("button", { name: "Send a test event" }).click();
    await dialog.getByLabel("What happened").selectOption("a record was deleted");
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await subscription.getByText("A test event is on its way").waitFor();
    await subscription.getByRole("button", { name: "Find missed changes" }).click();
    await dialog.getByRole("button", { name: "Find", exact: true }).click();
    await subscription.getByText("It was requested through the API.").waitFor();
    await subscription.getByText("succeeded").waitFor();

    await visit.follow("/projects/default/integrations/changes?tab=registration");
    await page.getByText("/subscribe/v1/projects/default/integrations/changes").first().waitFor();
    assert.match(
      await page.getByRole("region", { name: "webhooks-hsmeta.json" }).innerText(),
      /contact\.deletion|object\.deletion/,
    );
    await visit.closeUntroubled();
    await busbar.inProject("DELETE", "/integrations/changes");
    await busbar.inProject("DELETE", `/provider-apps/${created.id}`);
  });
};

const PORTAL = 4_100_410;

/** Sends events as HubSpot does. */
async function push({ busbar, origin }: Dashboard, events: readonly object[]): Promise<void> {
  const place = "/subscribe/v1/projects/default/integrations/changes";
  const about = { subscriptionId: 2, portalId: PORTAL, occurredAt: Date.now(), attemptNumber: 0 };
  const body = JSON.stringify(events.map((event, index) => ({ eventId: index + 1, ...about, ...event })));
  const signed = signedPush(origin + place, body, SECRET);
  const { status, text } = await busbar.call("POST", place, signed.body, signed.headers);
  assert.equal(status, 200, text);
}

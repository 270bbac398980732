/** Two projects whose provider apps are the same app of HubSpot share its journal, and what is selected in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestBusbar, startTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { createEmptyDatabase } from "../../tests/harness/database.ts";
import { openSink } from "../../tests/harness/deliveries/sink.ts";
import { secondProject } from "../../tests/harness/second-project.ts";
import { connectBoth } from "../../tests/harness/two-databases.ts";
import { until } from "../../tests/harness/until.ts";
import { subscribedContacts } from "../../tests/fixtures/subscribed-fixture.ts";

const APP = {
  provider: "hubspot",
  clientSecret: "secret",
  scopes: ["oauth", "crm.objects.contacts.read"],
  metadata: { providerParams: { subscribeSource: "journal" } },
};

/** Subscribes to the changes of one field, and returns how to end that. */
async function subscribe(
  busbar: TestBusbar,
  field: string,
  { clientId, sink }: { clientId: string; sink: string },
) {
  const app = await busbar.inProject("POST", "/provider-apps", { ...APP, clientId });
  assert.equal(app.status, 200, app.text);
  await addWebhook(busbar, "changes", `${sink}/${field}`);
  const { installationId } = await connectCustomer(busbar, {
    provider: "hubspot",
    integration: "crm",
    manifest: subscribedContacts(`updateEvent: { enabled: always, requiredWatchFields: [${field}] }`),
  });
  const path = `/integrations/crm/installations/${installationId}`;
  const state = async () => (await busbar.inProject("GET", `${path}/subscriptions`)).body[0]?.state;
  return {
    state,
    active: () => until(async () => (await state()) === "active"),
    remove: () => busbar.inProject("DELETE", path),
  };
}

test("projects with the same app of HubSpot neither remove nor narrow what the other has selected", async (t) => {
  const sink = await openSink();
  t.after(() => sink.close());
  const busbar = await startTestBusbar(t, {
    env: {
      BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0",
      // A journal rests no longer.
      BUSBAR_SUBSCRIBE_POLL_SECONDS: "1",
      BUSBAR_RETRY_BASE_SECONDS: "0.1",
    },
  });
  const { journal, account } = busbar.sandbox.hubspot;
  busbar.sandbox.hubspot.setLimits("off");
  journal.settings = { ...journal.settings, granted: true };
  const properties = () => [...journal.subscriptions.values()].map((one) => one.properties);
  const other = await secondProject(busbar);

  const ours = await subscribe(busbar, "phone", { clientId: "app", sink: sink.url });
  await ours.active();
  assert.deepEqual(properties(), [["phone"]]);
  const theirs = await subscribe(other, "email", { clientId: "app", sink: sink.url });
  await theirs.active();
  assert.deepEqual(properties(), [["email", "phone"]]);

  await ours.remove();
  await until(async () => (await streams(busbar)) === 1);
  assert.equal(journal.subscriptions.size, 1);
  account.put("contacts", { id: "501", values: { email: "still@x.example" }, stamp: true });
  await until(() => sink.messagesAt("/email").length > 0);
  assert.equal(await theirs.state(), "active");

  await theirs.remove();
  await until(() => journal.subscriptions.size === 0);
});

test("what a project selects while another one deselects it is selected again, also if the answer to that is lost", async (t) => {
  const busbar = await startTestBusbar(t, { env: { BUSBAR_RETRY_BASE_SECONDS: "0.1" } });
  const { journal } = busbar.sandbox.hubspot;
  busbar.sandbox.hubspot.setLimits("off");
  journal.settings = { ...journal.settings, granted: true };
  const other = await secondProject(busbar);
  const sink = "http://127.0.0.1:9";
  const ours = await subscribe(busbar, "phone", { clientId: "app", sink });
  await ours.active();
  const path = "/webhooks-journal/subscriptions/";
  busbar.sandbox.addFault({ provider: "hubspot", method: "DELETE", path, delayMs: 4_000, reset: "after" });
  const isDeselecting = () => busbar.sandbox.requests({ method: "DELETE" }).length > 0;
  await ours.remove();
  await until(isDeselecting);
  const theirs = await subscribe(other, "email", { clientId: "app", sink });
  await theirs.active();
  await until(async () => (await streams(busbar)) === 1);
  await until(() => journal.subscriptions.size === 1);
  assert.deepEqual(
    [...journal.subscriptions.values()].map((one) => one.properties),
    [["email"]],
  );
});

test("an app that cannot prove to be the same changes nothing of what another project has selected", async (t) => {
  const busbar = await startTestBusbar(t, { env: { BUSBAR_RETRY_BASE_SECONDS: "0.1" } });
  const { journal } = busbar.sandbox.hubspot;
  busbar.sandbox.hubspot.setLimits("off");
  journal.settings = { ...journal.settings, granted: true };
  const sink = "http://127.0.0.1:9";
  const ours = await subscribe(busbar, "phone", { clientId: "app", sink });
  await ours.active();
  const other = await secondProject(busbar);
  const body = { status: "BAD_CLIENT_SECRET", message: "missing or invalid client secret" };
  busbar.sandbox.addFault({ provider: "hubspot", path: "/oauth", status: 401, body });
  const theirs = await subscribe(other, "email", { clientId: "app", sink });
  await until(async () => (await theirs.state()) === "failed");
  busbar.sandbox.clearFaults();
  await ours.remove();
  await until(() => journal.subscriptions.size === 0);
});

test("customers of the same account in two shards neither remove nor narrow what the other has selected", async (t) => {
  const last: (() => Promise<void>)[] = [];
  const urls = { a: await createEmptyDatabase({ after: (callback) => void last.push(callback) }) };
  const sink = await openSink();
  const busbar = await openTestBusbar({
    isDivided: false,
    shards: urls,
    env: {
      BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0",
      BUSBAR_SUBSCRIBE_POLL_SECONDS: "1",
      BUSBAR_RETRY_BASE_SECONDS: "0.1",
    },
  });
  t.after(async () => {
    await busbar.stop();
    await sink.close();
    for (const callback of last) await callback();
  });
  const { journal, account } = busbar.sandbox.hubspot;
  busbar.sandbox.hubspot.setLimits("off");
  journal.settings = { ...journal.settings, granted: true };
  const properties = () => [...journal.subscriptions.values()].map((one) => one.properties);
  const other = await secondProject(busbar);
  await other.inProject("POST", "/groups", { groupRef: "acme", groupName: "Acme" });
  await runSql(busbar, "update groups set shard = 'a'");

  const ours = await subscribe(busbar, "phone", { clientId: "app", sink: sink.url });
  await ours.active();
  const theirs = await subscribe(other, "email", { clientId: "app", sink: sink.url });
  await theirs.active();
  assert.deepEqual(properties(), [["email", "phone"]]);

  await ours.remove();
  await until(async () => (await streams(busbar)) === 0);
  assert.equal(journal.subscriptions.size, 1);
  account.put("contacts", { id: "501", values: { email: "still@x.example" }, stamp: true });
  await until(() => sink.messagesAt("/email").length > 0);

  await theirs.remove();
  await until(() => journal.subscriptions.size === 0);
});

/** How many journals Busbar reads. */
const streams = async (busbar: Parameters<typeof connectBoth>[0]): Promise<number> =>
  (await runSql(busbar, "select from event_streams")) ?? 0;

async function runSql(busbar: Parameters<typeof connectBoth>[0], statement: string) {
  const sql = await connectBoth(busbar);
  const { rowCount } = await sql.query(statement);
  await sql.end();
  return rowCount;
}

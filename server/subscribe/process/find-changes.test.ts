/** Changes that no push reported: they are found by reading, in a reconciliation or by polling. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";
import { openSubscriptions } from "../../../tests/harness/subscriptions.ts";
import { subscribedContacts } from "../../../tests/fixtures/subscribed-fixture.ts";

const manifest = subscribedContacts(
  "createEvent: { enabled: always }",
  "updateEvent: { enabled: always, watchFieldsAuto: all }",
  "deleteEvent: { enabled: always }",
);

const sink = await openSink();
const busbar = await shareTestBusbar({
  env: { BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0", BUSBAR_SUBSCRIBE_POLL_SECONDS: "1" },
});
after(() => sink.close());

describe("finding changes by reading", () => {
  let customer: Customer;
  let appId: string;
  before(async () => {
    busbar.sandbox.hubspot.setLimits("off");
    const app = { provider: "hubspot", clientId: "app", clientSecret: "secret", scopes: ["oauth"] };
    const { body } = await busbar.inProject("POST", "/provider-apps", {
      ...app,
      metadata: source("webhook"),
    });
    appId = body.id;
    await addWebhook(busbar, "changes", `${sink.url}/changes`);
    customer = await connectCustomer(busbar, { provider: "hubspot", manifest, integration: "crm" });
    await untilSource("webhook");
  });

  const source = (subscribeSource: string) => ({ providerParams: { subscribeSource } });
  const { installation, subscription, entries } = openSubscriptions(() => ({ busbar, sink, customer }));
  const untilSource = (name: string): Promise<unknown> =>
    until(async () => {
      const one = await subscription();
      return one?.source === name && one.state === "active";
    });
  const put = (values: Record<string, string>, id?: string): string =>
    busbar.sandbox.hubspot.account.put("contacts", { ...(id !== undefined && { id }), values, stamp: true });
  const reconcile = async (since: Date): Promise<Answer["body"]> => {
    const before = (await subscription()).reconciliation?.endTime;
    const answer = await busbar.inProject("POST", `${installation()}/subscriptions:reconcile`, {
      since: since.toISOString(),
      objects: ["contacts"],
    });
    assert.equal(answer.status, 202, answer.text);
    let last: Answer["body"];
    await until(async () => {
      last = (await subscription()).reconciliation;
      return last?.state === "succeeded" && last.since === since.toISOString() && last.endTime !== before;
    });
    return last;
  };
  const untilNothingWaits = (): Promise<unknown> =>
    until(async () => {
      const { results } = (
        await busbar.inProject("GET", `${installation()}/subscription-events?pageSize=200`)
      ).body;
      return results.every(({ endTime }: { endTime?: string }) => endTime !== undefined);
    });

  test("a reconciliation delivers created, updated and deleted records, and no state twice", async () => {
    const since = new Date();
    const created = put({ email: "new@x.example", phone: "1" });
    put({ phone: "2" }, "501");
    busbar.sandbox.hubspot.account.archive("contacts", "502");
    const { found } = await reconcile(since);
    assert.ok(found >= 3, String(found));
    const ids = [created, "501", "502"];
    await until(() => ids.every((id) => entries(id).length > 0));
    assert.deepEqual(
      ids.map((id) => [entries(id)[0].subscribeEventType, entries(id)[0].providerEventType]),
      [
        ["create", "RECONCILED"],
        ["update", "RECONCILED"],
        ["delete", "RECONCILED"],
      ],
    );
    const [update] = entries("501");
    assert.equal(update.fields.phone, "2");
    assert.equal(update.fieldsUpdated, undefined);
    assert.equal(update.rawEvent.reconciled, true);
    assert.equal(update.rawEvent.since, since.toISOString());
    assert.deepEqual([entries("502")[0].fields, entries("502")[0].raw], [{}, undefined]);

    put({ phone: "3" }, "501");
    await reconcile(since);
    await until(() => entries("501").length > 1);
    await untilNothingWaits();
    assert.deepEqual(
      ids.map((id) => entries(id).length),
      [1, 2, 1],
    );
    assert.equal(entries("501")[1].fields.phone, "3");
    const path = `${installation()}/subscription-events?recordId=${created}&outcome=repeated`;
    const [line] = (await busbar.inProject("GET", path)).body.results;
    assert.match(line.reason, /same state of the record is in a message already/);
  });

  test("a time that cannot be read or is to come, and an unknown object, are refused", async () => {
    const path = `${installation()}/subscriptions:reconcile`;
    const since = "2026-01-31T12:00:00Z";
    for (const body of [
      {},
      { since: "yesterday" },
      { since: "2026-01-31" },
      { since: "2026-01-31T12:00:00" },
      { since: "2999-01-31T12:00:00Z" },
      { since, objects: ["contact"] },
      { since, objects: [] },
    ]) {
      const { status, text } = await busbar.inProject("POST", path, body);
      assert.equal(status, 400, `${JSON.stringify(body)}: ${text}`);
    }
  });

  test("polling delivers changes from its begin on, each once", async () => {
    const providerApp = { metadata: source("polling") };
    await busbar.inProject("PATCH", `/provider-apps/${appId}`, { updateMask: ["metadata"], providerApp });
    await untilSource("polling");
    const created = put({ email: "polled@x.example", phone: "1" });
    await until(() => entries(created).length > 0);
    put({ phone: "2" }, created);
    await until(() => entries(created).length > 1);
    const [first, second] = entries(created);
    const { occurredAt, ...rawEvent } = first.rawEvent;
    assert.equal(first.providerEventType, "object.creation");
    assert.deepEqual(rawEvent, {
      polled: true,
      subscriptionType: "object.creation",
      objectTypeId: "0-1",
      objectId: Number(created),
      changeSource: "POLL",
    });
    assert.equal(typeof occurredAt, "number");
    assert.deepEqual([second.subscribeEventType, second.fields.phone], ["update", "2"]);
    const polledUntil = new Date((await subscription()).polledUntil);
    await until(async () => new Date((await subscription()).polledUntil) > polledUntil);
    await untilNothingWaits();
    assert.equal(entries(created).length, 2);
  });

  test("a source that the provider does not have is refused", async () => {
    const providerApp = { metadata: source("pubsub") };
    const body = { updateMask: ["metadata"], providerApp };
    const { status, text } = await busbar.inProject("PATCH", `/provider-apps/${appId}`, body);
    assert.equal(status, 422, text);
    assert.match(text, /auto, webhook, journal, polling/);
  });
});

/** What is told of a change while its receiver refuses, cannot be reached, accepts, or has gone. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { accept, openSink, type Answerer } from "../../tests/harness/deliveries/sink.ts";
import { addPushedApp, signedPush } from "../../tests/harness/signed-push.ts";
import { openSubscriptions } from "../../tests/harness/subscriptions.ts";
import { connectBoth } from "../../tests/harness/two-databases.ts";
import { until } from "../../tests/harness/until.ts";
import { subscribedContacts } from "../../tests/fixtures/subscribed-fixture.ts";

const SECRET = "the-apps-secret";
const PORTAL = 4100410;
const refuse =
  (status: number): Answerer =>
  (_received, response) =>
    void response.writeHead(status).end("no");

const sink = await openSink();
const busbar = await shareTestBusbar({
  env: {
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "1",
    BUSBAR_RETRY_BASE_SECONDS: "0.1",
    // The next attempt is made by resending.
    BUSBAR_WEBHOOK_RETRY_SECONDS: "3600",
  },
});
after(() => sink.close());

describe("outcomes of changes", () => {
  let customer: Customer;
  let destinationId: string;
  before(async () => {
    busbar.sandbox.hubspot.setLimits("off");
    await addPushedApp(busbar, SECRET);
    const metadata = { url: `${sink.url}/changes` };
    const made = await busbar.inProject("POST", "/destinations", {
      name: "changes",
      type: "webhook",
      metadata,
    });
    destinationId = made.body.id;
    const manifest = subscribedContacts("deleteEvent: { enabled: always }");
    customer = await connectCustomer(busbar, { provider: "hubspot", manifest, integration: "crm" });
    await until(async () => (await subscription())?.state === "active");
  });

  const { installation, subscription, lines } = openSubscriptions(() => ({ busbar, sink, customer }));
  let lastEventId = 0;
  const report = async (objectId: number, count = 1, kind = "deletion"): Promise<void> => {
    const event = {
      subscriptionId: 2,
      portalId: PORTAL,
      subscriptionType: `contact.${kind}`,
      attemptNumber: 0,
      objectId,
    };
    const events = Array.from({ length: count }, (_, index) => ({
      ...event,
      eventId: (lastEventId += 1),
      occurredAt: Date.now() + index,
    }));
    const path = "/subscribe/v1/projects/default/integrations/crm";
    const signed = signedPush(new URL(busbar.server.urls.base).origin + path, JSON.stringify(events), SECRET);
    const { status, text } = await busbar.call("POST", path, signed.body, signed.headers);
    assert.equal(status, 200, text);
  };
  const untilOutcome = async (recordId: number, outcome: string) => {
    await until(async () => {
      const all = await lines(String(recordId));
      return all.length > 0 && all.every((line) => line.outcome === outcome && line.delivery?.lastAttempt);
    });
    return (await lines(String(recordId)))[0];
  };
  const resend = async (messageId: string): Promise<void> => {
    const { status, text } = await busbar.inProject(
      "POST",
      `/destinations/${destinationId}/deliveries/${messageId}:resend`,
    );
    assert.ok(status < 300, text);
  };
  const delivered = async (): Promise<number> => (await subscription()).counts.delivered;

  test("a change that the receiver answers with 503 is refused, not delivered, and is delivered when it answers 2xx", async () => {
    const before = await delivered();
    sink.answer = refuse(503);
    await report(70_001);
    const line = await untilOutcome(70_001, "refused");
    assert.equal(line.delivery.destinationName, "changes");
    assert.equal(line.delivery.status, "waiting");
    assert.ok(Date.parse(line.delivery.nextAttemptTime) > Date.now());
    assert.equal(line.delivery.lastAttempt.status, 503);
    assert.equal(await delivered(), before);
    const list = `${installation()}/subscription-events?outcome=`;
    const readRecords = async (outcome: string) =>
      (await busbar.inProject("GET", list + outcome)).body.results.map(
        (row: { recordId: string }) => row.recordId,
      );
    assert.deepEqual(await readRecords("refused"), ["70001"]);
    assert.deepEqual(await readRecords("delivered"), []);

    sink.answer = accept;
    await resend(line.messageId);
    assert.equal((await untilOutcome(70_001, "delivered")).delivery.status, "delivered");
    assert.equal(await delivered(), before + 1);
    assert.deepEqual(await readRecords("refused"), []);
    assert.deepEqual(await readRecords("delivered"), ["70001"]);
  });

  test("a message that is sent again counts once, and stays delivered when the receiver refuses it then", async () => {
    const before = await delivered();
    await report(70_002);
    const { messageId } = await untilOutcome(70_002, "delivered");
    const arrived = (): number =>
      sink.at("/changes").filter(({ headers }) => headers["webhook-id"] === messageId).length;
    const path = `/destinations/${destinationId}/deliveries/${messageId}`;
    for (const [answer, state] of [
      [accept, "delivered"],
      [refuse(500), "waiting"],
    ] as const) {
      sink.answer = answer;
      const known = arrived();
      await resend(messageId);
      await until(
        async () => arrived() > known && (await busbar.inProject("GET", path)).body.status === state,
      );
      assert.equal((await untilOutcome(70_002, "delivered")).delivery.status, state);
      assert.equal(await delivered(), before + 1);
    }
    sink.answer = accept;
  });

  test("a receiver that cannot be reached has not refused: the change is in a message", async () => {
    sink.answer = (_received, response) => void response.destroy();
    await report(70_003);
    const line = await untilOutcome(70_003, "in_message");
    assert.equal(line.delivery.lastAttempt.status, undefined);
    assert.notEqual(line.delivery.lastAttempt.error, undefined);
    sink.answer = accept;
    await resend(line.messageId);
    await untilOutcome(70_003, "delivered");
  });

  test("a privacy deletion is stored only together with the removal of the record's earlier events", async () => {
    await report(70_005);
    await untilOutcome(70_005, "delivered");
    const client = new Client({ connectionString: busbar.dataUrl ?? busbar.connectionString });
    await client.connect();
    // A sequence counts the attempts, because it is not rolled back with them.
    await client.query(`create sequence erasures;
      grant usage on sequence erasures to public;
      create function refuse_erasure() returns trigger language plpgsql as
        $$ begin perform nextval('erasures'); raise exception 'no row is removed now'; end $$;
      create trigger refuse_erasure before delete on subscription_events for each row execute function refuse_erasure()`);
    await report(70_005, 1, "privacyDeletion");
    await until(async () => (await client.query("select is_called from erasures")).rows[0].is_called);
    const types = async () =>
      (
        await client.query(
          "select provider_event_type as type, outcome from subscription_events where record_id = '70005' order by id",
        )
      ).rows.map(({ type, outcome }) => `${type}: ${outcome}`);
    assert.deepEqual(await types(), ["contact.deletion: delivered", "contact.privacyDeletion: null"]);
    await client.query("drop trigger refuse_erasure on subscription_events");
    await until(async () => (await types()).length === 1);
    assert.deepEqual(await types(), ["contact.privacyDeletion: delivered"]);
    await client.end();
    // The row says that it is in a message; its receiver's answer is counted here, and not in a later test.
    await untilOutcome(70_005, "delivered");
  });

  test("a change whose receiver has gone is given up, and that is still told when the message is no longer kept", async () => {
    const before = await delivered();
    sink.answer = refuse(410);
    await report(70_004);
    const line = await untilOutcome(70_004, "given_up");
    assert.equal(line.delivery.status, "failed");
    assert.equal(await delivered(), before);
    const client = await connectBoth(busbar);
    // As retention removes them with their age.
    await client.query("delete from deliveries");
    await client.query("delete from events");
    await client.end();
    assert.equal((await lines("70004"))[0].outcome, "given_up");
    assert.equal((await lines("70001"))[0].outcome, "delivered");
  });
});

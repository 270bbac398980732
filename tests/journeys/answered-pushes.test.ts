/** Pushes that were answered are delivered once and in order, whatever happens to the processes. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Client } from "pg";
import type { ChildBusbar } from "../harness/child-busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { OWN_LOCKS } from "../harness/database.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { openProcessGroup } from "../harness/process-group.ts";
import { signedPush } from "../harness/signed-push.ts";
import { until } from "../harness/until.ts";

const SECRET = "the-apps-secret";
const PLACE = "/subscribe/v1/projects/default/integrations/crm";
const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read: { objects: [{ objectName: contacts, destination: changes, requiredFields: [{ fieldName: phone }] }] }
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
          updateEvent: { enabled: always, watchFieldsAuto: all }
`;

const sink = await openSink();
// Each event is an entry of its own.
const group = await openProcessGroup({ BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0" });
after(() => group.stop());
after(() => sink.close());

group.sandbox.hubspot.setLimits("off");
const first = await group.start();
const database = new Client({ connectionString: group.connectionString });
await database.connect();
const metadata = { providerParams: { subscribeSource: "webhook" } };
const app = { provider: "hubspot", clientId: "app", clientSecret: SECRET, scopes: ["oauth"], metadata };
await first.inProject("POST", "/provider-apps", app);
await addWebhook(first, "changes", `${sink.url}/changes`);
const busbar = { ...first, sandbox: group.sandbox };
await connectCustomer(busbar, { provider: "hubspot", manifest, integration: "crm" });
const active = "select from subscriptions where state = 'active'";
await until(async () => (await database.query(active)).rowCount === 1);

describe("answered pushes", () => {
  /** Started after it. */
  const running: ChildBusbar[] = [];
  after(async () => {
    await database?.end();
  });

  let time = 1_789_378_000_000;
  async function push({ origin }: ChildBusbar, recordId: number, propertyValue: string): Promise<void> {
    const event = {
      portalId: 4100410,
      subscriptionId: 70_001,
      // The time does not tell the order of all of them.
      occurredAt: 5 * Math.floor(time++ / 5),
      subscriptionType: "contact.propertyChange",
      objectId: recordId,
      propertyName: "phone",
      propertyValue,
      messageId: `${recordId}/${propertyValue}`,
    };
    const body = JSON.stringify([event]);
    // What a busy database has not stored in time is sent again, as HubSpot does; it is known by its id if it was.
    await until(async () => {
      const { headers } = signedPush(`${origin}${PLACE}`, body, SECRET);
      const answer = await fetch(`${origin}${PLACE}`, { method: "POST", body, headers });
      const text = await answer.text();
      if (answer.status === 503 && text.includes("did not store the events in time")) return false;
      assert.equal(answer.status, 200, text);
      return true;
    });
  }
  const countStored = async (query: string): Promise<number> => (await database.query(query)).rowCount ?? 0;
  const untilDelivered = (count: number): Promise<unknown> =>
    until(
      async () =>
        (await countStored("select from subscription_events where outcome = 'delivered'")) === count,
    );
  /** In the order in which messages were made of them. */
  const listValues = async (recordId: number): Promise<string[]> => {
    const query =
      "select raw::json ->> 'propertyValue' as value from subscription_events where record_id = $1 order by end_time";
    return (await database.query(query, [String(recordId)])).rows.map(({ value }) => value);
  };
  const arrived = (): string[] =>
    sink
      .messagesAt("/changes")
      .flatMap(({ body }) => JSON.parse(body).result)
      .map(({ rawEvent }) => rawEvent.messageId);

  test("a process that is killed (-9) between storing and taking pushes apart loses none, and none comes twice", async () => {
    const values = ["1", "2", "3", "4", "5"];
    await database.query("begin; lock table subscription_events in exclusive mode");
    for (const value of values) await push(first, 501, value);
    await until(
      async () =>
        (await countStored(
          `select from pg_locks where not granted and relation = 'subscription_events'::regclass and ${OWN_LOCKS}`,
        )) > 0,
    );
    assert.ok((await countStored("select from received_pushes")) > 0);
    assert.equal(await countStored("select from subscription_events"), 0);
    first.signal("SIGKILL");
    await first.exited;
    await database.query("rollback");
    assert.ok((await countStored("select from received_pushes")) > 0);
    running.push(await group.start());
    await untilDelivered(values.length);
    assert.deepEqual(await listValues(501), values);
    assert.equal(await countStored("select from received_pushes"), 0);
    await until(() => arrived().length >= values.length);
    assert.deepEqual(
      arrived().toSorted(),
      values.map((value) => `501/${value}`),
    );
  });

  test("two processes, one without workers, keep the order of a record whose changes they get in turns", async () => {
    const [one, other] = await Promise.all([group.start({ BUSBAR_ROLES: "api" }), group.start()]);
    running.push(one, other);
    const before = await countStored("select from subscription_events");
    const values = Array.from({ length: 40 }, (_, index) => String(index + 1));
    const record = async (recordId: number): Promise<void> => {
      for (const [index, value] of values.entries())
        await push(index % 2 === 0 ? one : other, recordId, value);
    };
    await Promise.all([record(502), record(503), record(504)]);
    await untilDelivered(before + 3 * values.length);
    for (const recordId of [502, 503, 504]) assert.deepEqual(await listValues(recordId), values);
  });

  test("what a suspended process was taking apart, another one takes; when it continues, nothing comes twice or out of order", async () => {
    const [suspended, , other] = running;
    assert.ok(suspended && other);
    const before = await countStored("select from subscription_events");
    other.signal("SIGSTOP");
    await database.query("begin; lock table subscription_events in exclusive mode");
    await push(suspended, 506, "1");
    await push(suspended, 506, "2");
    await until(
      async () =>
        (await countStored(
          `select from pg_locks where not granted and relation = 'subscription_events'::regclass and ${OWN_LOCKS}`,
        )) > 0,
    );
    // Now its transaction is open, and PostgreSQL hears nothing more of it.
    suspended.signal("SIGSTOP");
    await database.query("rollback");
    other.signal("SIGCONT");
    await push(other, 506, "3");
    await untilDelivered(before + 3);
    assert.deepEqual(await listValues(506), ["1", "2", "3"]);
    suspended.signal("SIGCONT");
    await push(suspended, 506, "4");
    await push(other, 506, "5");
    await untilDelivered(before + 5);
    assert.deepEqual(await listValues(506), ["1", "2", "3", "4", "5"]);
    const ofRecord = (): string[] => arrived().filter((id) => id.startsWith("506/"));
    await until(() => ofRecord().length >= 5);
    assert.deepEqual(ofRecord().toSorted(), ["506/1", "506/2", "506/3", "506/4", "506/5"]);
  });

  test("a process that is stopped leaves no push that it has answered, for the version before knows none", async () => {
    const last = await group.start();
    for (const child of running) child.signal("SIGTERM");
    await Promise.all(running.map(({ exited }) => exited));
    const before = await countStored("select from subscription_events");
    await database.query("begin; lock table subscription_events in exclusive mode");
    for (const value of ["1", "2", "3"]) await push(last, 505, value);
    last.signal("SIGTERM");
    await until(() =>
      fetch(last.origin).then(
        () => false,
        () => true,
      ),
    );
    assert.ok((await countStored("select from received_pushes")) > 0);
    await database.query("rollback");
    await last.exited;
    assert.equal(await countStored("select from received_pushes"), 0);
    assert.equal(await countStored("select from subscription_events"), before + 3);
  });
});

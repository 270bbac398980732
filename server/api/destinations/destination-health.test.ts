/** Why a destination fails: the last failed attempt and the next one, by API and command line, and for the customers it concerns. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { runCli } from "../../../tests/harness/command-line.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { openDelivering, type Delivering } from "../../../tests/harness/deliveries/delivering.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { accept } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";

const GAP_SECONDS = 9_000;
/** With these times a destination that fails is still failing whenever it is looked at. */
const LONG_TIMES = {
  BUSBAR_WEBHOOK_RETRY_SECONDS: Array.from({ length: 3 }, () => GAP_SECONDS).join(),
  BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS: "90000",
  BUSBAR_MINUTE_MS: "60000",
};

const all = await openDelivering(LONG_TIMES);
after(() => all.close());

describe("the health of a destination", () => {
  const show = async (name: string, { busbar } = all) =>
    (await busbar.inProject("GET", `/destinations/${name}`)).body;
  const failing = (name: string, where = all) =>
    until(async () => {
      const { health } = await show(name, where);
      return health.state === "failing" && health.lastFailure && health;
    });
  const cli = async (...args: string[]) => {
    const env = {
      BUSBAR_URL: new URL(all.busbar.server.urls.base).origin,
      BUSBAR_API_KEY: all.busbar.apiKey,
      BUSBAR_PROJECT: "default",
    };
    return (await runCli(args, { env })).stdout;
  };

  test("names the status of the last failed attempt, its time and the next attempt, until a success", async () => {
    all.sink.answer = (_received, response) => void response.writeHead(503).end("maintenance");
    const { id, name } = await drawRoute(all.busbar, `${all.sink.url}/down`, ["connection.created"]);
    await all.happens("connection.created", 2);
    const attempted = await until(async () => {
      const list = await all.listDeliveries(name);
      return (
        list.length === 2 &&
        list.every((one) => one.status === "waiting" && one.attempts.length === 1) &&
        list
      );
    });
    const { failingSince, lastFailure, nextAttemptTime, waiting } = await failing(name);
    assert.deepEqual([lastFailure.status, lastFailure.error], [503, "the receiver answered 503"]);
    const times = attempted.map(({ attempts }) => attempts[0].time);
    assert.equal(lastFailure.time, times.toSorted().at(-1));
    // A fifth of jitter.
    const inSeconds = (Date.parse(nextAttemptTime) - Date.parse(failingSince)) / 1_000;
    assert.ok(inSeconds > GAP_SECONDS * 0.79 && inSeconds < GAP_SECONDS * 1.21 + 60, String(inSeconds));
    assert.equal(waiting, 2);
    const listed = (await all.busbar.inProject("GET", "/destinations")).body;
    assert.deepEqual(listed.find((one: { id: string }) => one.id === id).health.lastFailure, lastFailure);

    assert.match(
      await cli("list", "destinations"),
      new RegExp(`${name} .*failing.*the receiver answered 503`),
    );
    const shown = await cli("get", "destination", name);
    assert.match(shown, /failing/);
    assert.match(shown, /the receiver answered 503/);
    assert.match(shown, /nextAttemptTime/i);
    assert.match(
      await cli("doctor"),
      new RegExp(
        `✗ destination ${name}: is failing since .*: the receiver answered 503; the next attempt is`,
      ),
    );

    all.sink.answer = accept;
    await all.busbar.inProject("POST", `/destinations/${name}:test`);
    await all.untilStatus(name, "delivered", 2);
    const working = await until(async () => {
      const { health } = await show(name);
      return health.state === "working" && health;
    });
    assert.deepEqual([working.lastFailure, working.nextAttemptTime], [undefined, undefined]);
  });

  /** Returns why a message to this address could not be delivered. */
  async function fault(delivering: Delivering, url: string): Promise<{ status?: number; error: string }> {
    const { name } = await drawRoute(delivering.busbar, url, ["connection.updated"]);
    await delivering.happens("connection.updated");
    const { lastFailure } = await failing(name, delivering);
    await delivering.busbar.inProject("DELETE", `/destinations/${name}`);
    return lastFailure;
  }

  test("names what no answer can: an address that does not speak TLS", async () => {
    const { status, error } = await fault(all, all.sink.url.replace("http:", "https:"));
    assert.equal(status, undefined);
    assert.match(
      error,
      /^cannot connect to 127\.0\.0\.1:\d+: it does not speak TLS there \(wrong version number\)$/,
    );
  });

  test("names a receiver that does not answer in time", async (t) => {
    // Of its own: on a busy machine, receivers that answer would take longer than this, too.
    const hasty = await openDelivering({ ...LONG_TIMES, BUSBAR_WEBHOOK_TIMEOUT_SECONDS: "1" });
    t.after(() => hasty.close());
    hasty.sink.answer = () => {};
    const { status, error } = await fault(hasty, `${hasty.sink.url}/silent`);
    assert.equal(status, undefined);
    assert.match(error, /did not answer within 1 s/);
  });

  test("stays failing while its settings are changed, until a message is accepted; a change sends at once what waits", async () => {
    all.sink.answer = ({ path }, response) =>
      void response.writeHead(path === "/right" ? 200 : 404).end("answer");
    const { name } = await drawRoute(all.busbar, `${all.sink.url}/wrong`, ["connection.deleted"]);
    await all.happens("connection.deleted");
    const { failingSince } = await failing(name);
    const move = (path: string) =>
      all.busbar.inProject("PATCH", `/destinations/${name}`, {
        updateMask: ["metadata.url"],
        destination: { metadata: { url: `${all.sink.url}/${path}` } },
      });
    assert.equal((await move("also-wrong")).status, 200);
    // Its result is saved, too: an attempt that is still being made with the settings of before does not wait for the change.
    await until(async () => (await all.listDeliveries(name))[0]?.attempts.length === 2);
    assert.equal(all.sink.at("/also-wrong").length, 1);
    const still = await failing(name);
    assert.equal(still.failingSince, failingSince);
    await move("right");
    await all.untilStatus(name, "delivered");
    await until(async () => (await show(name)).health.state === "working");
  });

  test("is told with its reason where a customer's data goes there", async () => {
    all.sink.answer = (_received, response) => void response.writeHead(500).end();
    const { id, name } = await drawRoute(all.busbar, `${all.sink.url}/crm`, []);
    const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: ${name}
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: email }]
          backfill: { defaultPeriod: { fullHistory: true } }`;
    const content = { read: { objects: { contacts: {} } } };
    const { installationId, groupRef } = await connectCustomer(all.busbar, {
      provider: "hubspot",
      manifest,
      integration: "crm",
      content,
    });
    const path = `/integrations/crm/installations/${installationId}`;
    const told =
      /It is failing: no message was accepted since then\. The first attempt failed: the receiver answered 500\b/;
    await until(async () =>
      told.test((await all.busbar.inProject("GET", path)).body.healthReasons[0]?.detail),
    );
    const { results } = (await all.busbar.inProject("GET", `/groups?text=${groupRef}`)).body;
    assert.match(results[0].healthReasons[0].detail, told);
    const { causes } = (await all.busbar.inProject("GET", `${path}/records/contacts/unknown`)).body;
    assert.match(causes.join("\n"), /the receiver answered 500.*Mend the receiver/);
    assert.equal((await show(name)).id, id);
  });
});

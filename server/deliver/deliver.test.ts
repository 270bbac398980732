/** From an event to its receivers: routes, signatures, retries, disabling, resending, over a real Busbar. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { createLog } from "../ground/log.ts";
import { openDatabase, type Database } from "../store/database.ts";
import { sampleEvent } from "./payloads/sample-event.ts";
import { recordEvent, recordEvents } from "./record-event.ts";
import { drawRoute } from "./testing/routes.ts";
import { openSink, accept, type Received, type Sink } from "./testing/sink.ts";
import { until } from "./testing/until.ts";

describe("deliveries", () => {
  let on: TestBusbar;
  let sink: Sink;
  let database: Database;
  after(async () => {
    await database.close();
    await on.stop();
    await sink.close();
  });
  before(async () => {
    sink = await openSink();
    on = await openTestBusbar({
      env: {
        BUSBAR_WEBHOOK_RETRY_SECONDS: "0.05,0.05,0.1",
        BUSBAR_WEBHOOK_TIMEOUT_SECONDS: "1",
        BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS: "1",
        BUSBAR_MINUTE_MS: "100",
      },
    });
    database = await openDatabase({
      connectionString: on.connectionString,
      log: createLog("silent"),
      poolSize: 2,
    });
  });

  const happens = (type: Parameters<typeof sampleEvent>[0]) =>
    recordEvent(database.queries, sampleEvent(type, on.projectId));
  const deliveriesOf = async (name: string) =>
    (await on.inProject("GET", `/destinations/${name}/deliveries`)).body.results;

  test("a message is verified by the Svix and the Standard Webhooks libraries, and not with another key", async () => {
    const { signingKey, name } = await drawRoute(on, `${sink.url}/signed`, ["connection.created"], {
      headers: { Authorization: "Bearer t" },
    });
    await happens("connection.created");
    const [one] = await until("it arrives", () => sink.at("/signed").length > 0 && sink.at("/signed"));
    assert.ok(one);
    new SvixWebhook(signingKey).verify(one.body, one.headers);
    new StandardWebhook(signingKey).verify(one.body, one.headers);
    const other = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
    assert.throws(() => new SvixWebhook(other).verify(one.body, one.headers));
    assert.throws(() => new StandardWebhook(other).verify(one.body, one.headers));
    assert.equal(one.headers["authorization"], "Bearer t");
    assert.equal(one.headers["content-type"], "application/json");
    assert.deepEqual(one.message, {
      notificationType: "connection.created",
      data: sampleEvent("connection.created", on.projectId).data,
    });
    const [delivery] = await until("it is noted", async () => {
      const list = await deliveriesOf(name);
      return list[0]?.status === "delivered" && list;
    });
    assert.equal(delivery.id, one.headers["webhook-id"]);
    assert.equal(delivery.attempts[0].answer, "thank you");
    assert.equal(delivery.attempts[0].status, 200);
  });

  test("a failed attempt is repeated with the same id and a signature of its own time", async () => {
    let left = 2;
    sink.answer = (received, response) =>
      received.path === "/flaky" && left-- > 0
        ? void response.writeHead(503, { "retry-after": "0" }).end("later")
        : accept(received, response);
    const { signingKey, name } = await drawRoute(on, `${sink.url}/flaky`, ["connection.updated"]);
    await happens("connection.updated");
    const arrived = await until("three attempts", () => sink.at("/flaky").length === 3 && sink.at("/flaky"));
    assert.equal(new Set(arrived.map(({ headers }) => headers["svix-id"])).size, 1);
    for (const one of arrived) new SvixWebhook(signingKey).verify(one.body, one.headers);
    const [delivery] = await until("it is noted", async () => {
      const list = await deliveriesOf(name);
      return list[0]?.status === "delivered" && list;
    });
    assert.deepEqual(
      delivery.attempts.map((attempt: { status: number }) => attempt.status),
      [503, 503, 200],
    );
  });
});

export type { Received };

/** The way from an event to its receivers: routes, signatures, retries, size and pace, over a real Busbar. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { sql } from "kysely";
import { StandardWebhook, SvixWebhook } from "../../tests/published/clients.ts";
import { sampleEvent } from "../events/sample-event.ts";
import { recordEvent } from "../events/record-event.ts";
import { openDelivering } from "../../tests/harness/deliveries/delivering.ts";
import { addDestination, drawRoute } from "../../tests/harness/deliveries/routes.ts";
import { accept } from "../../tests/harness/deliveries/sink.ts";
import { until } from "../../tests/harness/until.ts";

// No destination may be disabled here, however slow the machine is.
const all = await openDelivering({ BUSBAR_WEBHOOK_DISABLE_AFTER_SECONDS: "600" });
after(() => all.close());

describe("deliveries", () => {
  test("a message is verified by the Svix and the Standard Webhooks libraries, and not with another key", async () => {
    const { busbar, sink } = all;
    const { signingKey, name } = await drawRoute(busbar, `${sink.url}/signed`, ["connection.created"], {
      headers: { Authorization: "Bearer t" },
    });
    await all.happens("connection.created");
    const [delivery] = await all.untilStatus(name, "delivered");
    const [one] = sink.at("/signed");
    assert.ok(one);
    new SvixWebhook(signingKey).verify(one.body, one.headers);
    new StandardWebhook(signingKey).verify(one.body, one.headers);
    const other = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
    assert.throws(() => new SvixWebhook(other).verify(one.body, one.headers));
    assert.throws(() => new StandardWebhook(other).verify(one.body, one.headers));
    assert.equal(one.headers["authorization"], "Bearer t");
    assert.equal(one.headers["content-type"], "application/json");
    assert.equal(one.message.notificationType, "connection.created");
    assert.deepEqual(one.message.data, {
      ...sampleEvent("connection.created", busbar.projectId).data,
      consumerName: "0",
    });
    assert.equal(delivery.id, one.headers["webhook-id"]);
    assert.deepEqual(
      { ...delivery.attempts[0], time: "", durationMs: 0 },
      { time: "", durationMs: 0, status: 200, answer: "thank you" },
    );
  });

  test("after a rotation both keys verify", async () => {
    const { busbar, sink } = all;
    const { signingKey, name } = await drawRoute(busbar, `${sink.url}/rotated`, ["connection.deleted"]);
    const rotated = await busbar.inProject("POST", `/destinations/${name}:rotate?includeSecrets=true`);
    const newKey = rotated.body.secrets.webhookSigningKey;
    assert.notEqual(newKey, signingKey);
    await all.happens("connection.deleted");
    await all.untilStatus(name, "delivered");
    const [one] = sink.at("/rotated");
    assert.ok(one);
    for (const key of [signingKey, newKey]) new SvixWebhook(key).verify(one.body, one.headers);
  });

  test("a failed attempt is repeated with the same id, then given up, and each attempt can be looked up", async () => {
    const { busbar, sink } = all;
    sink.answer = (received, response) =>
      received.path === "/broken" ? void response.writeHead(503).end("later") : accept(received, response);
    const { signingKey, name } = await drawRoute(busbar, `${sink.url}/broken`, ["connection.updated"]);
    await all.happens("connection.updated");
    const [delivery] = await all.untilStatus(name, "failed");
    const arrived = sink.at("/broken");
    assert.equal(arrived.length, 4);
    assert.equal(new Set(arrived.map(({ headers }) => headers["svix-id"])).size, 1);
    for (const one of arrived) new SvixWebhook(signingKey).verify(one.body, one.headers);
    assert.deepEqual(
      delivery.attempts.map(({ status, answer }: { status: number; answer: string }) => [status, answer]),
      Array.from({ length: 4 }, () => [503, "later"]),
    );
    const one = await busbar.inProject("GET", `/destinations/${name}/deliveries/${delivery.id}`);
    assert.equal(one.body.data.provider, "hubspot");
    sink.answer = accept;
    const resent = await busbar.inProject("POST", `/destinations/${name}/deliveries/${delivery.id}:resend`);
    assert.equal(resent.status, 200, resent.text);
    await all.untilStatus(name, "delivered");
    assert.equal(sink.at("/broken").at(-1)?.headers["svix-id"], delivery.id);
  });

  test("a redirect is a failure and is not followed", async () => {
    const { busbar, sink } = all;
    sink.answer = (received, response) =>
      received.path === "/moved"
        ? void response.writeHead(308, { location: `${sink.url}/elsewhere` }).end()
        : accept(received, response);
    const { name } = await drawRoute(busbar, `${sink.url}/moved`, ["read.backfill.done"]);
    await all.happens("read.backfill.done");
    const [delivery] = await all.untilStatus(name, "failed");
    assert.match(delivery.attempts[0].error, /redirects are not followed/);
    assert.equal(sink.at("/elsewhere").length, 0);
    sink.answer = accept;
  });

  test("one event reaches hundreds of destinations, each once, even through two topics", async () => {
    const { busbar, sink } = all;
    const first = await drawRoute(busbar, `${sink.url}/many/0`, ["subscribe.create.error"]);
    await drawRoute(busbar, `${sink.url}/unused`, ["subscribe.create.error"], {}, first.id);
    for (let index = 1; index < 200; index++) {
      await addDestination(busbar, `${sink.url}/many/${index}`, first.topicId);
    }
    await all.happens("subscribe.create.error");
    await until(() => sink.received.filter(({ path }) => path.startsWith("/many/")).length >= 200);
    await until(async () => (await busbar.inProject("GET", "/deliveries")).body.length === 0);
    const received = sink.received.filter(({ path }) => path.startsWith("/many/"));
    assert.equal(new Set(received.map(({ path }) => path)).size, 200);
    // A message that the busy receiver answered too late comes again, as the same message.
    assert.equal(new Set(received.map(({ path, headers }) => `${path} ${headers["svix-id"]}`)).size, 200);
  });

  test("a configuration that is too large is replaced by an address that needs no key and cannot be guessed", async () => {
    const { busbar, sink, database } = all;
    const { name } = await drawRoute(busbar, `${sink.url}/large`, ["installation.updated"]);
    const config = { provider: "hubspot", text: "x".repeat(200_000) };
    const event = sampleEvent("installation.updated", busbar.projectId);
    await recordEvent(database.queries, {
      ...event,
      data: { ...event.data, config, lastConfig: config },
    } as typeof event);
    await all.untilStatus(name, "delivered");
    const [one] = sink.at("/large");
    assert.ok(one && one.body.length < 300_000);
    const { lastConfigURL, ...data } = one.message.data;
    assert.deepEqual(data["config"], config);
    assert.equal(data["lastConfig"], undefined);
    const answer = await fetch(String(lastConfigURL));
    assert.deepEqual(await answer.json(), config);
    const forged = await fetch(`${String(lastConfigURL).slice(0, -3)}abc`);
    assert.equal(forged.status, 404);
  });

  test("a private address is not reached unless it is allowed", async () => {
    const { busbar } = all;
    const created = await busbar.inProject("POST", "/destinations", {
      name: "inside",
      type: "webhook",
      metadata: { url: "https://example.com/hooks" },
    });
    assert.equal(created.status, 201);
    // Stored while the operator allowed it.
    await sql`
      update destinations set metadata = '{"url": "https://10.0.0.1/hooks"}' where id = ${created.body.id}
    `.execute(all.database.queries);
    const tried = await busbar.inProject("POST", "/destinations/inside:test");
    assert.equal(tried.body.delivered, false);
    assert.match(tried.body.attempt.error, /private address/);
  });
});

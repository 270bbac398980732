/** The RabbitMQ destination: against a real broker where the machine has one, and against brokers that misbehave. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from "node:net";
import { after, before, describe, test, type TestContext } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { connect, type ChannelModel, type GetMessage } from "amqplib";
import { openDestinationNetwork } from "../../server/deliver/destinations/destination-network.ts";
import { openEgress } from "../../server/egress/open-egress.ts";
import { noRabbit, startRabbit, type Rabbit } from "../../tests/harness/rabbitmq.ts";
import { until } from "../../tests/harness/until.ts";
import {
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { speakEndlessly } from "../../tests/harness/destinations/flooding-broker.ts";
import { rabbitmq } from "./rabbitmq.ts";

const SAMPLE = {
  config: { serverUrl: "broker.example.com:5671", exchange: "crm-events" },
  secrets: { username: "crm", password: "hush" },
  faulty: [
    ...[
      "",
      "https://broker.example.com",
      "amqps://crm:hush@broker.example.com",
      "broker.example.com:x",
      "amqps://broker.example.com/?heartbeat=0",
      "two words",
    ].map((serverUrl) => ({ what: serverUrl, config: { serverUrl, exchange: "x" } })),
    { what: "no TLS", config: { serverUrl: "broker.example.com:5672", exchange: "x", tls: false } },
    { what: "no TLS by the scheme", config: { serverUrl: "amqp://broker.example.com", exchange: "x" } },
  ],
};

testDestination(rabbitmq, SAMPLE);

/** Sends messages to a server that is not a proper broker and returns their outcomes, which must be alike. */
async function deliverTo(
  t: TestContext,
  serverUrl: string,
  { allow = ["127.0.0.1", "localhost"], timeoutMs = 30_000 } = {},
) {
  const egress = openEgress(allow);
  t.after(() => egress.close());
  const network = openDestinationNetwork({ egress, dataDir: "/nonexistent", timeoutMs });
  const config = { serverUrl, exchange: "crm-events", tls: false };
  const channel = openSample(rabbitmq, { ...SAMPLE, config }, network);
  const messages = Array.from({ length: 5 }, (_, index) => sampleMessage({ id: `m${index}` }));
  const [outcome, ...others] = await Promise.all(messages.map((message) => channel.deliver(message)));
  await channel.close();
  assert.ok(outcome);
  for (const other of others) assert.deepEqual(other, outcome);
  assert.equal(outcome.kind, "failed");
  assert.ok(!JSON.stringify(outcome).includes("hush"));
  return outcome;
}

async function serve(t: TestContext, onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a private address is not reached unless it is allowed, by number or by name", async (t) => {
  for (const host of [
    "127.0.0.1",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "localhost",
    "2130706433",
    "169.254.169.254",
  ]) {
    const { error = "" } = await deliverTo(t, `${host}:5672`, { allow: [] });
    assert.match(error, /private address/, host);
  }
});

test("a broker that is missing, hangs up or speaks another protocol fails the attempt at once", async (t) => {
  const gone = await serve(t, (socket) => socket.destroy());
  const web = await serve(t, (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  for (const address of ["127.0.0.1:1", "localhost:1", gone, web]) {
    const outcome = await deliverTo(t, address);
    assert.ok(outcome.error, address);
    assert.equal(outcome.overloaded, false, `${address}: ${outcome.error}`);
  }
});

test("a broker that never answers is a timeout, and its connection is closed", async (t) => {
  const closed = Promise.withResolvers<unknown>();
  const address = await serve(t, (socket) => socket.on("close", closed.resolve).resume());
  const outcome = await deliverTo(t, address, { timeoutMs: 500 });
  assert.equal(outcome.overloaded, true);
  assert.match(outcome.error ?? "", /did not confirm the message within 0.5 s/);
  await closed.promise;
});

test("the connection to a broker that sends without end is closed before it fills the memory", async (t) => {
  let sentBytes = 0;
  const closed = Promise.withResolvers<void>();
  const address = await serve(t, (socket) => {
    speakEndlessly(socket);
    socket.on("close", () => {
      sentBytes = socket.bytesWritten;
      closed.resolve();
    });
  });
  const outcome = await deliverTo(t, address);
  assert.match(outcome.error ?? "", /sends more than it was sent/);
  await closed.promise;
  // The limit, plus what the system buffers between two sockets.
  assert.ok(sentBytes < 16_000_000, `${sentBytes} bytes`);
});

describe("a real RabbitMQ", { skip: noRabbit }, () => {
  let rabbit: Rabbit;
  let model: ChannelModel;
  after(async () => {
    await model?.close();
    await rabbit?.stop();
  });
  before(async () => {
    rabbit = await startRabbit();
    const { port, username, password } = rabbit;
    model = await connect({ hostname: "127.0.0.1", port, username, password });
    const admin = await model.createChannel();
    await admin.assertExchange("crm-events", "topic");
    await admin.assertQueue("connections");
    await admin.bindQueue("connections", "crm-events", "connection.*");
  });

  const open = (config: object, secrets: object = rabbit) => {
    const { username, password } = { ...rabbit, ...secrets };
    const whole = { serverUrl: `127.0.0.1:${rabbit.port}`, exchange: "crm-events", tls: false, ...config };
    return openSample(rabbitmq, { ...SAMPLE, config: whole, secrets: { username, password } }, testNetwork());
  };
  const queued = async (): Promise<GetMessage[]> => {
    const admin = await model.createChannel();
    const messages: GetMessage[] = [];
    for (let one = await admin.get("connections", { noAck: true }); one;) {
      messages.push(one);
      one = await admin.get("connections", { noAck: true });
    }
    await admin.close();
    return messages;
  };

  test("a message is in the queue with its type and id, and survives a restart of the broker", async () => {
    const channel = open({});
    const outcome = await channel.deliver(sampleMessage());
    assert.equal(outcome.kind, "delivered", outcome.error);
    const [message] = await queued();
    assert.ok(message);
    assert.equal(message.content.toString(), sampleMessage().data);
    assert.equal(message.fields.routingKey, "connection.created");
    const { messageId, type, contentType, deliveryMode, timestamp, headers } = message.properties;
    assert.deepEqual(
      [messageId, type, contentType, deliveryMode, timestamp],
      [sampleMessage().id, "connection.created", "application/json", 2, 1_767_323_045],
    );
    assert.deepEqual({ ...headers }, { topic: "connection.created", "event-id": sampleMessage().id });
    await channel.close();
  });

  test("many messages at once share one connection, which is closed after a while without messages", async (t) => {
    const sockets: Socket[] = [];
    const address = await serve(t, (socket) => {
      const onward = connectTcp(rabbit.port, "127.0.0.1").on("error", () => {});
      sockets.push(socket.on("close", () => onward.destroy()));
      socket.pipe(onward).pipe(socket);
    });
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const channel = open({ serverUrl: address });
    for (let round = 0; round < 3; round++) {
      const messages = Array.from({ length: 40 }, (_, index) => sampleMessage({ id: `${round}-${index}` }));
      const outcomes = await Promise.all(messages.map((message) => channel.deliver(message)));
      assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["delivered"]));
    }
    assert.equal(sockets.length, 1);
    const [first] = sockets;
    assert.ok(first);
    const closed = once(first, "close");
    t.mock.timers.tick(59_000);
    assert.ok(!first.destroyed);
    t.mock.timers.tick(1_000);
    await closed;
    assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
    assert.equal(sockets.length, 2);
    await channel.close();
    assert.equal((await queued()).length, 121);
  });

  test("closing waits for messages under way, and a later message opens a connection of its own", async (t) => {
    const closed: Promise<unknown>[] = [];
    const address = await serve(t, (socket) => {
      closed.push(once(socket, "close"));
      const onward = connectTcp(rabbit.port, "127.0.0.1").on("error", () => {});
      socket.on("close", () => onward.destroy());
      socket.pipe(onward).pipe(socket);
    });
    const channel = open({ serverUrl: address });
    const underWay = channel.deliver(sampleMessage());
    await channel.close();
    assert.equal((await underWay).kind, "delivered");
    await closed[0];
    assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
    await closed[1];
    assert.equal((await queued()).length, 2);
  });

  test("a data message arrives as it is, with its type as routing key", async () => {
    const admin = await model.createChannel();
    await admin.assertQueue("reads");
    await admin.bindQueue("reads", "crm-events", "read");
    const channel = open({});
    assert.equal((await channel.deliver(sampleDataMessage())).kind, "delivered");
    const arrived = await admin.get("reads");
    assert.ok(arrived);
    assert.equal(arrived.content.toString(), sampleDataMessage().data);
    await admin.deleteQueue("reads");
    await channel.close();
  });

  test("a message without a queue fails with the reason, and the messages beside it arrive", async () => {
    const channel = open({});
    const messages = ["connection.created", "write.async.done", "connection.deleted"].map((topic, index) =>
      sampleMessage({ id: `m${index}`, topic }),
    );
    const outcomes = await Promise.all(messages.map((message) => channel.deliver(message)));
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["delivered", "failed", "delivered"],
    );
    assert.match(outcomes[1]?.error ?? "", /no queue for the routing key write\.async\.done/);
    assert.equal((await queued()).length, 2);
    await channel.close();
  });

  test("a full queue refuses with a reason, and the connection stays open", async () => {
    const admin = await model.createChannel();
    const limits = { "x-max-length": 1, "x-overflow": "reject-publish" };
    await admin.assertQueue("full", { arguments: limits });
    await admin.bindQueue("full", "crm-events", "installation.created");
    const channel = open({});
    const deliver = (id: string) => channel.deliver(sampleMessage({ id, topic: "installation.created" }));
    assert.equal((await deliver("m1")).kind, "delivered");
    const refused = await deliver("m2");
    assert.equal(refused.kind, "failed");
    assert.match(refused.error ?? "", /refused the message.*full/);
    assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
    await admin.deleteQueue("full");
    await queued();
    await channel.close();
  });

  test("a large message arrives whole, and a large returned one does no harm", async () => {
    const channel = open({});
    const data = JSON.stringify({ text: "x".repeat(3_000_000) });
    assert.equal((await channel.deliver(sampleMessage({ data }))).kind, "delivered");
    assert.equal((await queued())[0]?.content.toString(), data);
    const returned = await channel.deliver(sampleMessage({ data, topic: "write.async.done" }));
    assert.match(returned.error ?? "", /no queue/);
    await channel.close();
  });

  test("for a wrong password, exchange or virtual host the attempt quotes the broker, never the password", async () => {
    for (const [config, secrets, words] of [
      [{}, { password: "wrong-one" }, /ACCESS_REFUSED/],
      [{ exchange: "nowhere" }, {}, /no exchange 'nowhere'/],
      [{ serverUrl: `amqp://127.0.0.1:${rabbit.port}/nowhere` }, {}, /nowhere/],
    ] as const) {
      const channel = open(config, secrets);
      const outcome = await channel.deliver(sampleMessage());
      assert.equal(outcome.kind, "failed");
      assert.match(outcome.error ?? "", words);
      assert.ok(!JSON.stringify(outcome).includes("wrong-one"));
      await channel.close();
    }
  });

  test("a broken connection fails the messages under way, and the next message opens another", async (t) => {
    const sockets: Socket[] = [];
    let onwards = true;
    const address = await serve(t, (socket) => {
      sockets.push(socket);
      const onward = connectTcp(rabbit.port, "127.0.0.1").on("error", () => {});
      socket.on("data", (chunk) => onwards && onward.write(chunk)).on("close", () => onward.destroy());
      onward.pipe(socket);
    });
    const channel = open({ serverUrl: address });
    assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
    onwards = false;
    const [first] = sockets;
    assert.ok(first);
    const broken = channel.deliver(sampleMessage());
    await until(() => first.bytesRead > 0);
    first.resetAndDestroy();
    assert.equal((await broken).kind, "failed");
    onwards = true;
    assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
    assert.equal(sockets.length, 2);
    await channel.close();
    await queued();
  });

  test("TLS is the default, and only a broker with a trusted certificate is accepted", async (t) => {
    const before = getCACertificates("default");
    t.after(() => setDefaultCACertificates(before));
    const serverUrl = `localhost:${rabbit.tlsPort}`;
    const refused = await open({ serverUrl, tls: undefined }).deliver(sampleMessage());
    assert.match(refused.error ?? "", /certificate/);
    setDefaultCACertificates([...before, rabbit.authority]);
    for (const config of [
      { serverUrl, tls: undefined },
      { serverUrl: `amqps://${serverUrl}/`, tls: true },
    ]) {
      const channel = open(config);
      const outcome = await channel.deliver(sampleMessage());
      assert.equal(outcome.kind, "delivered", outcome.error);
      await channel.close();
    }
    const otherName = await open({ serverUrl: `127.0.0.1:${rabbit.tlsPort}`, tls: true }).deliver(
      sampleMessage(),
    );
    assert.equal(otherName.kind, "failed");
    await queued();
  });
});

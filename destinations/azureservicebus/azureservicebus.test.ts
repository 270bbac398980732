/** The Azure Service Bus destination: messages, and signatures as Microsoft documents them. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { test, type TestContext } from "node:test";
import { openDestinationNetwork } from "../../server/deliver/destinations/destination-network.ts";
import { openEgress } from "../../server/egress/open-egress.ts";
import {
  buildExchange,
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { azureservicebus } from "./azureservicebus.ts";

const KEY = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I=";
const string = (endpoint: string, key = KEY, more = "") =>
  `Endpoint=${endpoint};SharedAccessKeyName=send-only;SharedAccessKey=${key}${more}`;
const NAMESPACE = "sb://crm.servicebus.windows.net/";
const faulty = (what: string, connectionString: string) => ({ what, secrets: { connectionString } });

const SAMPLE = {
  config: { name: "crm-events" },
  secrets: { connectionString: string(NAMESPACE) },
  faulty: [
    faulty("no connection string", "crm.servicebus.windows.net"),
    faulty("no key", `Endpoint=${NAMESPACE};SharedAccessKeyName=send-only`),
    faulty("no endpoint", "SharedAccessKeyName=send-only;SharedAccessKey=x"),
    faulty("plain http", string("http://crm.example.com/")),
    faulty("a key for another queue", string(NAMESPACE, KEY, ";EntityPath=others")),
  ],
  taken: { status: 201 },
};

testDestination(azureservicebus, SAMPLE);

/** Takes what is signed for the queue with the key, until the signature ends. */
async function openNamespace(t: TestContext) {
  const namespace = {
    url: "",
    arrived: [] as { headers: IncomingMessage["headers"]; body: string }[],
    aheadMs: 0,
  };
  const isSigned = (header: string): boolean => {
    const [scheme, text = ""] = header.split(" ");
    const given = new URLSearchParams(text);
    const [resource = "", expiry = ""] = [given.get("sr"), given.get("se")].map(String);
    const expected = createHmac("sha256", KEY).update(`${encodeURIComponent(resource)}\n${expiry}`);
    return (
      scheme === "SharedAccessSignature" &&
      resource === `${namespace.url}/crm-events` &&
      given.get("skn") === "send-only" &&
      Number(expiry) * 1000 > Date.now() + namespace.aheadMs &&
      given.get("sig") === expected.digest("base64")
    );
  };
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      if (!isSigned(request.headers.authorization ?? "")) return response.writeHead(401).end("<Error/>");
      if (`${request.method} ${request.url}` !== "POST /crm-events/messages")
        return response.writeHead(410).end();
      namespace.arrived.push({ headers: request.headers, body });
      return response.writeHead(201).end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  namespace.url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const egress = openEgress(["127.0.0.1"]);
  t.after(async () => {
    await egress.close();
    server.close();
  });
  const network = openDestinationNetwork({ egress, dataDir: "/nonexistent", timeoutMs: 60_000 });
  const open = (key?: string) =>
    openSample(
      azureservicebus,
      { ...SAMPLE, secrets: { connectionString: string(`${namespace.url}/`, key) } },
      network,
    );
  return { namespace, open };
}

test("a message has its topic and id, and a signature of the key", async (t) => {
  const { namespace, open } = await openNamespace(t);
  const outcome = await open().deliver(sampleMessage());
  assert.deepEqual([outcome.kind, outcome.status], ["delivered", 201]);
  const [message] = namespace.arrived;
  assert.equal(message?.body, sampleMessage().data);
  assert.deepEqual(JSON.parse(String(message.headers["brokerproperties"])), {
    MessageId: sampleMessage().id,
    Label: "connection.created",
  });
  assert.equal(message.headers["topic"], '"connection.created"');
  assert.equal(message.headers["event-id"], `"${sampleMessage().id}"`);
});

test("a data message is sent as it is, with its type as topic", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(201);
  await openSample(azureservicebus, SAMPLE, network).deliver(sampleDataMessage());
  const [request] = network.requests;
  assert.equal(request?.body, sampleDataMessage().data);
  assert.equal(request.headers["topic"], '"read"');
});

test("another key is refused, and so is a signature after five minutes", async (t) => {
  const { namespace, open } = await openNamespace(t);
  const forged = await open("b3RoZXI=").deliver(sampleMessage());
  assert.deepEqual([forged.kind, forged.status, forged.answer], ["failed", 401, "<Error/>"]);
  namespace.aheadMs = 301_000;
  assert.equal((await open().deliver(sampleMessage())).status, 401);
});

test("a namespace is called by https, and a message for a missing queue is retried", async () => {
  for (const status of [404, 410]) {
    const network = testNetwork();
    network.answer = () => buildExchange(status, "no such queue");
    const outcome = await openSample(azureservicebus, SAMPLE, network).deliver(sampleMessage());
    assert.equal(network.requests[0]?.url.href, "https://crm.servicebus.windows.net/crm-events/messages");
    assert.deepEqual([outcome.kind, outcome.status, outcome.answer], ["failed", status, "no such queue"]);
    assert.match(outcome.error ?? "", /has no queue or topic/);
  }
});

test("the attempt quotes Azure's reason, and a busy namespace gets the time it asks for", async () => {
  for (const [status, overloaded] of [
    [401, false],
    [503, true],
  ] as const) {
    const network = testNetwork();
    network.answer = () =>
      buildExchange(status, `<Error><Code>${status}</Code><Detail>Because it is so.</Detail></Error>`);
    const outcome = await openSample(azureservicebus, SAMPLE, network).deliver(sampleMessage());
    assert.deepEqual(
      [outcome.kind, outcome.error, outcome.overloaded],
      ["failed", `the namespace answered ${status}: Because it is so.`, overloaded],
    );
  }
});

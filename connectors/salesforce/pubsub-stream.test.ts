/** Reading Salesforce's Pub/Sub API, against the sandbox's. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type ClientHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { fetchFrom, openSandbox } from "../../connector-kit/testing/reading-fixture.ts";
import { LostPositionError, type StreamRequest } from "../../connector-kit/stream-connector.ts";
import { select } from "./event-channel.ts";
import { toStreamError } from "./pubsub-errors.ts";
import { openReader } from "./pubsub-stream.ts";

const sandbox = await openSandbox();
const { bus, server } = sandbox.salesforce;
let session: ClientHttp2Session;
let wanted: Omit<StreamRequest, "signal">;

before(async () => {
  const { accessToken } = sandbox.salesforce.mintToken();
  const fetch = fetchFrom(sandbox.salesforce.url, accessToken);
  const { topic, accountRef } = await select({ ref: "One", objectName: "Account" }, fetch);
  session = connect(String(sandbox.catalog().providers["salesforce"]?.["pubSubURL"]));
  const credentials = { accessToken, instanceUrl: new URL(sandbox.url).origin, accountRef };
  wanted = { session, topic, from: "now", credentials: async () => credentials };
});
after(async () => {
  session.destroy();
  await sandbox.close();
});

test("a stream that is ended while its credentials are looked up is not opened", async () => {
  const stop = new AbortController();
  const batches = openReader().read({
    ...wanted,
    async credentials() {
      const found = await wanted.credentials();
      stop.abort();
      return found;
    },
    signal: stop.signal,
  });
  await assert.rejects(batches.next());
  assert.equal(server.calls.length, 0);
});

test("an event whose schema cannot be read is a gap, and the stream goes on", async () => {
  const stop = new AbortController();
  const batches = openReader().read({ ...wanted, signal: stop.signal });
  await batches.next();
  bus.emit("Account", "UPDATE", ["001Sb0000000001IAA"]);
  for (const [id, schema] of bus.schemas) bus.schemas.set(id, { ...schema, json: '{"type":"unheard of"}' });
  const { value: unread } = await batches.next();
  assert.match(unread?.gaps[0]?.reason ?? "", /cannot be read: the Avro schema has no type/);
  assert.equal(unread?.events.length, 0);
  bus.emit("Account", "UPDATE", ["001Sb0000000002IAA"]);
  const { value: read } = await batches.next();
  assert.equal(read?.events[0]?.recordId, "001Sb0000000002IAA");
  stop.abort();
  await assert.rejects(batches.next());
});

test("a stream that ends with a last event leaves no call open: its session can close", async () => {
  const ended = connect(String(sandbox.catalog().providers["salesforce"]?.["pubSubURL"]));
  const batches = openReader().read({ ...wanted, session: ended, signal: new AbortController().signal });
  await batches.next();
  bus.emit("Account", "UPDATE", ["001Sb0000000001IAA"]);
  server.break("status");
  await assert.rejects(async () => {
    for await (const _ of batches);
  });
  const closed = once(ended, "close");
  ended.close();
  await closed;
});

test("only a status that Salesforce itself gave says that the token or a permission is missing", () => {
  for (const [code, kind] of [
    [Code.Unauthenticated, "unauthorized"],
    [Code.PermissionDenied, "forbidden"],
  ] as const) {
    assert.equal(toStreamError(new ConnectError("", code, { "grpc-status": String(code) })).kind, kind);
    // A proxy's 401 or 403, which the library translates.
    assert.equal(toStreamError(new ConnectError("", code)).kind, "unavailable");
  }
});

// "When decoding invalid values, implementations MUST NOT error or throw away the message": gRPC over HTTP2, Status-Message.
test("an error whose text is not well encoded keeps its code: a lost position is known as one", async (t) => {
  const lost = "sfdc.platform.eventbus.grpc.subscription.fetch.replayid.validation.failed";
  const server = createServer().on("stream", (stream) => {
    stream.respond(
      {
        ":status": 200,
        "content-type": "application/grpc",
        "grpc-status": "3",
        "grpc-message": "50% of %E9",
        "error-code": lost,
      },
      { endStream: true },
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const broken = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => {
    broken.destroy();
    server.close();
  });
  const batches = openReader().read({ ...wanted, session: broken, signal: new AbortController().signal });
  await assert.rejects(batches.next(), (error) => {
    assert.ok(error instanceof LostPositionError, String(error));
    assert.match(error.message, /50% of %E9/);
    return true;
  });
});

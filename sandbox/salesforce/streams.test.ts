// The simulated Pub/Sub API: authentication, positions, flow control, keepalive, channels.

import assert from "node:assert/strict";
import { connect, type ClientHttp2Session } from "node:http2";
import { after, before, test } from "node:test";
import { openSandbox, openCaller, getAt } from "../test-client.ts";
import { asData } from "../exchange.ts";
import { ORG_ID } from "./org.ts";
import { readBytes, decode, encode, buildFrame, readNumber, unframe, type Fields } from "./pubsub-wire.ts";

const sandbox = await openSandbox({ limits: "off" });
const DATA = "/services/data/v60.0";
let session: ClientHttp2Session;

before(() => {
  session = connect(String(asData(sandbox.catalog().providers["salesforce"])["pubSubURL"]));
});
after(() => session.destroy());

type Ended = { status: string; code: string };
type Call = { answers: Fields[]; ended: Promise<Ended>; send(message: Buffer): void; cancel(): void };

function open(method: string, message: Buffer, metadata: Record<string, string> = {}): Call {
  const stream = session.request({
    ":method": "POST",
    ":path": `/eventbus.v1.PubSub/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
    accesstoken: sandbox.salesforce.mintToken().accessToken,
    instanceurl: new URL(sandbox.url).origin,
    tenantid: ORG_ID,
    ...metadata,
  });
  const answers: Fields[] = [];
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const end = (headers: Record<string, unknown>): void => {
    if (headers["grpc-status"] === undefined) return;
    const code = String(headers["error-code"] ?? "").replace("sfdc.platform.eventbus.grpc.", "");
    resolve({ status: String(headers["grpc-status"]), code });
  };
  let rest: Buffer = Buffer.alloc(0);
  stream.on("response", end);
  stream.on("trailers", end);
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    const read = unframe(Buffer.concat([rest, chunk]));
    rest = read.rest;
    answers.push(...read.messages.map(decode));
  });
  // A unary call is answered after the end of its request.
  if (method === "Subscribe") stream.write(buildFrame(message));
  else stream.end(buildFrame(message));
  return {
    answers,
    ended: promise,
    send: (more) => void stream.write(buildFrame(more)),
    cancel: () => stream.close(8),
  };
}

const fetchRequest = (
  topic: string,
  wanted: number,
  preset = 0,
  replayId: Buffer = Buffer.alloc(0),
): Buffer =>
  encode([
    [1, topic],
    [2, preset],
    [3, replayId],
    [4, wanted],
  ]);

async function selectAccount(): Promise<string> {
  const call = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
  const channel = { FullName: "One__chn", Metadata: { channelType: "data", label: "One" } };
  const made = await call("POST", `${DATA}/tooling/sobjects/PlatformEventChannel`, channel);
  assert.equal(made.status, 201, made.text);
  const member = {
    FullName: "One_chn_AccountChangeEvent",
    Metadata: { eventChannel: "One__chn", selectedEntity: "AccountChangeEvent" },
  };
  assert.equal(
    (await call("POST", `${DATA}/tooling/sobjects/PlatformEventChannelMember`, member)).status,
    201,
  );
  const again = await call("POST", `${DATA}/tooling/sobjects/PlatformEventChannelMember`, member);
  assert.equal(getAt(again.json, "0.errorCode"), "DUPLICATE_DEVELOPER_NAME");
  return "/data/One__chn";
}

const change = (name: string): void =>
  void sandbox.salesforce.account.put("Account", {
    id: "001Sb0000000001IAA",
    values: { Name: name },
    stamp: true,
  });

async function untilEvents(call: Call, count: number): Promise<Fields[]> {
  for (;;) {
    const events = call.answers.flatMap((answer) =>
      (answer.get(1) ?? []).map((event) => decode(event as Buffer)),
    );
    if (events.length >= count) return events;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("a call needs a valid token, the instance's address and the long id of the organisation", async () => {
  const topic = await selectAccount();
  const wrong: Record<string, string>[] = [
    { accesstoken: "no" },
    { tenantid: ORG_ID.slice(0, 15) },
    { instanceurl: "https://a.example" },
  ];
  for (const metadata of wrong) {
    const { status, code } = await open("Subscribe", fetchRequest(topic, 1), metadata).ended;
    assert.deepEqual([status, code], ["16", "service.auth.error"]);
  }
  const unknown = await open("GetTopic", encode([[1, "/data/Nothing__chn"]])).ended;
  assert.deepEqual([unknown.status, unknown.code], ["5", "topic.not.found"]);
});

test("a stream gets no more events than it asked for, and goes on from any position that is kept", async () => {
  const topic = await selectAccount();
  const call = open("Subscribe", fetchRequest(topic, 2));
  // The answer shows that the calls before it on the session were taken.
  await open("GetTopic", encode([[1, topic]])).ended;
  for (const name of ["A", "B", "C", "D"]) change(name);
  const events = await untilEvents(call, 2);
  assert.equal(readNumber(call.answers.at(-1) ?? new Map(), 4), 0);
  call.send(encode([[4, 100]]));
  await untilEvents(call, 4);
  call.cancel();
  const position = readBytes(events[1] ?? new Map(), 2);
  assert.equal(position.length, 10);
  const later = open("Subscribe", fetchRequest(topic, 100, 2, position));
  assert.equal((await untilEvents(later, 2)).length, 2);
  later.cancel();
  sandbox.salesforce.bus.expire();
  const lost = await open("Subscribe", fetchRequest(topic, 100, 2, position)).ended;
  assert.equal(lost.code, "subscription.fetch.replayid.corrupted");
});

test("a quiet stream gets empty answers with a position; one that asks for nothing more is ended", async () => {
  const topic = await selectAccount();
  sandbox.salesforce.bus.settings = { ...sandbox.salesforce.bus.settings, keepaliveMs: 20, idleMs: 20 };
  const quiet = open("Subscribe", fetchRequest(topic, 100));
  while (quiet.answers.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(readBytes(quiet.answers[0] ?? new Map(), 2).length, 10);
  quiet.cancel();
  const idle = open("Subscribe", fetchRequest(topic, 1));
  await open("GetTopic", encode([[1, topic]])).ended;
  change("E");
  await untilEvents(idle, 1);
  assert.equal((await idle.ended).status, "3");
});

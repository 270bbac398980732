/** The log destination: one line per message, and no file outside its folder. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { log } from "./log.ts";

const SAMPLE = {
  config: {},
  faulty: ["../x", "/etc/x", "a/b", ".hidden", "a..b", ""].map((file) => ({ what: file, config: { file } })),
};

testDestination(log, SAMPLE);

const LINE = {
  id: sampleMessage().id,
  time: "2026-01-02T03:04:05.006Z",
  destination: "sample",
  topic: "connection.created",
  data: { projectId: "p1", consumerName: "Zoë <&>" },
};

test("a message is one JSON line on standard output", async () => {
  const network = testNetwork();
  const channel = openSample(log, SAMPLE, network);
  assert.equal((await channel.deliver(sampleMessage({ data: '{\n"projectId": "p1"\n}' }))).kind, "delivered");
  await channel.deliver(sampleMessage());
  assert.equal(network.lines.join("").split("\n").length, 3);
  assert.deepEqual(JSON.parse(network.lines[1] ?? ""), LINE);
});

test("a data message is one JSON line with its type as topic", async () => {
  const network = testNetwork();
  await openSample(log, SAMPLE, network).deliver(sampleDataMessage());
  const { topic, data } = JSON.parse(network.lines.join(""));
  assert.deepEqual([topic, data], ["read", JSON.parse(sampleDataMessage().data)]);
});

test("a message is one JSON line in a file of the data folder; one that cannot be written fails", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-log-"));
  t.after(() => rm(folder, { recursive: true }));
  const settings = { ...SAMPLE, config: { file: "crm.log" } };
  const channel = openSample(log, settings, testNetwork(join(folder, "messages")));
  await Promise.all([channel.deliver(sampleMessage()), channel.deliver(sampleMessage())]);
  const lines = (await readFile(join(folder, "messages", "crm.log"), "utf8")).trim().split("\n");
  assert.equal(lines.length, 2);
  assert.deepEqual(JSON.parse(lines[0] ?? ""), LINE);
  const lost = openSample(log, settings, testNetwork(join(folder, "messages", "crm.log")));
  assert.equal((await lost.deliver(sampleMessage())).kind, "failed");
});

test("large messages at the same time are whole lines", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-log-"));
  t.after(() => rm(folder, { recursive: true }));
  const channel = openSample(log, { ...SAMPLE, config: { file: "crm.log" } }, testNetwork(folder));
  const data = JSON.stringify({ text: "x".repeat(1_500_000) });
  const ids = Array.from({ length: 8 }, (_, index) => `m${index}`);
  await Promise.all(ids.map((id) => channel.deliver(sampleMessage({ id, data }))));
  const lines = (await readFile(join(folder, "crm.log"), "utf8")).trim().split("\n");
  assert.deepEqual(lines.map((line) => JSON.parse(line).id).toSorted(), ids);
});

test("a file of a gigabyte takes no more lines", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-log-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "crm.log"), "");
  await truncate(join(folder, "crm.log"), 1_073_741_824);
  const channel = openSample(log, { ...SAMPLE, config: { file: "crm.log" } }, testNetwork(folder));
  const full = await channel.deliver(sampleMessage());
  assert.deepEqual(
    [full.kind, full.error],
    ["failed", "cannot write the line: the file is full: move or remove it"],
  );
});

test("an unusable folder is tried again with each message, and the error does not contain its path", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-log-"));
  t.after(() => rm(folder, { recursive: true }));
  const messages = join(folder, "messages");
  await writeFile(messages, "in the way");
  const channel = openSample(log, { ...SAMPLE, config: { file: "crm.log" } }, testNetwork(messages));
  const refused = await channel.deliver(sampleMessage());
  assert.equal(refused.error, "cannot write the line: EEXIST");
  await rm(messages);
  assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
  await rm(messages, { recursive: true });
  assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
});

/** The Slack destination: a sentence and the payload, sent to Slack only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT_TYPES } from "../../server/events/event-types.ts";
import { sampleEvent } from "../../server/events/sample-event.ts";
import {
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { slack, writeSentence } from "./slack.ts";

const SAMPLE = {
  config: { url: "https://hooks.slack.com/services/T/B/x" },
  faulty: [
    "https://example.com/x",
    "http://hooks.slack.com/x",
    "https://hooks.slack.com:8443/x",
    "https://:hush@hooks.slack.com/x",
    "https://hooks.slack.com/",
    "no",
  ].map((url) => ({ what: url, config: { url } })),
  taken: { status: 200, body: "ok" },
};

testDestination(slack, SAMPLE);

test("the text is a sentence and the payload, with nothing in it that Slack would interpret", async () => {
  const network = testNetwork();
  await openSample(slack, SAMPLE, network).deliver(sampleMessage());
  const { text } = JSON.parse(String(network.requests[0]?.body));
  assert.match(text, /^:link: Zoë &lt;&amp;&gt; connected \?\n```\n\{/);
  assert.ok(!text.includes("<&>"));
});

test("a data message is its JSON text, cut to a size that Slack accepts", async () => {
  const network = testNetwork();
  const channel = openSample(slack, SAMPLE, network);
  await channel.deliver(sampleDataMessage());
  await channel.deliver(sampleDataMessage({ data: JSON.stringify({ text: "&".repeat(100_000) }) }));
  const [text = "", long = ""] = network.requests.map(({ body }) => JSON.parse(String(body)).text);
  assert.equal(text.replaceAll("&lt;", "<").replaceAll("&gt;", ">"), sampleDataMessage().data);
  assert.ok(!text.includes("<7>"));
  assert.ok(long.length < 20_000 && long.endsWith("&amp;…"));
});

test("a large payload is cut to a size that Slack accepts, between characters", async () => {
  for (const [char, cut] of [
    ["&", /&amp;…\n```$/],
    ["\u{1F600}", /\u{1F600}…\n```$/u],
    [`"`, /…\n```$/],
  ] as const) {
    const network = testNetwork();
    const data = JSON.stringify({ text: `a${char.repeat(100_000)}` });
    await openSample(slack, SAMPLE, network).deliver(sampleMessage({ data }));
    const { text } = JSON.parse(String(network.requests[0]?.body));
    assert.ok(text.length < 20_000 && text.length > 15_000, `${text.length} characters`);
    assert.match(text, cut);
    assert.ok(text.isWellFormed());
  }
});

test("every type of event has a complete sentence", () => {
  for (const type of EVENT_TYPES) {
    const sentence = writeSentence(type, JSON.stringify(sampleEvent(type, "p").data));
    assert.notEqual(sentence, type);
    assert.ok(!sentence.includes("?"), sentence);
  }
});

test("a request for a decision says what would change, field by field", () => {
  const { data } = sampleEvent("agent.approval.requested", "p");
  assert.equal(
    writeSentence("agent.approval.requested", JSON.stringify(data)),
    ':raised_hand: The agent Sample Assistant 1.0 asks for a decision: update_record of contact 101 for sample-group\nemail: "old@example.com" → "new@example.com"',
  );
});

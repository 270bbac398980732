/** Grouping the events of an object: their order, and bursts of changes of one record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { groupEvents, type InboxEvent } from "./group-events.ts";

const event = (id: string, type: InboxEvent["type"], timeMs: number): InboxEvent => ({
  id,
  recordId: "501",
  objectKey: "Account",
  type,
  providerEventType: type,
  time: new Date(timeMs),
  raw: "{}",
});
const shown = (...args: Parameters<typeof groupEvents>): string[] =>
  groupEvents(...args).map((group) => group.events.map(({ id }) => id).join("+"));

test("events of a stream keep its order, although those of one transaction have the same time", () => {
  const events = [event("1", "delete", 5), event("2", "other", 5), event("3", "update", 5)];
  assert.deepEqual(shown(events, { coalesce: true, inOrder: true }), ["1", "2", "3"]);
});

test("pushed events are put in the order of their times; at the same time a record is created first and deleted last", () => {
  const events = [
    event("1", "delete", 6),
    event("2", "update", 6),
    event("3", "create", 6),
    event("4", "create", 1),
  ];
  assert.deepEqual(shown(events, { coalesce: false, inOrder: false }), ["4", "3", "2", "1"]);
  assert.deepEqual(shown(events, { coalesce: true, inOrder: false }), ["4", "3+2", "1"]);
});

test("an entry of a change that was reported and found by reading shows the report", () => {
  const events = [event("1", "update", 1), { ...event("2", "update", 2), isFound: true as const }];
  const [group] = groupEvents(events, { coalesce: true, inOrder: false });
  assert.equal(group?.shown.id, "1");
  assert.equal(group.events.length, 2);
});

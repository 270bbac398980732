/** The memory for messages that were just stored has a limit, and holds the newest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rememberMessages } from "./recent-messages.ts";

const MIB = 1_024 * 1_024;

test("what is remembered stays below four million characters, and the oldest is forgotten first", () => {
  const recent = rememberMessages();
  for (let id = 0; id < 9; id += 1) recent.keep([{ id: String(id), data: "x".repeat(MIB) }]);
  assert.deepEqual([...recent.all().keys()], ["5", "6", "7", "8"]);
  recent.forget(["6", "unknown"]);
  recent.keep([{ id: "9", data: "x".repeat(MIB) }]);
  assert.deepEqual([...recent.all().keys()], ["5", "7", "8", "9"]);
});

test("a short message is not remembered, and one above the limit neither", () => {
  const recent = rememberMessages();
  recent.keep([{ id: "short", data: "{}" }]);
  recent.keep([{ id: "long", data: "x".repeat(5 * MIB) }]);
  assert.equal(recent.all().size, 0);
});

test("a message that is kept once more counts once", () => {
  const recent = rememberMessages();
  for (let time = 0; time < 9; time += 1) recent.keep([{ id: "same", data: "x".repeat(MIB) }]);
  recent.keep([{ id: "other", data: "x".repeat(MIB) }]);
  assert.equal(recent.all().size, 2);
});

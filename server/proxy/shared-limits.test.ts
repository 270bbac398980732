/** Limits that hold for all processes together, over a channel like that between a process and its parent. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { Problem } from "../ground/errors.ts";
import { openLimits } from "./limits.ts";
import { countFor, limitsOfParent, type Channel } from "./shared-limits.ts";

const who = { connectionId: "a", projectId: "p" };
const isRefusal = (error: unknown) =>
  error instanceof Problem && error.status === 429 && error.options.retryAfter instanceof Date;

/** The parent's side and a process's side of one channel; messages are copied as between processes. */
function channel(): { parent: EventEmitter & Channel; child: Channel } {
  const parent: EventEmitter & Channel = new EventEmitter();
  const child: EventEmitter & Channel = new EventEmitter();
  parent.send = (message) => setImmediate(() => child.emit("message", structuredClone(message)));
  child.send = (message) => setImmediate(() => parent.emit("message", structuredClone(message)));
  return { parent, child };
}

function twoProcesses() {
  const limits = openLimits({
    connectionConcurrency: 2,
    connectionPerSecond: 0,
    projectConcurrency: 0,
    projectPerSecond: 0,
  });
  assert.ok(limits);
  const [first, second] = [channel(), channel()];
  for (const { parent } of [first, second]) countFor(parent, limits);
  return { first, one: limitsOfParent(first.child), two: limitsOfParent(second.child) };
}

test("calls of all processes count together, and a call that has left makes room", async () => {
  const { one, two } = twoProcesses();
  const leave = await one.enter(who);
  await two.enter(who);
  await assert.rejects(async () => one.enter(who), isRefusal);
  await assert.rejects(async () => two.enter(who), isRefusal);
  leave();
  await two.enter(who);
});

test("the calls of a process that died make room", async () => {
  const { first, one, two } = twoProcesses();
  await one.enter(who);
  await one.enter(who);
  await assert.rejects(async () => two.enter(who), isRefusal);
  first.parent.emit("exit");
  await two.enter(who);
});

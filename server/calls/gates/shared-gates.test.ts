import assert from "node:assert/strict";
import { test } from "node:test";
import { openProcessGates } from "./shared-gates.ts";

const NO_TIME = { retryable: true };
const inMs = (ms: number) => ({ retryable: true, retryAt: new Date(Date.now() + ms) });

test("a gate that is closed for longer stays as it is", () => {
  const gates = openProcessGates();
  const long = gates.close("a", inMs(60_000));
  assert.deepEqual(gates.close("a", inMs(5_000)), long);
  assert.deepEqual(gates.adopt("a", { until: new Date(Date.now() + 5_000), retryable: false }), long);
  assert.deepEqual(gates.closedUntil("a"), long);
  assert.equal(gates.closedUntil("b"), undefined);
});

test("a gate whose time has come is open", () => {
  const gates = openProcessGates();
  gates.adopt("a", { until: new Date(Date.now() - 1), retryable: true });
  assert.equal(gates.closedUntil("a"), undefined);
});

test("guesses grow from one limit to the next, not with the answers of one burst, and a success starts them anew", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const gates = openProcessGates();
  const waitMs = () => (gates.closedUntil("a")?.until.getTime() ?? 0) - Date.now();
  for (let burst = 0; burst < 5; burst++) gates.close("a", NO_TIME);
  assert.equal(waitMs(), 1_000);
  t.mock.timers.tick(1_000);
  assert.equal(gates.closedUntil("a"), undefined);
  gates.close("a", NO_TIME);
  assert.equal(waitMs(), 2_000);
  t.mock.timers.tick(2_000);
  gates.accepted("a");
  gates.close("a", NO_TIME);
  assert.equal(waitMs(), 1_000);
});

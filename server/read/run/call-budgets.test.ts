/** Reads leave part of an account's daily calls to other uses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openCallBudgets } from "./call-budgets.ts";

test("backfills stop at 70 % of the daily calls, other reads at 90 %, each connection for itself", () => {
  const budgets = openCallBudgets(60_000);
  const stopped = (used: number, connectionId = "a") => {
    budgets.note("a", { used, limit: 1_000 });
    return (["backfill", "scheduled", "triggered"] as const).filter((kind) =>
      budgets.spentFor(connectionId, kind),
    );
  };
  assert.deepEqual(stopped(699), []);
  assert.deepEqual(stopped(700), ["backfill"]);
  assert.deepEqual(stopped(899), ["backfill"]);
  assert.deepEqual(stopped(900), ["backfill", "scheduled", "triggered"]);
  assert.deepEqual(stopped(900, "b"), []);
  assert.deepEqual(stopped(10), [], "calls are free again");
});

test("an answer that says nothing, or nonsense, stops nothing", () => {
  const budgets = openCallBudgets(60_000);
  budgets.note("a", undefined);
  budgets.note("a", { used: 5, limit: 0 });
  assert.equal(budgets.spentFor("a", "backfill"), undefined);
  budgets.note("a", { used: 800, limit: 1_000 });
  const { message, waitMs } = budgets.spentFor("a", "backfill") ?? {};
  assert.equal(
    message,
    "Waiting: 800 of the account's 1000 daily calls are used; backfill reads stop at 70 %",
  );
  assert.ok(waitMs !== undefined && waitMs > 0 && waitMs <= 600_000);
  budgets.note("a", undefined);
  assert.equal(budgets.spentFor("a", "backfill"), undefined);
});

test("after a while one read asks again, and the others wait for its answer", (t) => {
  let elapsedMs = performance.now();
  t.mock.method(performance, "now", () => elapsedMs);
  const budgets = openCallBudgets(60_000);
  budgets.note("a", { used: 1_000, limit: 1_000 });
  elapsedMs += 9 * 60_000;
  assert.ok(budgets.spentFor("a", "scheduled"));
  elapsedMs += 2 * 60_000;
  assert.equal(budgets.spentFor("a", "scheduled"), undefined);
  assert.ok(budgets.spentFor("a", "scheduled"));
});

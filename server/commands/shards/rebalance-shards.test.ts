/** What `busbar shards rebalance` moves, by arithmetic, and what it does with customers that cannot be moved. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openMoveScene } from "../../../tests/harness/move-scene.ts";
import { listMoves } from "../../store/moves/customer-moves.ts";
import { planMoves, rebalance, type RefusedMove } from "./rebalance-shards.ts";

const shard = (name: string, customers: number, weight = 1, state = "active") => ({
  name,
  state,
  weight,
  customers,
});

test("customers are divided by weight, and as few as possible move", () => {
  assert.deepEqual(planMoves([shard("main", 12), shard("a", 0), shard("b", 0, 2)]), [
    { from: "main", to: "a", customers: 3 },
    { from: "main", to: "b", customers: 6 },
  ]);
  assert.deepEqual(planMoves([shard("main", 5), shard("a", 5)]), []);
  // Whoever has one of two halves keeps it.
  assert.deepEqual(planMoves([shard("main", 1), shard("a", 2)]), []);
  assert.deepEqual(planMoves([shard("main", 2), shard("a", 1)]), []);
  assert.deepEqual(planMoves([shard("main", 3), shard("a", 0)]), [{ from: "main", to: "a", customers: 1 }]);
});

test("a shard without weight, or that gets no customers, is left by all", () => {
  assert.deepEqual(planMoves([shard("main", 1), shard("a", 4, 1, "draining"), shard("b", 1)]), [
    { from: "a", to: "main", customers: 2 },
    { from: "a", to: "b", customers: 2 },
  ]);
  assert.deepEqual(planMoves([shard("main", 4, 0), shard("a", 0)]), [
    { from: "main", to: "a", customers: 4 },
  ]);
  assert.throws(() => planMoves([shard("main", 4, 0)]), {
    name: "StartError",
    message: /no shard is active/,
  });
});

test("a customer who is always busy stays, is named, and holds up no other", async (t) => {
  const { database, deps, inShard, find, mover, neighbour } = await openMoveScene(t);
  await sql`update shards set weight = 1 where name = 'a'`.execute(database.control);
  const busy = "update writes set claimed_by = $2 where installation_id = $1";
  await inShard("main").query(busy, [neighbour.installationId, 7]);
  const moved: string[] = [];
  const run = (): Promise<RefusedMove[]> =>
    rebalance(
      { ...deps, database: { ...database, mainWeight: 0 } },
      ({ projectId }) => moved.push(projectId),
      { maxWaitMs: 10 },
    );
  const [refused, ...others] = await run();
  assert.deepEqual(others, []);
  assert.equal(refused?.projectId, neighbour.projectId);
  assert.match(refused?.reason ?? "", /customer-1 stays in the shard main.*3 asynchronous writes/);
  assert.deepEqual(moved, [mover.projectId]);
  assert.deepEqual(await listMoves(database.control), []);
  const place = async () => [(await find()).shard, (await find(neighbour.projectId)).shard];
  assert.deepEqual(await place(), ["a", null]);
  await inShard("main").query(busy, [neighbour.installationId, null]);
  assert.deepEqual(await run(), []);
  assert.deepEqual(await place(), ["a", "a"]);
});

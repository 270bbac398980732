/** A move whose former shard is gone for good ends without it, and says what is lost; nothing is lost while that shard is there. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { openMoveScene } from "../../../tests/harness/move-scene.ts";
import { listMoves } from "../../store/moves/customer-moves.ts";
import { changeShard, listShards, placeShardUrl } from "../../store/shards/shard-registry.ts";
import { endLostMove } from "./end-lost-move.ts";
import { removeShard } from "./remove-shard.ts";

/** A customer whose move from a to b broke off, before or after b decided. */
async function openBrokenMove(t: TestContext, brokenAt: string) {
  const scene = await openMoveScene(t);
  const { deps, database, find, move, breakOff } = scene;
  await move("a");
  await breakOff("b", brokenAt);
  const end = async () => endLostMove(deps, await find(), "b");
  const changeUrl = async (change: (url: URL) => void) => {
    const known = (await listShards(database.control)).find(({ name }) => name === "a");
    assert.ok(known);
    const url = new URL(deps.readUrl(known) ?? "");
    change(url);
    const urlSealed = deps.sealer.seal(url.href, placeShardUrl(known.id));
    await changeShard(database.control, "a", { urlSealed, weight: 0 });
  };
  /** Has nobody reach the database of a any more. */
  const lose = async () => {
    await changeUrl((url) => (url.pathname = "/test_lost"));
    await scene.inShard("a").query("alter subscription busbar_shared disable");
  };
  return { ...scene, end, changeUrl, lose };
}

test("the customer stays in its new shard with all that waited, changes are looked for, and the lost shard can be removed", async (t) => {
  const { database, deps, inShard, find, move, end, lose, mover } = await openBrokenMove(
    t,
    "moving what has ended",
  );
  await assert.rejects(end(), {
    name: "StartError",
    message: /the shard a is there.*complete the move \(busbar shards move customer-1 b --project /,
  });
  await lose();
  await assert.rejects(removeShard(deps, "a"), {
    message:
      /rows of customer-1, whose move to b has not ended: busbar shards move customer-1 b .*--lost if a is gone for good/,
  });
  await assert.rejects(move("b"), { message: /gone for good: busbar shards move customer-1 b .*--lost/ });
  const waiting = "select count(*)::integer as count from writes where installation_id = $1";
  const { rows: before } = await inShard("b").query(waiting, [mover.installationId]);
  assert.ok(before[0].count > 0);
  const [begun] = await listMoves(database.control);
  const { from, to, step, reconciledSince } = await end();
  assert.deepEqual(
    { from, to, step, reconciledSince },
    { from: "a", to: "b", step: "moving what has ended", reconciledSince: begun?.startTime.toISOString() },
  );
  assert.equal((await find()).shard, "b");
  assert.deepEqual(await listMoves(database.control), []);
  assert.deepEqual((await inShard("b").query("select from moving_customers")).rows, []);
  assert.deepEqual((await inShard("b").query(waiting, [mover.installationId])).rows, before);
  const { rows } = await inShard("b").query(
    "select reconcile_since <= $1 as looked_for, due_time <= now() as due from subscriptions where state <> 'disabled'",
    [begun?.startTime],
  );
  assert.ok(rows.length > 0);
  for (const one of rows) assert.deepEqual(one, { looked_for: true, due: true });
  await assert.rejects(end(), { message: /no move of customer-1 to b was begun/ });
  assert.equal((await removeShard(deps, "a")).removed, true);
  // Otherwise its database could not be dropped.
  await inShard("a").query("alter subscription busbar_shared set (slot_name = none)");
  await inShard("a").query("drop subscription busbar_shared");
});

test("a move is not ended without the former shard while that one decides", async (t) => {
  const { end, lose, find } = await openBrokenMove(t, "switching");
  await lose();
  await assert.rejects(end(), {
    name: "StartError",
    message: /customer-1 is still in the shard a, which has all that is known of it: restore that shard/,
  });
  assert.equal((await find()).shard, "a");
});

test("a shard whose server answers, or whose address cannot be read, does not count as lost", async (t) => {
  const { deps, database, find, end, changeUrl } = await openBrokenMove(t, "moving what has ended");
  const withoutKey = { ...deps, readUrl: () => undefined };
  await assert.rejects(endLostMove(withoutKey, await find(), "b"), {
    name: "StartError",
    message: /the key that encrypted the address of the shard a is missing/,
  });
  await changeUrl((url) => (url.username = "nobody_here"));
  await assert.rejects(end(), { name: "StartError", message: /the shard a is away.*nobody_here/ });
  assert.equal((await listMoves(database.control)).length, 1);
});

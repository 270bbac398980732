/** A move that was broken off before the new shard decided is taken back by a process, so that nobody is refused for long. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { openMoveScene } from "../../../tests/harness/move-scene.ts";
import { log } from "../../../tests/harness/shards.ts";
import { findGroupShard } from "../access/customers.ts";
import { openShard } from "../shards/open-shard.ts";
import { listShards } from "../shards/shard-registry.ts";
import { beginMove, listMoves } from "./customer-moves.ts";
import { takeBackBroken, type BrokenMoves } from "./take-back.ts";

/** Opens the shards, as a process does. */
async function openProcess(t: TestContext) {
  const scene = await openMoveScene(t);
  const { database, deps, find } = scene;
  for (const shard of await listShards(database.control))
    await openShard(database, { ...shard, url: deps.readUrl(shard) ?? "", log, poolSize: 2 });
  const isServed = async () => {
    const { projectId, groupRef } = await find();
    return !(await findGroupShard(database.control, projectId, groupRef))?.isMoving;
  };
  return { ...scene, isServed };
}

test("a customer whose move was broken off is served again, and the other shard keeps no copy", async (t) => {
  const { database, mover, breakOff, read, inShard, isServed, move } = await openProcess(t);
  const mine = (await read())["main"];
  for (const step of ["closing the gate", "switching"]) {
    await breakOff("a", step);
    // A version that froze them copied them, too.
    const { rows: seen } = await inShard("main").query(
      "select json_agg(entry)::text as lines from seen_records as entry where installation_id = $1",
      [mover.installationId],
    );
    await inShard("a").query(
      "insert into seen_records select * from json_populate_recordset(null::seen_records, $1)",
      [seen[0].lines],
    );
    const known: BrokenMoves = new Map();
    assert.deepEqual(await takeBackBroken(database, known, 60_000), [], "the command may be repeated");
    const taken = await takeBackBroken(database, known, 0);
    assert.deepEqual(
      taken.map(({ groupRef }) => groupRef),
      ["customer-1"],
    );
    assert.ok(await isServed());
    assert.deepEqual(await listMoves(database.control), []);
    assert.deepEqual((await inShard("main").query("select from moving_customers")).rows, []);
    const rows = await read();
    assert.deepEqual(rows["main"], mine);
    assert.deepEqual(Object.values(rows["a"] ?? {}).flat(), []);
  }
  await move("a");
  assert.deepEqual((await read())["a"], mine);
});

test("a move that a command is at, or in which the new shard decides, goes on", async (t) => {
  const { database, breakOff, find, move } = await openProcess(t);
  let taking: Promise<unknown> | undefined;
  await move("a", {
    onStep(text) {
      if (text.includes("switching")) taking = takeBackBroken(database, new Map(), 0);
    },
  });
  assert.deepEqual(await taking, []);
  assert.equal((await find()).shard, "a");
  await breakOff("main", "moving what has ended");
  assert.deepEqual(await takeBackBroken(database, new Map(), 0), []);
  const [begun] = await listMoves(database.control);
  assert.equal(begun?.state, "switched");
});

test("a move does not begin for a customer whose erasing has begun meanwhile", async (t) => {
  const { database, find, inShard } = await openMoveScene(t);
  const group = await find();
  const main = inShard("main");
  await main.query("begin");
  await main.query("update groups set erased_until_event = $1 where id = $1", [group.id]);
  const begun = beginMove(database.control, group, "a");
  await main.query("commit");
  assert.equal(await begun, false);
  assert.deepEqual(await listMoves(database.control), []);
});

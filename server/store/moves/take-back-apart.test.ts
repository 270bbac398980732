/** A broken move is taken back for its customer although the database of the new shard cannot be reached. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { openMoveScene } from "../../../tests/harness/move-scene.ts";
import { log } from "../../../tests/harness/shards.ts";
import { moveCustomer } from "../../commands/shards/move-customer.ts";
import { findGroupShard } from "../access/customers.ts";
import { openShard } from "../shards/open-shard.ts";
import { beginRemoval, listShards } from "../shards/shard-registry.ts";
import { listMoves } from "./customer-moves.ts";
import { takeBackBroken, type BrokenMoves } from "./take-back.ts";

/** Opens the shards; `letConnect` says whether new connections to the shard a are accepted. */
async function openScene(t: TestContext) {
  const scene = await openMoveScene(t);
  const { database, deps, find, inShard } = scene;
  const shards = await listShards(database.control);
  for (const shard of shards)
    await openShard(database, { ...shard, url: deps.readUrl(shard) ?? "", log, poolSize: 2 });
  const { rows } = await inShard("a").query<{ name: string }>("select current_database() as name");
  const letConnect = (isLet: boolean) =>
    inShard("main").query(`alter database "${rows[0]?.name}" allow_connections ${isLet}`);
  const isServed = async (projectId: string) => {
    const { groupRef } = await find(projectId);
    return !(await findGroupShard(database.control, projectId, groupRef))?.isMoving;
  };
  return { ...scene, letConnect, isServed };
}

test("a shard that is away keeps no customer refused: neither who was to come, nor those of other shards", async (t) => {
  const { database, deps, mover, neighbour, breakOff, find, read, inShard, letConnect, isServed } =
    await openScene(t);
  await breakOff("a", "switching");
  const progress = (text: string) => {
    if (text.includes("switching")) throw new Error("killed");
  };
  await assert.rejects(moveCustomer({ ...deps, progress }, await find(neighbour.projectId), "b"), /killed/);
  await letConnect(false);
  const known: BrokenMoves = new Map();
  await takeBackBroken(database, known, 0);
  assert.deepEqual([await isServed(mover.projectId), await isServed(neighbour.projectId)], [true, true]);
  assert.deepEqual((await inShard("main").query("select from moving_customers")).rows, []);
  await letConnect(true);
  await takeBackBroken(database, known, 0);
  assert.deepEqual(await listMoves(database.control), []);
  assert.deepEqual(Object.values((await read())["a"] ?? {}).flat(), []);
});

test("the command takes a move back while the new shard is away, and the shard can be removed then", async (t) => {
  const { database, mover, breakOff, move, inShard, letConnect, isServed } = await openScene(t);
  await breakOff("a", "switching");
  await letConnect(false);
  assert.equal(await beginRemoval(database.control, "a"), false, "the customer would be refused for ever");
  assert.equal((await move("main")).to, "main");
  assert.ok(await isServed(mover.projectId));
  assert.deepEqual((await inShard("main").query("select from moving_customers")).rows, []);
  assert.equal(await beginRemoval(database.control, "a"), true);
  assert.deepEqual(await listMoves(database.control), []);
  await letConnect(true);
});

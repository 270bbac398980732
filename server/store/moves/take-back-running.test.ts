/** A move whose command still runs is left to it, although it has lost its connection to the control database. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_LOCKS } from "../../../tests/harness/database.ts";
import { openMoveScene } from "../../../tests/harness/move-scene.ts";
import { log } from "../../../tests/harness/shards.ts";
import { until } from "../../../tests/harness/until.ts";
import { openShard } from "../shards/open-shard.ts";
import { listShards } from "../shards/shard-registry.ts";
import { listMoves } from "./customer-moves.ts";
import { takeBackBroken } from "./take-back.ts";

/** Any number that nobody else locks. */
const HOLD = 77;

for (const table of ["read_fingerprints", "deliveries"])
  test(`a command that copies ${table} without its control connection is not taken back before it ends`, async (t) => {
    const { database, deps, move, read, inShard } = await openMoveScene(t);
    for (const shard of await listShards(database.control))
      await openShard(database, { ...shard, url: deps.readUrl(shard) ?? "", log, poolSize: 2 });
    const [main, a] = [inShard("main"), inShard("a")];
    await main.query("update deliveries set state = 'waiting', claimed_by = null, due_time = now()");
    const mine = (await read())["main"];
    await a.query(`create function hold() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(${HOLD}); return null; end'`);
    await a.query(`create trigger hold before insert on ${table} for each statement execute function hold()`);
    await a.query("select pg_advisory_lock($1)", [HOLD]);
    const ended = move("a").then(
      () => "moved",
      () => "failed",
    );
    await until(async () => {
      const { rows } = await a.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted and ${OWN_LOCKS}`,
        [HOLD],
      );
      return rows.length > 0;
    });
    const locked = `from pg_locks where locktype = 'advisory' and classid = 735562 and ${OWN_LOCKS}`;
    await main.query(`select pg_terminate_backend(pid) ${locked}`);
    await until(async () => (await main.query(`select ${locked}`)).rows.length === 0);
    assert.deepEqual(await takeBackBroken(database, new Map(), 0), []);
    await a.query("select pg_advisory_unlock($1)", [HOLD]);
    assert.equal(await ended, "failed");
    assert.equal((await takeBackBroken(database, new Map(), 0)).length, 1);
    assert.deepEqual(await listMoves(database.control), []);
    assert.deepEqual((await main.query("select from moving_customers")).rows, []);
    const rows = await read();
    assert.deepEqual(rows["main"], mine);
    assert.deepEqual(Object.values(rows["a"] ?? {}).flat(), []);
  });

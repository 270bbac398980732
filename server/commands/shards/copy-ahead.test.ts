/** The fingerprints of a moving customer's records are copied while it is served. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "pg";
import { openMoveScene } from "../../../tests/harness/move-scene.ts";
import { findGroupShard } from "../../store/access/customers.ts";
import { tryLockSide } from "../../store/moves/customer-moves.ts";
import { openShardClient } from "./require-move.ts";

test("a customer is worked for while fingerprints are copied, and what changes of them meanwhile moves as well", async (t) => {
  const { inShard, move, mover, neighbour } = await openMoveScene(t);
  const [main, a] = [inShard("main"), inShard("a")];
  for (const { installationId } of [mover, neighbour])
    await main.query(
      `insert into read_fingerprints select $1, 'contacts', nth::text, '2026-01-01', '\\x00' from generate_series(2, 3000) as nth`,
      [installationId],
    );
  const readMine = async (client: Client) => {
    const { rows } = await client.query(
      "select entry::text as line from read_fingerprints as entry where installation_id = $1 order by object_name, record_id",
      [mover.installationId],
    );
    return rows.map(({ line }) => line);
  };
  const before = await readMine(main);
  // The move waits for this transaction when the gate has closed.
  await main.query("begin");
  const change = async () => {
    const copied = await readMine(a);
    const changed = [
      "update read_fingerprints set hash = '\\x01' where installation_id = $1 and record_id = '77'",
      "delete from read_fingerprints where installation_id = $1 and record_id = '78'",
      "insert into read_fingerprints values ($1, 'contacts', 'new', '2026-01-01', '\\x02')",
      `insert into read_objects select (jsonb_populate_record(entry, '{"object_name": "more"}')).* from read_objects as entry
       where installation_id = $1`,
      "insert into read_fingerprints values ($1, 'more', '1', '2026-01-01', '\\x03')",
      "update read_objects set cursor_time = '2026-02-01' where installation_id = $1",
    ];
    for (const statement of changed) await main.query(statement, [mover.installationId]);
    const expected = await readMine(main);
    await main.query("commit");
    return { copied, expected };
  };
  let changing: ReturnType<typeof change> | undefined;
  const moved = await move("a", {
    onStep(text) {
      if (text.includes("closing the gate")) changing = change();
    },
  });
  const { copied = [], expected = [] } = (await changing) ?? {};
  assert.deepEqual(copied, before, "copied before the gate closes");
  assert.equal(expected.length, 3001);
  assert.deepEqual(await readMine(a), expected);
  assert.deepEqual(await readMine(main), []);
  const objects = await a.query(
    "select object_name as name, cursor_time as time from read_objects order by 1",
  );
  assert.deepEqual(
    objects.rows,
    ["contacts", "more"].map((name) => ({ name, time: new Date("2026-02-01") })),
  );
  assert.ok(moved.rows < 200, `${moved.rows} rows were copied while the customer was refused`);
});

test("a move that is broken off while fingerprints are copied refuses nobody, and can be taken back or completed", async (t) => {
  const { database, inShard, breakOff, move, find, read } = await openMoveScene(t);
  const mine = (await read())["main"];
  const isServed = async () => {
    const { projectId, groupRef } = await find();
    return !(await findGroupShard(database.control, projectId, groupRef))?.isMoving;
  };
  await breakOff("a", "closing the gate");
  assert.ok(await isServed());
  assert.deepEqual((await inShard("main").query("select from moving_customers")).rows, []);
  await move("main");
  assert.deepEqual(Object.values((await read())["a"] ?? {}).flat(), []);
  assert.deepEqual((await read())["main"], mine);
  await breakOff("a", "closing the gate");
  await move("a");
  assert.deepEqual((await read())["a"], mine);
});

test("a transaction of a command that moves another customer is not waited for", async (t) => {
  const { deps, neighbour, find, move } = await openMoveScene(t);
  const other = await openShardClient(deps, null);
  try {
    await tryLockSide(other, (await find(neighbour.projectId)).id);
    await other.query("begin isolation level repeatable read");
    await other.query("select from read_fingerprints");
    assert.equal((await move("a", { maxWaitMs: 5_000 })).to, "a");
  } finally {
    await other.end();
  }
});

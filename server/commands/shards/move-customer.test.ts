/** Moving a customer: every row of it moves once and no other one does, also if the command is killed at any step and repeated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import type { Client } from "pg";
import { MOVED_TABLES, readAllRows } from "../../../tests/harness/customer-rows.ts";
import { openMoveScene } from "../../../tests/harness/move-scene.ts";
import type { Stock } from "../../../tests/harness/proxy/stock-database.ts";
import { newId } from "../../../ground/ids.ts";
import { listReleasable } from "../../store/deliveries/held-messages.ts";
import { TABLE_SIDES } from "../../store/database/sides.ts";
import { CUSTOMER_TABLES } from "../../store/moves/customer-tables.ts";
import { listMoves } from "../../store/moves/customer-moves.ts";
import { listShards, placeShardUrl } from "../../store/shards/shard-registry.ts";
import { getPlacedGroup } from "./require-move.ts";

/** Nobody listens there. */
const AWAY = "postgres://busbar@127.0.0.1:1/busbar";

test("every data table says how its rows of a customer move, and the scene has a row of each that does", async (t) => {
  const data = Object.entries(TABLE_SIDES).flatMap(([name, side]) => (side === "data" ? [name] : []));
  assert.deepEqual(Object.keys(CUSTOMER_TABLES).toSorted(), data.toSorted());
  const { inShard } = await openMoveScene(t);
  const rows = await readAllRows(inShard("main"));
  assert.equal(Object.keys(rows).length, MOVED_TABLES);
  assert.deepEqual(
    Object.keys(rows).filter((name) => rows[name]?.length === 0),
    [],
    "a table that moves has no row in tests/harness/customer-rows.ts",
  );
});

test("all rows of a customer move, in their order, and those of another one stay", async (t) => {
  const { move, read, inShard, find, neighbour } = await openMoveScene(t);
  const before = await readAllRows(inShard("main"));
  const mine = (await read())["main"];
  const moved = await move("a");
  assert.ok(moved.rows > 0 && moved.history > 0);
  assert.equal((await find()).shard, "a");
  assert.deepEqual(await readAllRows(inShard("a")), mine);
  const left = await readAllRows(inShard("main"));
  for (const [table, lines] of Object.entries(before))
    assert.deepEqual(
      left[table],
      lines.filter((line) => !mine?.[table]?.includes(line)),
      table,
    );
  assert.ok(
    Object.values(left).every((lines) => lines.length > 0),
    `rows of ${neighbour.projectId}`,
  );
  // Onwards, and back.
  await move("b");
  assert.deepEqual(await readAllRows(inShard("b")), mine);
  assert.deepEqual(await readAllRows(inShard("a")), (await read())["a"]);
  await move("main");
  assert.deepEqual((await read())["main"], mine);
});

test("a move that is killed at any step and repeated ends whole; one that has not switched can be taken back", async (t) => {
  const { database, move, read, find } = await openMoveScene(t);
  const mine = (await read())["main"];
  const steps: string[] = [];
  await move("a", { onStep: (text) => steps.push(text) });
  await move("main");
  assert.ok(steps.length >= 8, steps.join());
  for (const [nth, step] of steps.entries()) {
    const [to, from] = nth % 2 === 0 ? ["a", "main"] : ["main", "a"];
    let reached = 0;
    const killed = move(to ?? "", {
      onStep() {
        if (reached++ === nth) throw new Error("killed");
      },
    });
    await assert.rejects(killed, /killed/, step);
    const [begun] = await listMoves(database.control);
    const decides = begun?.state === "switched" ? to : from;
    assert.equal((await find()).shard, decides === "main" ? null : decides, step);
    if (begun && begun.state !== "switched" && nth % 3 === 0) {
      assert.equal((await move(from ?? "")).to, from);
      assert.deepEqual((await read())[from ?? ""], mine, `taken back: ${step}`);
    }
    await move(to ?? "");
    const rows = await read();
    assert.deepEqual(rows[to ?? ""], mine, step);
    assert.deepEqual(Object.values(rows[from ?? ""] ?? {}).flat(), [], step);
    assert.deepEqual(await listMoves(database.control), []);
  }
});

test("a move that is not possible is refused with the reason and what helps, and changes nothing", async (t) => {
  const { database, deps, move, find, inShard, mover } = await openMoveScene(t);
  const refuses = (run: Promise<unknown>, message: RegExp) =>
    assert.rejects(run, { name: "StartError", message });
  await refuses(getPlacedGroup(deps, "nobody", undefined), /there is no customer nobody.*groupRef/);
  await refuses(
    getPlacedGroup(deps, "customer-1", undefined),
    /several projects have a customer customer-1.*--project/,
  );
  await refuses(getPlacedGroup(deps, "customer-1", "one"), /--project takes the id/);
  await refuses(move("main"), /is in the shard main already/);
  await refuses(move("c"), /there is no shard c: there are main, a, b/);
  await sql`update shards set state = 'opening' where name = 'b'`.execute(database.control);
  await refuses(move("b"), /the shard b is opening and gets no customers.*busbar shards list/);
  await sql`update shards set state = 'active'`.execute(database.control);
  const [a] = await listShards(database.control);
  await sql`update shards set url_sealed = ${deps.sealer.seal(AWAY, placeShardUrl(a?.id ?? ""))} where name = 'a'`.execute(
    database.control,
  );
  await refuses(move("a"), /the shard a is away, so no customer can be moved/);
  await sql`update shards set url_sealed = ${a?.urlSealed} where name = 'a'`.execute(database.control);

  // A write that nobody ends: the customer stays, and is served where it is.
  const main = inShard("main");
  await main.query("update writes set claimed_by = 7 where installation_id = $1", [mover.installationId]);
  await refuses(
    move("b", { maxWaitMs: 10 }),
    /stays in the shard main.*3 asynchronous writes.*repeat the command/,
  );
  assert.deepEqual(await listMoves(database.control), []);
  assert.deepEqual((await main.query("select from moving_customers")).rows, []);
  await main.query("update writes set claimed_by = null");

  // Another process is at it.
  let second: Promise<unknown> = Promise.resolve();
  await move("b", {
    onStep(text) {
      if (text.includes("switching")) second = refuses(move("b"), /another process is moving customer-1/);
    },
  });
  await second;
  const killed = move("a", {
    onStep(text) {
      if (text.includes("copying")) throw new Error("killed");
    },
  });
  await assert.rejects(killed, /killed/);
  await refuses(
    move("main"),
    /a move of customer-1 to the shard a was begun: complete it first .*move customer-1 a.*or take it back .*move customer-1 b/,
  );
  assert.equal((await find()).shard, "b");
});

test("while a customer moves, nobody claims or begins work for it in either shard, and others are worked for", async (t) => {
  const { inShard, breakOff, move, mover, neighbour } = await openMoveScene(t);
  await breakOff("a", "switching");
  const [main, a] = [inShard("main"), inShard("a")];
  const claims = {
    writes: "claimed_by = 1",
    read_runs: "claimed_by = 1",
    subscriptions: "claimed_by = 1",
  };
  const claim = async (client: Client, installationId: string) => {
    const counts: (number | null)[] = [];
    for (const [table, set] of Object.entries(claims)) {
      await client.query("begin");
      counts.push(
        (await client.query(`update ${table} set ${set} where installation_id = $1`, [installationId]))
          .rowCount,
      );
      await client.query("rollback");
    }
    return counts;
  };
  const begin = (client: Client, { projectId, installationId }: Stock) =>
    client.query(
      `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status)
       values ($1, $2, $1, $3, $1, 'write', 'o', 'success')`,
      [newId(), projectId, installationId],
    );
  for (const client of [main, a]) {
    assert.deepEqual(await claim(client, mover.installationId), [0, 0, 0]);
    await assert.rejects(begin(client, mover), { code: "BB001" });
  }
  assert.deepEqual(await claim(main, neighbour.installationId), [3, 1, 1]);
  await begin(main, neighbour);
  await move("a");
  assert.deepEqual(await claim(a, mover.installationId), [3, 1, 1]);
  await begin(a, mover);
  // A process that stood still all the time.
  await assert.rejects(begin(main, mover), { code: "BB001" });
});

test("what is stored in the old shard late follows, once", async (t) => {
  const { inShard, breakOff, move, mover } = await openMoveScene(t);
  const [main, a] = [inShard("main"), inShard("a")];
  const { projectId, installationId } = mover;
  const [eventId, subscriptionEventId] = [newId(), newId()];
  await breakOff("a", "moving what has ended");
  await main.query(
    `insert into proxy_usage (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down, request_id)
     values (now(), $1, $2, 'GET', '/a', 200, 1, 1, 1, 'late')`,
    [projectId, installationId],
  );
  await main.query(
    `insert into subscription_events (id, installation_id, object_name, record_id, provider_event_type, occurred_time, dedupe_key, raw)
     values ($1, $2, 'contacts', '1', 'x', now(), '\\x02', '{}')`,
    [subscriptionEventId, installationId],
  );
  await main.query("insert into events (id, project_id, type, data) values ($1, $2, 'read', $3)", [
    eventId,
    projectId,
    JSON.stringify({ groupRef: "customer-1" }),
  ]);
  const { rows } = await main.query("select id from destinations where project_id = $1", [projectId]);
  await main.query(
    "insert into deliveries (destination_id, event_id, state, due_time) values ($1, $2, 'waiting', now())",
    [rows[0].id, eventId],
  );
  // By a proxied call that went on; the gate that was copied is closed for an hour.
  await main.query("update connection_gates set closed_until = '2100-01-01' where connection_id = $1", [
    mover.connectionId,
  ]);
  await breakOff("a", "ending the move");
  await move("a");
  const gates = await a.query("select closed_until as until from connection_gates");
  assert.deepEqual(gates.rows, [{ until: new Date("2100-01-01") }]);
  const count = async (client: Client, table: string, where: string, value: string) =>
    (await client.query(`select from ${table} where ${where} = $1`, [value])).rows.length;
  for (const [client, expected] of [
    [main, 0],
    [a, 1],
  ] as const) {
    assert.equal(await count(client, "proxy_usage", "request_id", "late"), expected);
    assert.equal(await count(client, "subscription_events", "id", subscriptionEventId), expected);
    assert.equal(await count(client, "events", "id", eventId), expected);
    assert.equal(await count(client, "deliveries", "event_id", eventId), expected);
  }
  const due = await a.query("select from subscriptions where installation_id = $1 and due_time <= now()", [
    installationId,
  ]);
  assert.equal(due.rows.length, 1, "somebody looks at the event");
});

test("a move that fails before the new shard decides is taken back", async (t) => {
  const { database, inShard, move, find, read } = await openMoveScene(t);
  const mine = (await read())["main"];
  await move("a");
  await move("main");
  await inShard("a").query("alter table read_fingerprints add constraint never check (false)");
  await assert.rejects(move("a"), /violates check constraint/);
  assert.deepEqual(await listMoves(database.control), []);
  assert.equal((await find()).shard, null);
  const guards = async (name: string) =>
    (await inShard(name).query("select state from moving_customers")).rows;
  assert.deepEqual([await guards("main"), await guards("a")], [[], [{ state: "away" }]]);
  const rows = await read();
  assert.deepEqual(rows["main"], mine);
  assert.deepEqual(Object.values(rows["a"] ?? {}).flat(), []);
});

test("what waits is not cancelled or released in the old shard once it is copied", async (t) => {
  const { database, inShard, breakOff, move, mover, neighbour } = await openMoveScene(t);
  await breakOff("a", "switching");
  const main = inShard("main");
  const id = [mover.installationId];
  for (const table of ["writes", "read_runs"])
    await assert.rejects(main.query(`delete from ${table} where installation_id = $1`, id), {
      code: "BB001",
    });
  const release = (client: Client) =>
    client.query("delete from held_messages where installation_id = $1 returning event_id", id);
  assert.equal((await release(main)).rows.length, 0);
  await main.query("update held_credits set pages = 5");
  const releasable = async () =>
    (await listReleasable(database.data, 100)).map(({ installationId }) => installationId);
  assert.deepEqual(await releasable(), [neighbour.installationId]);
  await move("a");
  assert.ok((await release(inShard("a"))).rows.length > 0);
});

test("a subscription by a journal that moves looks for the changes since the old shard heard the journal", async (t) => {
  const { database, inShard, move, mover } = await openMoveScene(t);
  const [main, a] = [inShard("main"), inShard("a")];
  const appId = newId();
  await sql`
    insert into provider_apps (id, project_id, provider, client_id, client_secret_sealed)
    values (${appId}, ${mover.projectId}, 'acme', 'client', '')`.execute(database.control);
  await main.query(
    `insert into event_streams (provider_app_id, project_id, provider, ref, topic, account_ref, position, heard_time, selected)
     values ($1, $2, 'acme', 'r', 't', 'app', '\\x0a', '2026-01-02T10:00Z', '{other}')`,
    [appId, mover.projectId],
  );
  await main.query(
    `update subscriptions set source = 'journal', journal_app_id = $1, state = 'active', create_time = '2026-01-01'
     where installation_id = $2`,
    [appId, mover.installationId],
  );
  const read = async (client: Client) => {
    const streams = await client.query("select position::text, selected from event_streams where id = $1", [
      appId,
    ]);
    const subscriptions = await client.query(
      "select state, reconcile_since from subscriptions where installation_id = $1",
      [mover.installationId],
    );
    return [streams.rows, subscriptions.rows];
  };
  await move("a");
  // One that reads the journal for the first time begins where the other one was.
  assert.deepEqual(await read(a), [
    [{ position: "\\x0a", selected: [] }],
    [{ state: "pending", reconcile_since: new Date("2026-01-02T09:55Z") }],
  ]);
  assert.deepEqual(await read(main), [[{ position: "\\x0a", selected: ["other"] }], []]);
  // Back: the position there stays, whether it is behind or ahead.
  await a.query(
    "update event_streams set position = '\\x0b', heard_time = '2026-01-02T11:00Z' where id = $1",
    [appId],
  );
  await a.query(
    "update subscriptions set state = 'active', reconcile_since = null where journal_app_id = $1",
    [appId],
  );
  await move("main");
  assert.deepEqual(await read(main), [
    [{ position: "\\x0a", selected: ["other"] }],
    [{ state: "pending", reconcile_since: new Date("2026-01-02T10:55Z") }],
  ]);
});

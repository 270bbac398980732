/** Moving a customer: every row of it moves once and no other one does, also if the command is killed at any step and repeated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { insertCustomerRows, MOVED_TABLES, readAllRows } from "../../../tests/harness/customer-rows.ts";
import { createEmptyDatabase, createTestDatabase, type Scope } from "../../../tests/harness/database.ts";
import { stockDatabase, type Stock } from "../../../tests/harness/proxy/stock-database.ts";
import { addOnce, log, shardServices } from "../../../tests/harness/shards.ts";
import { waitForCopies } from "../../../tests/harness/wait-for-copies.ts";
import { newId } from "../../../ground/ids.ts";
import { insertDestination } from "../../store/deliveries/destinations.ts";
import { openDatabase } from "../../store/database/open-database.ts";
import { TABLE_SIDES } from "../../store/database/sides.ts";
import { CUSTOMER_TABLES } from "../../store/moves/customer-tables.ts";
import { listMoves } from "../../store/moves/customer-moves.ts";
import { listShards, placeShardUrl } from "../../store/shards/shard-registry.ts";
import { getPlacedGroup } from "./require-move.ts";
import { moveCustomer } from "./move-customer.ts";

/** Nobody listens there. */
const AWAY = "postgres://busbar@127.0.0.1:1/busbar";

/** Opens a Busbar's databases with the shards a and b, and two customers with rows in main. */
async function openScene(scope: Scope, count = 3) {
  const urls: Record<string, string> = {};
  const closing: (() => Promise<unknown>)[] = [];
  let connectionString = "";
  scope.after(async () => {
    for (const close of closing) await close();
  });
  scope.after(() => addOnce(connectionString, urls).unpair());
  const created = await createTestDatabase({ isDivided: false });
  scope.after(created.drop);
  ({ connectionString } = created);
  for (const name of ["a", "b"]) urls[name] = await createEmptyDatabase(scope);
  const database = await openDatabase({ connectionString, log, poolSize: 5 });
  closing.push(() => database.close());
  const mover = await stockDatabase(database.queries, { projectName: "one" });
  const neighbour = await stockDatabase(database.queries, { projectName: "two" });
  const destinations = new Map<string, string>();
  for (const { projectId } of [mover, neighbour]) {
    const id = newId();
    destinations.set(projectId, id);
    const settings = { name: "d", type: "webhook", metadata: {}, secretsSealed: "" };
    await insertDestination(database.control, { id, projectId, ...settings });
  }
  await addOnce(connectionString, urls).add(database);
  for (const dataUrl of Object.values(urls)) await waitForCopies({ connectionString, dataUrl });
  const clients: Record<string, Client> = {};
  for (const [name, url] of Object.entries({ main: connectionString, ...urls })) {
    const client = new Client({ connectionString: url });
    await client.connect();
    closing.unshift(() => client.end());
    clients[name] = client;
  }
  const inShard = (name: string): Client => {
    const client = clients[name];
    if (!client) throw new Error(name);
    return client;
  };
  const insert = (stock: Stock) =>
    insertCustomerRows(
      inShard("main"),
      { ...stock, groupRef: "customer-1", destinationId: destinations.get(stock.projectId) ?? "" },
      count,
    );
  await insert(neighbour);
  const ids = await insert(mover);
  // Nobody delivers here.
  await inShard("main").query("delete from unrouted_events");
  const deps = shardServices(database);
  const find = (projectId = mover.projectId) => getPlacedGroup(deps, "customer-1", projectId);
  const move = async (to: string, options: { onStep?(text: string): void; maxWaitMs?: number } = {}) => {
    const { onStep: progress = () => {}, ...more } = options;
    return moveCustomer({ ...deps, progress }, await find(), to === "main" ? null : to, more);
  };
  /** Rows of the customer who moves, in each shard. */
  const read = async () => {
    const all: Record<string, Record<string, string[]>> = {};
    for (const name of ["main", "a", "b"])
      all[name] = Object.fromEntries(
        Object.entries(await readAllRows(inShard(name))).map(([table, lines]) => [
          table,
          lines.filter((line) => ids.some((id) => line.includes(id))),
        ]),
      );
    return all;
  };
  return { database, deps, mover, neighbour, inShard, move, find, read };
}

test("every data table says how its rows of a customer move, and the scene has a row of each that does", async (t) => {
  const data = Object.entries(TABLE_SIDES).flatMap(([name, side]) => (side === "data" ? [name] : []));
  assert.deepEqual(Object.keys(CUSTOMER_TABLES).toSorted(), data.toSorted());
  const { inShard } = await openScene(t);
  const rows = await readAllRows(inShard("main"));
  assert.equal(Object.keys(rows).length, MOVED_TABLES);
  assert.deepEqual(
    Object.keys(rows).filter((name) => rows[name]?.length === 0),
    [],
    "a table that moves has no row in tests/harness/customer-rows.ts",
  );
});

test("all rows of a customer move, in their order, and those of another one stay", async (t) => {
  const { move, read, inShard, find, neighbour } = await openScene(t);
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
  const { database, move, read, find } = await openScene(t);
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
    if (begun?.state === "closing" && nth % 3 === 0) {
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
  const { database, deps, move, find, inShard, mover } = await openScene(t);
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
